"""What recording costs a PyTorch training step on the simulated GPU, against its limits and against PyTorch's own profiler:
torch_bench.py --build BUILD [--python PYTHON]. CPU time, all threads.

Two processes of the same program differ by several percent for as long as they live (where the system put what; the row "another
such process" shows it). So the tracer's cost is taken within one process: it records a few steps (between cudaProfilerStart and
cudaProfilerStop), then does not for as many, in turns; to the difference comes what its own threads take all the time. A few
fresh processes, and the median over all their turns. PyTorch's profiler cannot be switched like that without starting anew: it
is measured between processes, and so is the tracer once more, for comparison with it."""
import argparse
import os
import pathlib
import statistics
import sys

from figures import Table
from turns import VARIANTS, Subject, in_turns, new_folder

STEPS = 4  # of one turn


def per_turn(answers):
    """CPU time from one answer to the next: what other threads did between two turns counts."""
    totals = [a[0] for a in answers]
    return [b - a for a, b in zip(totals, totals[1:])]


def one_round(options, python, script):
    """{variant: CPU time of a turn}, of processes of its own."""
    with new_folder() as folder:
        subjects = [Subject([python, "-B", script] + ([v] if v.startswith("kineto") else []), options.build, v, folder,
                            PYTHONHASHSEED="0") for v in options.variants]
        in_turns(subjects, f"step {STEPS}", 3)
        answers = in_turns(subjects, f"step {STEPS}", options.turns)
        for s in subjects:
            s.end()
    return {name: statistics.median(per_turn(a)) for name, a in answers.items()}


def within_process(options, python, script, variant):
    """What recording adds to the CPU time of the steps, in percent: [(figure of each turn), ...], and the tracer's own threads."""
    more, helpers, total = [], 0, 0
    for _ in range(options.processes):
        with new_folder() as folder:
            subject = Subject([python, "-B", script], options.build, variant, folder, PYTHONHASHSEED="0", ZEROSTALL_TRACE_WINDOW="profiler")
            for _ in range(6):
                subject.ask("step 4 on"), subject.ask("step 4 off")
            first, turns = subject.ask(f"step {STEPS} off"), []
            for turn in range(options.pairs):
                steps = {}
                for state in ("on", "off") if turn % 2 else ("off", "on"):
                    _, _, process, own_threads = subject.ask(f"step {STEPS} {state}")
                    steps[state] = process - own_threads
                turns.append(steps)
            last = subject.ask(f"step {STEPS} off")
            subject.end()
        usual = statistics.median(t["off"] for t in turns)
        more += [100 * (t["on"] - t["off"]) / usual for t in turns]
        helpers, total = helpers + last[1] - first[1], total + last[0] - first[0]
    return more, 100 * helpers / total


def tell_within_process(options, python, script, table):
    for variant in ("callbacks", "activity"):
        more, threads = within_process(options, python, script, variant)
        error = 1.25 * statistics.stdev(more) / len(more) ** 0.5  # of a median
        table.figure(f"torch.{variant}", f"   more while the tracer records, {variant}", statistics.median(more) + threads, "%",
                     f"+- {error:.1f}; {threads:.1f} of it in the tracer's own threads")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--python", help="default: that of BUILD/venv")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--pairs", type=int, default=200, help="of turns with and without recording, in each process")
    parser.add_argument("--variants", nargs="+", default=["plain", "plain again", *list(VARIANTS)[1:], "kineto", "kineto_cpu"])
    options = parser.parse_args()
    python = options.python or f"{options.build}/venv/bin/python"
    if not os.path.exists(python):
        print(f"no {python}: the step of PyTorch is not measured")
        sys.exit(77)
    script = str(pathlib.Path(__file__).with_name("torch_step.py"))
    rounds = [one_round(options, python, script) for _ in range(options.rounds)]
    table = Table()
    table.figure("torch.plain", "PyTorch transformer step, without tracer", statistics.median(r["plain"] for r in rounds) / STEPS / 1e6, "ms")
    tell_within_process(options, python, script, table)
    percent = {}
    for name in options.variants[1:]:
        more = sorted(100 * (r[name] / r["plain"] - 1) for r in rounds)
        percent[name] = statistics.median(more)
        what = {"kineto": "PyTorch's profiler, CUDA activity", "kineto_cpu": "PyTorch's profiler, CPU and CUDA activity",
                "plain again": "nothing: another such process"}
        table.figure(f"torch.processes.{name.replace(' ', '-')}", f"   more with {what.get(name, 'the tracer, ' + name + ', between processes')}",
                     percent[name], "%", f"rounds: {more[0]:.1f} to {more[-1]:.1f}")
    if {"activity", "kineto"} <= percent.keys() and min(percent["activity"], percent["kineto"]) <= 0:
        print("   too noisy to compare the tracer with PyTorch's profiler: one of them took less than nothing")
    elif {"activity", "kineto"} <= percent.keys():
        table.figure("torch.of_profiler", "   the tracer with GPU activity, against PyTorch's profiler", percent["activity"] / percent["kineto"], "x")


if __name__ == "__main__":
    main()
