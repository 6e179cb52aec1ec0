"""How fast traces of PyTorch's profiler are read, against what the libraries alone can do in the same run:
import_bench.py --build BUILD [PART...]
Parts: rates (one core, then two), start (a 26 MB file at once), growth (10^4 to 10^7 events), big (1.56 GB, 300 steps; wants 2.3 GB
of disk), huge (10 GB of JSON, compressed: a minute; not among the default ones). A ratio below 1 holds. Exits 1 if an answer is wrong. Times of one core are CPU time; of what is measured several times the median counts."""
import argparse
import json
import os
import statistics
import subprocess
import sys

from import_files import corpus, expanded, repeated, wrong_answers
from figures import Table
from processes import measured, start_of_program
from turns import new_folder

SHORT_EVENTS, LONG_STRINGS, MOST_WAITS = "hta-many-syncs-graphs.json.gz", "kineto-resnet50-6steps.json.gz", "sam-fast-6907-syncs.json.gz"
PRETTY_PRINTED = "tracelens-h100-timesformer.json.gz"
RATES = {"many-syncs": SHORT_EVENTS, "resnet50": LONG_STRINGS, "sam": MOST_WAITS, "pretty": PRETTY_PRINTED}
FEWEST_EVENTS = "torchrec-rank0.json.gz"
CORES = sorted(os.sched_getaffinity(0))


class Reader:
    """A program that does with one file what it is told and takes the time."""

    def __init__(self, build, path, cores):
        self.process = subprocess.Popen([f"{build}/tests/bench/import_bench", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, preexec_fn=lambda: os.sched_setaffinity(0, CORES[-cores:]))

    def ask(self, line):
        """(CPU s, wall s, events or bytes, bytes of JSON)"""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if not answer:
            sys.exit(f"import_bench ended with exit code {self.process.wait()}")
        return int(answer[0]) / 1e9, int(answer[1]) / 1e9, int(answer[2]), int(answer[3])

    def rates(self, lines, turns, clock=0):
        """{line: MB of JSON per second}, asked in turns."""
        seconds = {line: [] for line in lines}
        size = 0
        for turn in range(turns + 1):
            for line in lines:
                answer = self.ask(line)
                size = answer[3]
                if turn:  # the first one meets cold memory
                    seconds[line].append(answer[clock])
        return {line: size / 1e6 / statistics.median(s) for line, s in seconds.items()}

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def rates(options, table):
    with new_folder() as folder:
        for id, name in RATES.items():
            plain, packed = Reader(options.build, expanded(name, folder), 1), Reader(options.build, corpus(name), 1)
            print(f"{name}, one core")
            one = plain.rates(["on-demand", "ours 1"], options.turns)
            table.figure(f"import.{id}.on-demand", f"{short(name)}: simdjson on-demand, name, ts, dur, cat of each event", one["on-demand"], "MB/s")
            table.figure(f"import.{id}.json", f"{short(name)}: JSON to finished trace, of simdjson on-demand", one["ours 1"] / one["on-demand"],
                         "x", f"{one['ours 1']:.0f} MB/s")
            alone = packed.rates(["libdeflate", "zlib", "zlib-stream", "isal", "isal-stream"], options.turns)
            for what, line in (("libdeflate, whole", "libdeflate"), ("zlib, whole", "zlib"), ("zlib, in pieces", "zlib-stream"),
                               ("ISA-L, whole", "isal"), ("ISA-L, in pieces", "isal-stream")):
                table.figure(f"import.{id}.{line}", f"{short(name)}: {what}", alone[line], "MB/s")
            one = packed.rates(["expand-and-parse", "ours 1"], options.turns)
            table.figure(f"import.{id}.expand-and-parse", f"{short(name)}: libdeflate, then on-demand", one["expand-and-parse"], "MB/s")
            table.figure(f"import.{id}.gz", f"{short(name)}: .json.gz to finished trace, of expand, then on-demand",
                         one["ours 1"] / one["expand-and-parse"], "x", f"{one['ours 1']:.0f} MB/s")
            plain.end(), packed.end()
            if len(CORES) > 1:
                two_cores(options, table, id, name, folder)


def short(name):
    return name.removesuffix(".json.gz")


def two_cores(options, table, id, name, folder):
    """Wall time; the gain is told, not judged."""
    for what, path in (("JSON", expanded(name, folder)), (".json.gz", corpus(name))):
        reader = Reader(options.build, path, 2)
        two = reader.rates(["ours 1", "ours 2"], options.turns, clock=1)
        table.figure(f"import.{id}.two-cores{'-gz' * (what != 'JSON')}", f"{short(name)}: {what} to finished trace, two cores over one",
                     two["ours 2"] / two["ours 1"], "x", f"{two['ours 2']:.0f} MB/s")
        reader.end()


def stat(options, path, cores=2):
    """(what `zerostall stat --json` says, wall s, CPU s, peak MiB) of a whole process."""
    wall, cpu, peak, out = measured([f"{options.build}/bin/zerostall", "stat", "--json", path], (0, 3),
                                    preexec_fn=lambda: os.sched_setaffinity(0, CORES[-cores:]))
    return json.loads(out), wall, cpu, peak


def judge_answer(found, right):
    """Ends the program where it is wrong."""
    if wrong := wrong_answers(found, right):
        sys.exit("the answer is wrong: " + "; ".join(wrong))
    print(f"   the answer is right: {right['steps']} steps, {sum(right['calls'].values())} calls, {sum(right['copies'].values())} copies")


def start(options, table):
    with new_folder() as folder:
        for what, path in (("JSON", expanded(SHORT_EVENTS, folder)), (".json.gz", corpus(SHORT_EVENTS))):
            runs = [stat(options, path) for _ in range(options.turns)]
            table.figure(f"import.start.{what.split('.')[-1].lower()}", f"zerostall stat, 26 MB of JSON ({what}), whole process",
                         1e3 * statistics.median(r[1] for r in runs), "ms", f"fastest {1e3 * min(r[1] for r in runs):.0f}")


def growth(options, table):
    with new_folder() as folder:
        per_event = {}
        for power in (4, 5, 6, 7):
            path, right = repeated(options.build, FEWEST_EVENTS, f"{folder}/growth.json", "--events", 10**power)
            runs = [stat(options, path, 1) for _ in range({4: 30, 5: 10, 6: 5, 7: 3}[power])]
            nothing = statistics.median(start_of_program(options.build) for _ in range(10))
            seconds = min(r[2] for r in runs) - nothing
            per_event[power] = 1e9 * seconds / right["events"]
            megabytes, peak = right["bytes"] / 1e6, max(r[3] for r in runs)
            table.figure(f"import.events.1e{power}", f"zerostall stat, JSON of 10^{power} events, one core: CPU time per event", per_event[power], "ns",
                         f"{seconds:.3f} s", curve=("events: zerostall stat of JSON, one core", right["events"]))
            table.figure(f"import.bytes.1e{power}", "   per MB of file", 1e3 * seconds / megabytes, "ms", f"{megabytes:.1f} MB",
                         curve=("file size (MB): zerostall stat of JSON, one core", megabytes))
            table.figure(f"import.peak.1e{power}", "   peak memory per MB of file", peak / megabytes, "MiB", f"{peak:.0f} MiB",
                         curve=("file size (MB): peak memory of zerostall stat of JSON", megabytes))
            judge_answer(runs[0][0], right)
        # What a process costs besides its events is seen in the smallest alone: it is no growth.
        table.figure("import.growth", "time per event at 10^7 over the least at 10^4 to 10^6",
                     per_event[7] / min(per_event[power] for power in per_event if power < 7), "x")


def big(options, table):
    with new_folder() as folder:
        path, right = repeated(options.build, SHORT_EVENTS, f"{folder}/big.json", "--events", 6_500_000, "--steps", 300)
        what = f"zerostall stat, {right['bytes'] / 1e9:.3f} GB, {right['events'] / 1e6:.1f} M events, {right['steps']} steps"
        for cores in (1, 2)[:len(CORES)]:
            found, wall, cpu, peak = stat(options, path, cores)
            id = "import.big" if cores == min(2, len(CORES)) else "import.big.one-core"
            table.figure(id, f"{what}, {cores} core" + "s" * (cores > 1), wall, "s", f"CPU time {cpu:.2f} s")
            table.figure(f"{id}.memory", f"   {right['bytes'] / 1e9:.3f} GB, {cores} core" + "s" * (cores > 1) + ": peak memory", peak, "MiB")
            judge_answer(found, right)


def huge(options, table):
    with new_folder() as folder:
        path, right = repeated(options.build, SHORT_EVENTS, f"{folder}/huge.json.gz", "--events", 42_000_000, "--gzip")
        found, wall, cpu, peak = stat(options, path)
        table.figure("import.huge", f"zerostall stat, {right['bytes'] / 1e9:.2f} GB of JSON, compressed", wall, "s", f"CPU time {cpu:.2f} s")
        table.figure("import.huge.memory", f"   {right['bytes'] / 1e9:.2f} GB: peak memory", peak, "MiB")
        judge_answer(found, right)


PARTS = {"rates": rates, "start": start, "growth": growth, "big": big, "huge": huge}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("parts", nargs="*", default=["rates", "start", "growth", "big"], metavar="PART")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    table = Table()
    if unknown := [part for part in options.parts if part not in PARTS]:
        parser.error(f"no part '{unknown[0]}': {', '.join(PARTS)}")
    for part in options.parts:
        PARTS[part](options, table)


if __name__ == "__main__":
    main()
