"""What a program of programs/ says of itself, in lines that start with '# KEY: ' (in its docstring or below):

expect: COUNTER=VALUE[,VALUE...] ...   each judged step has one of these values (counters of `zerostall stat --json`)
expect-cycle: COUNTER=VALUE,... ...    the value by the number of the step; after the last the first again
expect-calls: FUNCTION=COUNT ...       calls in the whole run
expect-totals: COUNTER=VALUE ...       over the whole run, steps or not, all threads
warmup: N                              first steps that are not judged (default 2)
needs: MODULE ...                      packages without which it is skipped
torch: >=VERSION (WHY)                 skipped with other versions of torch
unsupported: FUNCTION ...              calls it makes that the simulated GPU does not implement
options: OPTION ...                    of `zerostall record`
environment: NAME=VALUE ...
profiler: no (WHY)                     not compared with PyTorch's profiler
tracer: no                             it uses PyTorch's own profiler; only one can subscribe
label: full                            too slow for every change (default: quick)
timeout: SECONDS                       (default 120)
"""
import re
from dataclasses import dataclass, field


@dataclass
class Header:
    expect: dict = field(default_factory=dict)  # counter -> list of values
    cycle: dict = field(default_factory=dict)  # counter -> list of values, by the number of the step
    calls: dict = field(default_factory=dict)  # function -> count
    totals: dict = field(default_factory=dict)  # counter -> value
    warmup: int = 2
    needs: list = field(default_factory=list)
    torch: str = ">=2.0"
    unsupported: list = field(default_factory=list)
    options: list = field(default_factory=list)
    environment: dict = field(default_factory=dict)
    ranks: int = 1  # processes, each with a GPU: 2 in the folder programs_2ranks
    tracer: bool = True
    profiler: bool = True
    label: str = "quick"
    timeout_s: int = 120


def pairs(text):
    return dict(pair.split("=", 1) for pair in text.split())


def numbers(text):
    return [int(value) for value in text.split(",")]


READERS = {
    "expect": lambda h, text: h.expect.update({key: numbers(values) for key, values in pairs(text).items()}),
    "expect-cycle": lambda h, text: h.cycle.update({key: numbers(values) for key, values in pairs(text).items()}),
    "expect-calls": lambda h, text: h.calls.update({key: int(value) for key, value in pairs(text).items()}),
    "expect-totals": lambda h, text: h.totals.update({key: int(value) for key, value in pairs(text).items()}),
    "warmup": lambda h, text: setattr(h, "warmup", int(text)),
    "needs": lambda h, text: h.needs.extend(text.split()),
    "torch": lambda h, text: setattr(h, "torch", text.split()[0]),
    "unsupported": lambda h, text: h.unsupported.extend(text.split()),
    "options": lambda h, text: h.options.extend(text.split()),
    "environment": lambda h, text: h.environment.update(pairs(text)),
    "tracer": lambda h, text: setattr(h, "tracer", text != "no"),
    "profiler": lambda h, text: setattr(h, "profiler", not text.startswith("no")),
    "label": lambda h, text: setattr(h, "label", text),
    "timeout": lambda h, text: setattr(h, "timeout_s", int(text)),
}


def read_header(path):
    """Raises KeyError for a key that means nothing. A file PROGRAM.values.json beside it is for --sim-values."""
    header = Header()
    if path.parent.name == "programs_2ranks":
        header.ranks = 2
        header.options.extend(["--gpus", "2"])
    if (values := path.with_suffix(".values.json")).exists():
        header.options.extend(["--sim-values", str(values)])
    for key, text in re.findall(r"^# ([a-z-]+): (.*)$", path.read_text(), re.MULTILINE):
        READERS[key](header, text.strip())
    return header
