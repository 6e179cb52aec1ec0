"""Records unmodified PyTorch programs on one device and keeps what `zerostall stat --json` says of each:

    run_both.py --build BUILD --python PYTHON --device gpu|sim --out FOLDER --budget SECONDS [--jobs N] PROGRAM.py...

Writes FOLDER/PROGRAM.json. Prints a line per program. Programs that there is no time left for are named, and so are those
that failed; exits 1 then.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "pytorch"))
from program_header import read_header  # noqa: E402
from run_programs import add_packages  # noqa: E402
from simulated import Tools  # noqa: E402

FILL_THE_GPU = ("out_of_memory",)
ONLY_SIMULATED = ("--sim-values", "--gpus", "--host-clock", "--seed")


def options_for(device, header):
    """A real GPU computes its values itself: what supplies them to the simulated one is left out there."""
    if device.startswith("sim"):
        return header.options
    left, options = list(header.options), []
    while left:
        option = left.pop(0)
        if option in ONLY_SIMULATED:
            left.pop(0)
        else:
            options.append(option)
    return options


def why_left_out(python, program, header):
    """Where counts cannot be compared; empty for most programs."""
    if not header.tracer:
        return "uses PyTorch's own profiler"
    if program.stem in FILL_THE_GPU:
        return "fills the memory that other programs need at the same time"
    missing = ("import importlib.util, sys; sys.exit(any(importlib.util.find_spec(m) is None for m in sys.argv[1:]))")
    if header.needs and subprocess.run([python, "-c", missing, *header.needs],
                                       env={**os.environ, **header.environment}).returncode:
        return "needs packages that are not here: " + ", ".join(header.needs)
    return ""


def run_one(tools, options, program, deadline):
    header = read_header(program)
    add_packages(options.build, header)
    if why := why_left_out(options.python, program, header):
        return program, f"left out: {why}", True
    left = deadline - time.monotonic()
    if left < 5:
        return program, "NOT RUN: no time left", False
    trace = options.out / f"{program.stem}.zstall"
    begin = time.monotonic()
    try:
        done = tools.record([options.python, program], trace, options_for(options.device, header), header.environment,
                            min(left, header.timeout_s))
    except subprocess.TimeoutExpired:
        return program, f"NOT FINISHED within {min(left, header.timeout_s):.0f} s", False
    (options.out / f"{program.stem}.log").write_text(done.stdout)
    if done.returncode or not trace.exists():
        last = done.stdout.strip().splitlines()[-1:]
        return program, f"FAILED with exit code {done.returncode}: {' '.join(last)}", False
    stat = tools.stat(trace, header.warmup)
    (options.out / f"{program.stem}.json").write_text(json.dumps(stat))
    trace.unlink()
    return program, f"ran in {time.monotonic() - begin:.1f} s", True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--budget", type=float, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + options.budget
    tools = Tools(options.build, options.device)
    all_well = True
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for program, text, well in pool.map(lambda p: run_one(tools, options, p, deadline), options.programs):
            print(f"{program.stem}: {text}", flush=True)
            all_well = all_well and well
    sys.exit(not all_well)


if __name__ == "__main__":
    main()
