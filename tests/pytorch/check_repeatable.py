"""Runs a program several times and wants the same bytes of `zerostall stat --json` each time, modelled times included:
check_repeatable.py --build BUILD --runs N PROGRAM.py
With several ranks, all but what NCCL's watchdog thread does by real time: it asks whether work is done, and nothing else."""
import argparse
import difflib
import json
import pathlib
import shutil
import sys
import tempfile

from program_header import read_header
from run_programs import add_packages, command_of
from simulated import Tools


def run(tools, build, python, program, trace):
    header = read_header(program)
    add_packages(build, header)
    done = tools.record(command_of(python, program, header), trace, header.options, header.environment, header.timeout_s)
    if done.returncode:
        sys.exit(f"{done.stdout}\n{program.name} ended with {done.returncode}")
    traces = [trace] if header.ranks == 1 else sorted(trace.iterdir())
    texts = [tools.stat_text(each, header.warmup) for each in traces]
    shutil.rmtree(trace) if trace.is_dir() else trace.unlink()
    return texts[0] if header.ranks == 1 else "".join(without_watchdog(text) for text in texts)


def without_watchdog(text):
    stat = json.loads(text)
    if not stat["times_repeatable"]:
        sys.exit("times_repeatable is false")
    for name in ("cudaEventQuery", "cudaStreamQuery"):
        stat["calls"].pop(name, None)
    del stat["background"]
    # The watchdog is the thread that works for no step; how often it asks, and when last, is not repeatable.
    stat["threads"] = [thread for thread in stat["threads"] if thread["role"] not in ("background", "outside")]
    return json.dumps(stat, indent=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("program", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "run.zstall")  # the same name each time: it is in the output
        texts = [run(Tools(options.build), options.build, options.python, options.program, trace)
                 for _ in range(options.runs)]
    for number, text in enumerate(texts):
        if text != texts[0]:
            lines = [each.splitlines() for each in (texts[0], text)]
            difference = difflib.unified_diff(*lines, "run 0", f"run {number}", n=1, lineterm="")
            print(*list(difference)[:60], sep="\n")
            sys.exit(f"run {number} of {options.runs} differs from run 0")
    print(f"{options.runs} runs of {options.program.name}: the same {len(texts[0])} bytes")


if __name__ == "__main__":
    main()
