"""What commands take for a trace of 1 M CUDA events (calls and GPU work), whole processes: programs_bench.py --build BUILD
No limits are stated for these; they are told so that a slow one is seen."""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys

from figures import Table
from processes import measured
from turns import new_folder

EVENTS, TURNS, COMMITS = 1_000_000, 3, 200


def commands_of(program, trace, folder):
    """{name: (in words, command, allowed exit codes, file that it writes)}"""
    found = {"stat": ("stat", [program, "stat", trace], (0,), None),
             "stat-json": ("stat --json", [program, "stat", "--json", trace], (0,), None),
             "stacks": ("stat --stacks", [program, "stat", "--stacks", trace], (0,), None),
             "diff": ("diff of two", [program, "diff", trace, trace], (0,), None),
             "check": ("check --max waits=0", [program, "check", "--max", "waits=0", trace], (1,), None)}
    for name in ("perfetto", "chrome", "csv", "json"):
        out = f"{folder}/out.{name}"
        found[f"export-{name}"] = (f"export --format {name}", [program, "export", "--format", name, "-o", out, trace], (0,), out)
    return found


def commands(options, table, folder):
    trace = f"{folder}/run.zstall"
    subprocess.run([f"{options.build}/tests/bench/make_cuda_trace", str(EVENTS), trace], check=True, stdout=subprocess.DEVNULL)
    table.figure("programs.trace", "trace file per CUDA event", os.stat(trace).st_size / EVENTS, "B")
    for name, (what, command, allowed, out) in commands_of(f"{options.build}/bin/zerostall", trace, folder).items():
        runs = [measured(command, allowed, cwd=folder) for _ in range(TURNS)]
        size = f"; {os.stat(out).st_size / 1e6:.1f} MB" if out else ""
        table.figure(f"programs.{name}", what, statistics.median(r[0] for r in runs), "s",
                     f"CPU time {statistics.median(r[1] for r in runs):.2f} s{size}")
        table.figure(f"programs.{name}.memory", f"   {what}: peak memory", max(r[2] for r in runs), "MiB")
        if out:
            os.unlink(out)


def history(options, table, folder):
    program, trace, database = f"{options.build}/bin/zerostall", f"{folder}/small.zstall", f"{folder}/history.sqlite"
    subprocess.run([f"{options.build}/tests/bench/make_cuda_trace", "10000", trace], check=True, stdout=subprocess.DEVNULL)
    added = [measured([program, "history", "add", trace, "--db", database, "--commit", f"{n:040x}", "--branch", "main"], cwd=folder)[0]
             for n in range(COMMITS)]
    table.figure("programs.history-add", "history add, a trace of 10,000 events", 1e3 * statistics.median(added[-20:]), "ms",
                 f"the first 20 of {COMMITS} commits {1e3 * statistics.median(added[:20]):.0f}")
    shown = [measured([program, "history", "show", "--db", database], cwd=folder)[0] for _ in range(TURNS)]
    table.figure("programs.history-show", f"history show, {COMMITS} commits", 1e3 * statistics.median(shown), "ms")


def starts(options, table, folder):
    """A process that does nothing, by itself and recorded."""
    program = f"{options.build}/bin/zerostall"
    plain = statistics.median(measured(["/bin/true"])[0] for _ in range(20))
    record = [program, "record", "--device", "sim", "--quiet", "-o", f"{folder}/nothing.zstall", "--", "/bin/true"]
    recorded = statistics.median(measured(record, (0, 3), stderr=subprocess.DEVNULL, cwd=folder)[0] for _ in range(20))
    table.figure("programs.start", "zerostall --version", 1e3 * statistics.median(measured([program, "--version"])[0] for _ in range(20)), "ms")
    table.figure("programs.record", "record --device sim -- true: more than true alone", 1e3 * (recorded - plain), "ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    if not pathlib.Path(options.build, "bin/zerostall").exists():
        sys.exit(f"no {options.build}/bin/zerostall")
    table = Table()
    with new_folder() as folder:
        commands(options, table, folder)
        history(options, table, folder)
        starts(options, table, folder)


if __name__ == "__main__":
    main()
