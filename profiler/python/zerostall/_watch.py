"""`no_waits` and `allow_waits`: what a program says of its own waits, while it runs (profiler/tracer/watch.h)."""
from __future__ import annotations

import contextlib
import ctypes
import os
import sysconfig
import threading
import warnings
from dataclasses import dataclass
from typing import Iterator, List, NamedTuple, Optional, Tuple

from . import _marks


class _Call(ctypes.Structure):
    """As zerostall_watched_call of watch.h."""

    _fields_ = [("thread", ctypes.c_uint32), ("python_state", ctypes.c_uint32), ("name", ctypes.c_char * 64),
                ("frames", ctypes.c_char * 4032)]


_local = threading.local()  # .allowed: of this thread's open no_waits blocks, numbers of calls that are let pass
_said = set()


class Frame(NamedTuple):
    """A line of Python. `line` is 0 where it is not known."""

    file: str
    line: int
    function: str


@dataclass(frozen=True)
class WaitCall:
    """A call in which the host waited for the GPU.

    `name`: the CUDA function. `frames`: where Python called it, innermost first; empty for a native thread (autograd's)
    and for a Python that the tracer does not know.
    """

    name: str
    frames: Tuple[Frame, ...]
    own_thread: bool

    @property
    def line(self) -> Optional[Frame]:
        """The innermost frame of the program's own code, else of any; None: there are no frames."""
        return next((frame for frame in self.frames if not _is_library(frame.file)), self.frames[0] if self.frames else None)

    def __str__(self) -> str:
        if self.line is None:
            where = "a line that is not known" if self.own_thread else "another thread (autograd's, of a backward pass?)"
            return f"{self.name} on {where}"
        return f"{_shown(self.line.file)}:{self.line.line} in {self.line.function} ({self.name})"


class WaitError(AssertionError):
    """The host waited for the GPU in a block that said it does not. `calls`: the waits, in order."""

    def __init__(self, calls: List[WaitCall], count: int) -> None:
        self.calls, self.count = calls, count
        shown = "\n".join(f"  {call}" for call in calls[:20])
        more = f"\n  and {count - min(len(calls), 20)} more" if count > min(len(calls), 20) else ""
        super().__init__(f"{count} {'wait' if count == 1 else 'waits'} for the GPU in a no_waits block:\n{shown}{more}\n"
                         "`zerostall explain` tells what to write instead; allow_waits(\"why\") lets a line pass")


def _is_library(file: str) -> bool:
    if "/site-packages/" in file or "/dist-packages/" in file or file.startswith("<"):
        return True
    roots = {sysconfig.get_paths()[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")}
    path = os.path.abspath(file)
    roots.add(os.path.dirname(os.path.abspath(__file__)))
    return any(path.startswith(root + os.sep) for root in roots)


def _shown(file: str) -> str:
    inside = os.path.relpath(file)
    return file if inside.startswith("..") else inside


def _warn_once(text: str) -> None:
    if text not in _said:
        _said.add(text)
        warnings.warn(text, stacklevel=5)


def _tracer() -> Optional[ctypes.CDLL]:
    """zerostall's tracer in this process; None: it is not traced by zerostall."""
    path = os.environ.get("NVTX_INJECTION64_PATH")
    if not path or not os.environ.get("ZEROSTALL_TRACE"):
        return None
    try:
        library = ctypes.CDLL(path)
        library.zerostall_watched.restype = ctypes.c_ulonglong
        library.zerostall_watched_at.argtypes = [ctypes.c_ulonglong, ctypes.POINTER(_Call)]
    except (OSError, AttributeError):  # another tool's, or an older tracer
        return None
    return library


def _frames_of(text: bytes) -> Tuple[Frame, ...]:
    rows = [row.split("\x1f") for row in text.decode(errors="replace").split("\x1e") if row]
    return tuple(Frame(row[0], int(row[1]), row[2]) for row in rows if len(row) == 3)


def _started_by_python(thread: int, frames: Tuple[Frame, ...]) -> bool:
    """Whether it is a data loader's or a logger's thread. Autograd's have lines of Python too, in backward() of a
    torch.autograd.Function, but were not started by `threading`."""
    known = {t.native_id for t in threading.enumerate() if not isinstance(t, threading._DummyThread)}
    return thread in known or bool(frames and os.path.basename(frames[-1].file) == "threading.py")


def _calls_between(tracer: ctypes.CDLL, first: int, last: int, allowed: List[range]) -> Tuple[List[WaitCall], int]:
    """Calls first to last - 1 of this thread and of native ones, and how many there are at least: old ones are forgotten."""
    calls, own, count = [], threading.get_native_id(), 0
    for number in range(max(first, last - 256), last):
        raw = _Call()
        if any(number in numbers for numbers in allowed) or not tracer.zerostall_watched_at(number, ctypes.byref(raw)):
            continue
        frames = _frames_of(raw.frames)
        if raw.thread != own and _started_by_python(raw.thread, frames):
            continue  # not of this block
        count += 1
        calls.append(WaitCall(raw.name.decode(errors="replace"), frames, raw.thread == own))
    return calls, count


@contextlib.contextmanager
def no_waits() -> Iterator[None]:
    """The host must not wait for the GPU in this block: at its end WaitError names each line that did.

    Checked where this process is run by `zerostall record` or `zerostall check`, on the simulated GPU too; anywhere else
    it warns once that it checks nothing. Counted are synchronisations, and copies between host and device by functions
    without `Async`, of this thread and of native ones (autograd's), not those of other threads that Python started (loaders, loggers). An asynchronous
    copy of pageable memory may wait as well: `zerostall check` counts that, this block does not. An exception from
    the block goes its way.

    Raises WaitError, an AssertionError.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True):
    ...     with no_waits():
    ...         pass
    """
    tracer = _tracer()
    if tracer is None:
        _warn_once("zerostall.no_waits() checks nothing here: run the program by `zerostall record --` or `zerostall check --`")
        yield
        return
    first = tracer.zerostall_watched() + 1
    sees = tracer.zerostall_watch(1)
    blocks = _local.__dict__.setdefault("allowed", [])
    allowed: List[range] = []
    blocks.append(allowed)
    try:
        if not sees:
            _warn_once("zerostall.no_waits() checks nothing now: this part of the run is not recorded")
        yield
        calls, count = _calls_between(tracer, first, tracer.zerostall_watched() + 1, allowed)
    finally:
        tracer.zerostall_watch(0)
        blocks.pop()
    if count:
        raise WaitError(calls, count)


class allow_waits(contextlib.ContextDecorator):
    """Waits in this block, or function, are meant: `no_waits` and `zerostall check` let them pass, and the report of
    `check` tells how many, where, and for what reason.

    The block must lie within a step and on its thread; what autograd's threads wait for meanwhile is let pass too.
    Raises ValueError without a reason.

    >>> with allow_waits("loss shown to the user"):
    ...     pass
    """

    def __init__(self, reason: str) -> None:
        if not isinstance(reason, str) or not reason.strip():
            raise ValueError("allow_waits needs a reason: a text for those who read the report of `zerostall check`")
        self.reason = " ".join(reason.split())
        self._region = _marks.region(_marks.ALLOW_PREFIX + self.reason)

    def __enter__(self) -> "allow_waits":
        self._region.__enter__()
        self._tracer = _tracer() if _local.__dict__.get("allowed") else None
        if self._tracer is not None:
            self._first = self._tracer.zerostall_watched() + 1
        return self

    def __exit__(self, *_: object) -> None:
        if self._tracer is not None:
            passed = range(self._first, self._tracer.zerostall_watched() + 1)
            for allowed in _local.__dict__.get("allowed", []):
                allowed.append(passed)
        self._region.__exit__()

    def _recreate_cm(self) -> "allow_waits":  # one for each call of a decorated function: calls nest
        return allow_waits(self.reason)
