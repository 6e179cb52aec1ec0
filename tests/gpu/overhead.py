"""What the tracer costs on training steps: runs with and without it, in turn, so that a machine that grows warm or busy
meets both alike.

    overhead.py --build BUILD --python PYTHON --device gpu|sim --out FOLDER [--pairs N] [--steps N] [--budget SECONDS]

Prints a line per way of tracing: the median step with and without, and the ratio (median of the pairs' ratios). Ratios are
of times measured on the host; on the simulated GPU they tell the tracer's CPU time against PyTorch's, nothing of a GPU.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

STEPS = pathlib.Path(__file__).with_name("train_steps.py")
WARMUP = 3  # steps that load code and fill the allocator
# What is recorded, as the tracer is told (profiler/tracer/settings.h).
WAYS = {
    "counts only": {"ZEROSTALL_TRACE_GPU": "off", "ZEROSTALL_TRACE_STACKS": "none"},
    "with GPU records": {"ZEROSTALL_TRACE_STACKS": "none"},
    "with GPU records and stacks of waits": {"ZEROSTALL_TRACE_STACKS": "waits"},
}


def step_times(text):
    """Milliseconds of each step, from the last line of the program's output that holds them."""
    for line in reversed(text.splitlines()):
        if line.startswith('{"step_ms"'):
            return json.loads(line)["step_ms"][WARMUP:]
    raise ValueError(f"no step times in what the program said: {text[-300:]}")


def ratios(pairs):
    """pairs: [(median without, median with)]. (median without, median with, median of ratios, smallest, largest)"""
    each = [with_it / without for without, with_it in pairs]
    return (statistics.median(p[0] for p in pairs), statistics.median(p[1] for p in pairs), statistics.median(each),
            min(each), max(each))


def line_of(way, pairs):
    if not pairs:
        return f"{way}: not measured"
    without, with_it, ratio, low, high = ratios(pairs)
    return (f"{way}: {with_it:.2f} ms a step, {without:.2f} ms without: {100 * (ratio - 1):+.1f} % "
            f"({len(pairs)} pair{'s' if len(pairs) > 1 else ''}, {100 * (low - 1):+.1f} to {100 * (high - 1):+.1f} %)")


def run(command, environment, timeout_s):
    done = subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=timeout_s)
    if done.returncode:
        raise ValueError(f"exit code {done.returncode}: {done.stdout[-300:]}")
    return statistics.median(step_times(done.stdout))


def commands(options):
    """(without the tracer, {way: with it}), as command lines"""
    program = [options.python, STEPS, str(options.steps)]
    record = [pathlib.Path(options.build) / "bin/zerostall", "record", "--quiet", "--device", options.device]
    without = program if options.device == "gpu" else [*record, "--no-tracer", "--", *program]
    ways = {}
    for way in WAYS:
        ways[way] = [*record, "-o", options.out / f"{way.replace(' ', '-')}.zstall", "--", *program]
    return without, ways


def measure(options):
    deadline = time.monotonic() + options.budget
    without, ways = commands(options)
    measured = {way: [] for way in ways}
    for _ in range(options.pairs):
        for way, command in ways.items():
            left = deadline - time.monotonic()
            if left < 10:
                return measured
            try:
                alone = run(without, {}, left)
                measured[way].append((alone, run(command, WAYS[way], max(1.0, deadline - time.monotonic()))))
            except subprocess.TimeoutExpired:
                return measured  # what there is of it: a way without any pair is told as not measured
    return measured


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--budget", type=float, default=120)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    try:
        measured = measure(options)
    except ValueError as problem:
        sys.exit(f"overhead.py: {problem}")
    (options.out / "overhead.json").write_text(json.dumps(measured))
    for way, pairs in measured.items():
        print(line_of(way, pairs))
    sys.exit(not all(measured.values()))


if __name__ == "__main__":
    main()
