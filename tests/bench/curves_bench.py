"""How cost grows with events, steps, ranks and threads: curves_bench.py --build BUILD [PART...]
Parts: events (native traces of 10^4 to 10^7 CUDA events), steps (10 to 10^5 of 25 events), ranks (folders of 1 to 256 traces), threads
(1 to 16 that call at once, traced). Each figure is the cost of one unit; CPU time on one core, without what a process costs that
reads nothing."""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess

from figures import Table
from processes import measured, start_of_program
from turns import Subject, in_turns, median_difference, new_folder

CORES = sorted(os.sched_getaffinity(0))
LAUNCHES_OF_SHORT_STEP = 10
RANK_EVENTS = 20_000


def make(options, events, path, *launches):
    made = subprocess.run([f"{options.build}/tests/bench/make_cuda_trace", str(events), path, *map(str, launches)], check=True,
                          stdout=subprocess.PIPE, text=True)
    return json.loads(made.stdout)


def stat(options, path, turns):
    """(CPU s without the start, peak MiB, what it says) of the quickest."""
    runs = [measured([f"{options.build}/bin/zerostall", "stat", "--json", path], (0, 3), preexec_fn=lambda: os.sched_setaffinity(0, CORES[-1:]))
            for _ in range(turns)]
    start = statistics.median(start_of_program(options.build) for _ in range(5))
    _, cpu, peak, out = min(runs, key=lambda run: run[1])
    return max(cpu - start, 1e-6), peak, json.loads(out)


def turns_for(events):
    return 3 if events >= 1_000_000 else 7


def events(options, table):
    with new_folder() as folder:
        for power in (4, 5, 6, 7):
            made = make(options, 10**power, f"{folder}/run.zstall")
            cpu, peak, found = stat(options, f"{folder}/run.zstall", turns_for(10**power))
            assert len(found["steps"]) == made["steps"], "steps are missing"
            n = made["events"]
            table.figure(f"curves.events.1e{power}", f"zerostall stat, native trace of 10^{power} events: per event", 1e9 * cpu / n, "ns",
                         f"{cpu:.3f} s", curve=("events: zerostall stat of a native trace", n))
            table.figure(f"curves.events.1e{power}.memory", "   peak memory per event", peak * 2**20 / n, "B", f"{peak:.0f} MiB",
                         curve=("events: peak memory of zerostall stat", n))


def steps(options, table):
    with new_folder() as folder:
        for power in (2, 3, 4, 5):
            made = make(options, 23 * 10**power, f"{folder}/run.zstall", LAUNCHES_OF_SHORT_STEP)
            cpu, _, found = stat(options, f"{folder}/run.zstall", turns_for(23 * 10**power))
            assert len(found["steps"]) == made["steps"], "steps are missing"
            table.figure(f"curves.steps.1e{power}", f"zerostall stat, 10^{power} steps of 10 launches: per step", 1e6 * cpu / made["steps"], "us",
                         f"{cpu:.3f} s", curve=("steps: zerostall stat, 10 launches a step", made["steps"]))


def ranks(options, table):
    with new_folder() as folder:
        make(options, RANK_EVENTS, f"{folder}/one.zstall")
        job = pathlib.Path(folder, "job.zstall")
        job.mkdir()
        for count in (1, 4, 16, 64, 256):
            for rank in range(count):
                shutil.copyfile(f"{folder}/one.zstall", job / f"{rank:03}.zstall")
            cpu, peak, found = stat(options, str(job), 3)
            assert count == 1 or len(found["processes"]) == count, "ranks are missing"
            table.figure(f"curves.ranks.{count}", f"zerostall stat, {count} ranks of {RANK_EVENTS:,} events: per rank", 1e3 * cpu / count, "ms",
                         f"{cpu:.2f} s, peak {peak:.0f} MiB", curve=("ranks: zerostall stat of a folder", count))


def threads(options, table):
    """What the tracer adds to a launch, by the number of threads that call at once."""
    per_thread = 40_000
    with new_folder() as folder:
        for count in (1, 2, 4, 8, 16):
            subjects = [Subject([f"{options.build}/tests/bench/tracer_bench_subject"], options.build, v, folder) for v in ("plain", "activity")]
            line = f"launch {per_thread} {count}"
            in_turns(subjects, line, 1)
            answers = {name: [own / (per_thread * count) for own, _, _ in a] for name, a in in_turns(subjects, line, 7).items()}
            for s in subjects:
                s.end()
            more = median_difference(answers["activity"], answers["plain"])
            # All of a launch, not what is more: a difference of two noisy times has no exponent.
            table.figure(f"curves.threads.{count}", f"a traced launch, {count} threads at once", statistics.median(answers["activity"]), "ns",
                         f"{more:.0f} of it by the tracer", curve=("threads: CPU time of a traced launch", count))


PARTS = {"events": events, "steps": steps, "ranks": ranks, "threads": threads}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("parts", nargs="*", default=list(PARTS), metavar="PART")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    if unknown := [part for part in options.parts if part not in PARTS]:
        parser.error(f"no part '{unknown[0]}': {', '.join(PARTS)}")
    table = Table()
    for part in options.parts:
        PARTS[part](options, table)


if __name__ == "__main__":
    main()
