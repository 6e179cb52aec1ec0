"""SIGKILL of `record` itself at any moment of a recording: the program runs on, and what is left of it can be read and is named.
Usage: record_test.py KILL_SUBJECT (ZEROSTALL_PROGRAM names the program; the subject is tests/tracer's)"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from commands import ENOUGH_S, MANY, ZEROSTALL
from fault_count import FaultCount

KILLS = 20 if MANY else 1
KINDS = ("slow", "fast", "fast-threads", "churn", "mixed")
SUBJECT = ""


def of_session(session):
    """Pids of living processes of a session."""
    pids = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue  # ended meanwhile
        if fields[0] != "Z" and int(fields[3]) == session:
            pids.append(int(stat.parent.name))
    return pids


class Killed(unittest.TestCase):
    def test_record_is_killed(self):
        chance = random.Random(3)
        with FaultCount("record_killed", self.id()) as faults:
            for n in range(KILLS):
                with faults.input(f"kill {n}"), tempfile.TemporaryDirectory(prefix="zerostall-faults-") as folder:
                    self.kill_one(pathlib.Path(folder), KINDS[n % len(KINDS)], chance)

    def kill_one(self, folder, kind, chance):
        environment = {**os.environ, "ZEROSTALL_TEST_PROGRESS": str(folder / "progress")}
        process = subprocess.Popen([ZEROSTALL, "record", "--device", "sim", "--", SUBJECT, kind], cwd=folder, env=environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            traces = self.wait_for_trace(folder)
            time.sleep(chance.uniform(0, 0.3))
            process.kill()
            process.wait(timeout=ENOUGH_S)
            assert of_session(process.pid), "the program went with it"
            self.stat(folder, traces[0].parent, "growing")
        finally:
            for pid in of_session(process.pid):
                os.kill(pid, signal.SIGKILL)
        while of_session(process.pid):
            time.sleep(0.01)
        self.stat(folder, traces[0].parent, "left")
        ended = subprocess.run([ZEROSTALL, "stat"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert ended.returncode == 2 and f"zerostall stat {traces[0].parent.name}" in ended.stdout, f"not named: {ended.stdout}"

    def wait_for_trace(self, folder):
        end = time.monotonic() + ENOUGH_S
        while time.monotonic() < end:
            if traces := list(folder.glob(".zerostall-*/trace")):
                return traces
            time.sleep(0.002)
        raise AssertionError("no trace began")

    def stat(self, folder, trace, when):
        """It reads; 3: no call of it was complete yet."""
        ended = subprocess.run([ZEROSTALL, "stat", trace.name, "--json"], cwd=folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, timeout=ENOUGH_S)
        assert ended.returncode in (0, 3), f"{when}: exit code {ended.returncode}, {ended.stderr}"


if __name__ == "__main__":
    SUBJECT = sys.argv.pop(1)
    unittest.main(verbosity=0)
