"""Reading one trace of PyTorch's profiler by us and by the Python tools that install from PyPI, one after the other, each in a process
of its own: peers_bench.py --build BUILD [--size small|middle|full]
What each is asked for is what it does first, or less than what we do: nothing of it is our count of waits.
Not among them, as of 2026: Perfetto's trace processor (its package fetches a program from elsewhere), and TraceLens (what has this name
on PyPI is another project)."""
import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

from figures import Table
from import_files import expanded, repeated, wrong_answers
from turns import new_folder

SOURCE = "hta-many-syncs-graphs.json.gz"
SIZES = {"small": None, "middle": ("--steps", 40), "full": ("--events", 6_500_000, "--steps", 300)}
VERSION = "from importlib.metadata import version; print(version('{}'))"

# What is run: (name, package or None, what it does, its program). The file is sys.argv[1].
PEERS = [
    ("json (Python's own)", None, "parses the text", "import json, sys; json.load(open(sys.argv[1]))"),
    ("orjson", "orjson", "parses the text", "import orjson, sys; orjson.loads(open(sys.argv[1], 'rb').read())"),
    ("HolisticTraceAnalysis", "HolisticTraceAnalysis", "loads the trace",
     "import sys; from hta.trace_analysis import TraceAnalysis; TraceAnalysis(trace_files={0: sys.argv[1]})"),
    ("torch-tb-profiler", "torch-tb-profiler", "loads and summarises the trace",
     "import sys, tempfile; from torch_tb_profiler.profiler.data import RunProfileData;"
     "RunProfileData.parse('w', None, sys.argv[1], tempfile.mkdtemp()).process()"),
]


def measure(command, log):
    """(wall s, peak MiB) of a whole process, None where it fails; its output goes into a file."""
    begin = time.monotonic()
    with open(log, "wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return (time.monotonic() - begin, used.ru_maxrss / 1024) if process.returncode == 0 else None


def own_rate(options, path, right, folder):
    """The best of three: ours is over before the machine has warmed up."""
    runs = []
    for _ in range(3):
        begin = time.monotonic()
        process = subprocess.Popen([f"{options.build}/bin/zerostall", "stat", "--json", path], stdout=open(f"{folder}/ours", "wb"))
        _, status, used = os.wait4(process.pid, 0)
        runs.append((time.monotonic() - begin, used.ru_maxrss / 1024))
        process.returncode = os.waitstatus_to_exitcode(status)
    wrong = wrong_answers(json.loads(pathlib.Path(f"{folder}/ours").read_text()), right) if right else []
    if wrong:
        sys.exit("our answer is wrong: " + "; ".join(wrong))
    return min(runs)


def describe(path, right):
    size = os.stat(path).st_size
    steps = f", {right['events'] / 1e6:.1f} M events, {right['steps']} steps" if right else ", 0.1 M events, 5 steps"
    return (f"{size / 1e6:,.0f} MB of JSON{steps} ({SOURCE}{', repeated' if right else ''}); {datetime.date.today()}, {os.cpu_count()} "
            f"cores, Python {platform.python_version()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--size", choices=list(SIZES), default="middle")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    python = f"{options.build}/venv-peers/bin/python"
    with new_folder() as folder:
        size = SIZES[options.size]
        path, right = repeated(options.build, SOURCE, f"{folder}/trace.json", *size) if size else (expanded(SOURCE, folder), None)
        ours = own_rate(options, path, right, folder)
        print(describe(path, right))
        table, failed = Table(), False
        what = f"zerostall stat, {os.stat(path).st_size / 1e6:,.0f} MB of JSON"
        table.figure("peers.ours", f"{what}: counts and times per step", ours[0], "s")
        table.figure("peers.ours.memory", "   zerostall stat: peak memory", ours[1], "MiB")
        for name, package, does, program in PEERS:
            if package:
                name += " " + subprocess.run([python, "-c", VERSION.format(package)], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
            log = f"{folder}/log"
            result = measure([python, "-c", program, path], log)
            if result is None:
                failed = True
                print(f"{name} failed\n" + "\n".join(pathlib.Path(log).read_text(errors="replace").splitlines()[-5:]), file=sys.stderr)
                continue
            table.figure(f"peers.{package or 'json'}", f"{name}: {does}", result[0], "s", peer=("zerostall stat", ours[0]))
            table.figure(f"peers.{package or 'json'}.memory", f"   {name}: peak memory", result[1], "MiB", peer=("zerostall stat", ours[1]))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
