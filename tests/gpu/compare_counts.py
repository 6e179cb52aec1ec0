"""Real against simulated: the same programs, recorded on both, count for count.

    compare_counts.py REAL_FOLDER SIMULATED_FOLDER [--first REAL] [--second SIMULATED]

Each folder holds PROGRAM.json files, as `zerostall stat --json` and `zerostall verify --json` print them. Prints a line per
program and count; exits 1 if a count that must not differ does, or a program ran on one side only.
"""
import argparse
import json
import pathlib
import sys

# Whether the host met a busy or an idle GPU: a matter of time, which the simulation models and does not know.
# Pinned memory is taken anew when the GPU is not done with the old: so does PyTorch.
OF_TIME = ("drains", "idle_waits", "queue_full", "spins", "cudaHostAlloc", "cudaEventQuery", "cudaStreamQuery",
           "cuEventQuery", "cuStreamQuery")
NO_RUN = "no run"


def is_of_time(count):
    return any(part in OF_TIME for part in count.replace(":", " ").split())


def spread_counts(prefix, spread):
    """Per judged step: the smallest, usual and largest of each counter, as one text, since a step that differs is a difference."""
    return {f"{prefix} {name}": "{min}/{median}/{max}".format(**values)
            for name, values in spread.items() if values and not name.endswith("_ns")}


def counts_of_stat(stat):
    counts = {f"total: {name}": value for name, value in stat["totals"].items() if not name.endswith("_ns")}
    counts |= {f"outside steps: {name}": value for name, value in stat["outside"].items() if not name.endswith("_ns")}
    counts |= {f"gpu: {name}": value for name, value in stat["gpu_work"].items()}
    counts |= {f"calls: {name}": call["count"] for name, call in stat["calls"].items()}
    counts["steps: judged"] = sum(step["judged"] for step in stat["steps"])
    counts["records: lost"] = stat["lost"]
    return counts | spread_counts("per step:", stat["per_step"])


def counts_of_verify(verify):
    counts = {"verdict": verify["verdict"]}
    for run in verify["runs"]:
        setting = " + ".join(run["fixes"]) or "no fix"
        counts[f"{setting}: steps judged"] = run["steps"]["judged"]
        for region, measured in run["regions"].items():
            counts |= spread_counts(f"{setting}: {region}:", measured["per_step"])
    return counts


def counts_of(document):
    schema = document.get("schema", "")
    if schema.startswith("zerostall/stat/"):
        return counts_of_stat(document)
    if schema.startswith("zerostall/verify/"):
        return counts_of_verify(document)
    raise ValueError(f"neither stat nor verify: schema '{schema}'")


def verdict(count, real, simulated):
    if real == simulated:
        return "ok"
    return "time" if is_of_time(count) and NO_RUN not in (real, simulated) else "DIFF"


def rows_of(program, real, simulated):
    """[(program, count, real, simulated, verdict)]; real or simulated is None where the program left nothing there."""
    if real is None or simulated is None:
        both = [NO_RUN if side is None else "ran" for side in (real, simulated)]
        return [(program, "whole run", *both, "DIFF")]
    left, right = counts_of(real), counts_of(simulated)
    names = list(left) + [name for name in right if name not in left]
    # A function that was never called on one side has no row there.
    return [(program, name, left.get(name, 0), right.get(name, 0),
             "time" if moved_in_time(name, left, right) else verdict(name, left.get(name, 0), right.get(name, 0)))
            for name in names]


def moved_in_time(name, left, right):
    """Differences that follow from when things happened: a wait of another thread that fell between two steps here and into
    one there, and implicit calls that are nothing but the pinned memory above."""
    def difference(count):
        return left.get(count, 0) - right.get(count, 0)
    group, _, counter = name.partition(": ")
    if group not in ("total", "outside steps") or difference(name) == 0:
        return False
    if counter == "implicit":
        return difference("total: implicit") == difference("calls: cudaHostAlloc")  # inside of steps or outside
    return group == "outside steps" and difference(f"total: {counter}") == 0


def read_folder(folder):
    documents = {}
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        try:
            documents[path.stem] = json.loads(path.read_text())
        except ValueError:
            documents[path.stem] = None  # cut off: the program did not come to its end
    return documents


def compare(real, simulated):
    names = sorted(set(real) | set(simulated))
    return [row for name in names for row in rows_of(name, real.get(name), simulated.get(name))]


def table(rows, heads):
    lines = [heads] + [tuple(str(cell) for cell in row) for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def summary(rows):
    differ = [row for row in rows if row[4] == "DIFF"]
    of_time = sum(row[4] == "time" for row in rows)
    programs = len({row[0] for row in rows})
    text = f"{len(rows)} counts of {programs} programs: {len(rows) - len(differ) - of_time} alike, {len(differ)} differ"
    return text + (f", {of_time} differ by the time the GPU took" if of_time else "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("real")
    parser.add_argument("simulated")
    parser.add_argument("--first", default="real", help="heading of the first folder's column")
    parser.add_argument("--second", default="simulated")
    options = parser.parse_args()
    rows = compare(read_folder(options.real), read_folder(options.simulated))
    if not rows:
        sys.exit("compare_counts.py: nothing to compare")
    print(table(rows, ("program", "count", options.first, options.second, "verdict")))
    print(summary(rows))
    sys.exit(any(row[4] == "DIFF" for row in rows))


if __name__ == "__main__":
    main()
