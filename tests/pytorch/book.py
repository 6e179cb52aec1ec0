"""The simulator counts every call in a book of its own, which does not pass through CUPTI: an oracle for the tracer's counts.
`check(tools, trace, book)` compares, for each process of a recording, each function that the tracer records."""
import collections
import json
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parent.parent / "profiler/trace/api_table.cpp"


def recorded_functions():
    names = set(re.findall(r'\{"(_*cu(?:da)?[A-Z]\w+)"', TABLE.read_text()))
    assert len(names) > 100, f"{TABLE} is no longer the table of recorded calls, or looks otherwise"
    return names


def base_name(name):
    """Without what tells versions of CUPTI's names and default streams apart."""
    return re.sub(r"(_v\d{4,8}|_ptsz|_ptds)+$", "", name)


def table_name(name):
    return re.sub(r"_v\d{1,3}$", "", base_name(name))


def summed(counts):
    total = collections.Counter()
    for name, count in counts.items():
        total[base_name(name)] += count
    return total


def differences(stat, log):
    """Of one process: what `zerostall stat --json` says against its log, one line each."""
    recorded = recorded_functions()
    # The book has what the program called: not the driver's call that CUPTI reports within a call of the runtime.
    in_trace = summed({name: call["count"] - call["nested"] for name, call in stat["calls"].items()})
    in_book = summed({name: n for name, n in log["calls"].items() if table_name(name) in recorded})
    return [f"{name}: {in_book[name]} by the simulator's book, {in_trace[name]} in the trace"
            for name in sorted(in_trace | in_book) if in_trace[name] != in_book[name]]


def check(tools, trace, book):
    """trace: file or folder of `zerostall record`; book: the folder that ZEROSTALL_SIM_LOG named. Lines; empty: all agree."""
    first = tools.stat(trace)
    files = {p["pid"]: pathlib.Path(trace, p["file"]) for p in first["processes"]} if pathlib.Path(trace).is_dir() else None
    logs = {int(path.stem): json.loads(path.read_text()) for path in pathlib.Path(book).glob("*.json")}
    if not logs:
        return ["the simulator wrote no book"]
    if files is None:
        if len(logs) != 1:
            return [f"one trace, but books of {len(logs)} processes"]
        return differences(first, *logs.values())
    lines = []
    for pid, log in logs.items():
        if pid not in files:
            if calls := [name for name in log["calls"] if table_name(name) in recorded_functions()]:
                lines.append(f"process {pid} has no trace, but a book: {calls}")
            continue
        lines += [f"process {pid}: {line}" for line in differences(tools.stat(files[pid]), log)]
    # A process that was killed, or left by _exit, wrote no book.
    return lines + [f"process {pid} has a trace, but no book" for pid in files.keys() - logs.keys()
                    if not tools.stat(files[pid])["oddities"]["truncated"]]
