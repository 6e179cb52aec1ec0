"""What recording costs a PyTorch training step on the simulated GPU, against its limits and against PyTorch's own profiler:
torch_bench.py --build BUILD [--python PYTHON]. CPU time of the whole process per step, all threads, in turns. Two processes of the
same program differ by some percent for as long as they live (where the system put what): so the figure is the median of several
rounds with fresh processes, and a second process without tracer shows what the measurement is worth."""
import argparse
import os
import pathlib
import statistics
import sys

from turns import VARIANTS, Subject, Table, in_turns, new_folder

LIMIT_PERCENT = {"callbacks": 3, "activity": 8}
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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--python", help="default: that of BUILD/venv")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--variants", nargs="+", default=["plain", "plain again", *list(VARIANTS)[1:], "kineto", "kineto_cpu"])
    options = parser.parse_args()
    python = options.python or f"{options.build}/venv/bin/python"
    if not os.path.exists(python):
        print(f"no {python}: the step of PyTorch is not measured")
        return
    script = str(pathlib.Path(__file__).with_name("torch_step.py"))
    rounds = [one_round(options, python, script) for _ in range(options.rounds)]
    table = Table()
    table.row("PyTorch transformer step, without tracer", statistics.median(r["plain"] for r in rounds) / STEPS / 1e6, "ms")
    percent = {}
    for name in options.variants[1:]:
        more = sorted(100 * (r[name] / r["plain"] - 1) for r in rounds)
        percent[name] = statistics.median(more)
        what = {"kineto": "PyTorch's profiler, CUDA activity", "kineto_cpu": "PyTorch's profiler, CPU and CUDA activity",
                "plain again": "nothing: another such process"}
        table.row(f"   more with {what.get(name, 'the tracer, ' + name)}", percent[name], "%", LIMIT_PERCENT.get(name),
                  f"(rounds: {more[0]:.1f} to {more[-1]:.1f})")
    if {"activity", "kineto"} <= percent.keys():
        table.row("   the tracer with GPU activity, against PyTorch's profiler", percent["activity"] / percent["kineto"], "x", 1)
    sys.exit(1 if table.over else 0)


if __name__ == "__main__":
    main()
