"""zerostall counts, per training step, how often the host waits for the GPU; on a simulated GPU too, where there is none.

In a training script (costs next to nothing unless the script runs under `zerostall record -- python train.py`):

    for batch in zerostall.steps(loader):      each turn is a step; else mark(), step()
    with zerostall.region("validate"):         waits in it are told apart
    with zerostall.no_waits():                 raises WaitError with the line that waits
    with zerostall.allow_waits("why"):         these are meant; `zerostall check` says so

From outside: `record(["python", "train.py"], device="sim")` runs a program and gives a `Run`, `load(path)` reads a trace, of
torch.profiler and Nsight Systems too. In tests: the fixture `zerostall_run` (zerostall.pytest_plugin). Steps of
Lightning, Accelerate and Transformers: zerostall.integrations. The program: `zerostall --help`, or python -m zerostall.
"""
from typing import TYPE_CHECKING, Any

from ._marks import is_traced, mark, region, step, steps

if TYPE_CHECKING:
    from ._record import RecordError, load, record
    from ._run import Copy, Run, Site, Spread, Step
    from ._watch import Frame, WaitCall, WaitError, allow_waits, no_waits

# Imported when they are asked for: a training script that only marks its steps starts no later for it.
_WHERE = {"allow_waits": "_watch", "no_waits": "_watch", "Frame": "_watch", "WaitCall": "_watch", "WaitError": "_watch",
          "record": "_record", "load": "_record", "RecordError": "_record",
          "Run": "_run", "Step": "_run", "Site": "_run", "Spread": "_run", "Copy": "_run"}

# Spelled out for tools that read it and do not run it; the same names as above (tests/python).
__all__ = ["is_traced", "mark", "region", "step", "steps", "allow_waits", "no_waits", "Frame", "WaitCall", "WaitError",
           "record", "load", "RecordError", "Run", "Step", "Site", "Spread", "Copy", "__version__"]


def __getattr__(name: str) -> Any:
    import importlib
    if name == "__version__":
        from importlib.metadata import version
        value: Any = version("zerostall")
    elif name in _WHERE:
        value = getattr(importlib.import_module(f".{_WHERE[name]}", __name__), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list:
    return sorted({*globals(), *__all__})
