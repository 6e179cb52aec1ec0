"""Whole processes that are measured: what they take and say."""
import os
import resource
import subprocess
import sys
import time


def measured(command, allowed=(0,), **more):
    """(wall s, CPU s, peak MiB, standard output) of a whole process; ends the program where its exit code is not `allowed`."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, **more)
    out = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in allowed:
        sys.exit(f"{' '.join(map(str, command))} ended with exit code {process.returncode}")
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, out


def start_of_program(build):
    """CPU time of a process of ours that reads no trace."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([f"{build}/bin/zerostall", "--version"], stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
