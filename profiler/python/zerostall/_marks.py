"""Marks for the program under test: NVTX ranges in domain `zerostall` (profiler/mark/mark.h).

A process is marked for where some tool has said so by NVTX_INJECTION64_PATH, as `zerostall record` and Nsight Systems do.
Anywhere else a mark is one test of a variable.
"""
from __future__ import annotations

import contextlib
import ctypes
import os
import warnings
from typing import Iterable, Iterator, Optional, TypeVar

from ._program import home

T = TypeVar("T")
ALLOW_PREFIX = "allow waits: "  # as profiler/analyze/steps.h has it
LIBRARY = "libzerostall_mark.so"


def _load() -> Optional[ctypes.CDLL]:
    """The library that makes marks; None: nobody listens, or there is none."""
    tool = os.environ.get("NVTX_INJECTION64_PATH")
    if not tool:
        return None
    for folder in (os.path.join(home(), "lib", "zerostall"), os.path.dirname(tool)):
        try:
            library = ctypes.CDLL(os.path.join(folder, LIBRARY))
        except OSError:
            continue
        library.zerostall_region_push.argtypes = [ctypes.c_char_p]
        for name in ("zerostall_step_begin", "zerostall_step_mark"):
            getattr(library, name).argtypes = [ctypes.c_long]
        return library
    warnings.warn(f"zerostall: a tool listens, but {LIBRARY} is missing from this package: no steps are marked", stacklevel=3)
    return None



class _Numbers:
    """Of steps: `next` is that of the step to come."""

    def __init__(self, first: int = 0) -> None:
        self.next = first

    def take(self) -> int:
        self.next += 1
        return self.next - 1


_library = _load()
_numbers = _Numbers()  # of all steps that this module counts itself


def is_traced() -> bool:
    """Whether marks go anywhere: this process was started by `zerostall record` or another tool that takes NVTX ranges.

    >>> is_traced()  # in an ordinary process
    False
    """
    return _library is not None


def steps(iterable: Iterable[T], *, start: Optional[int] = None) -> Iterator[T]:
    """The items of `iterable`, each turn of the loop marked as one training step.

    A step lasts from the question for its item (region `load`) to the end of the loop's body: waits of the loader are
    the step's own. Numbers run on over several loops of a process; `start` sets that of the first. Leaving the loop
    by break, return or an exception ends the step. Use it on one thread.

    >>> for batch in steps([10, 20]):
    ...     print(batch)
    10
    20
    """
    if _library is None:
        return iter(iterable)
    return _marked(iterable, _numbers if start is None else _Numbers(start), _library)


def _marked(iterable: Iterable[T], numbers: _Numbers, library: ctypes.CDLL) -> Iterator[T]:
    items = iter(iterable)
    while True:
        library.zerostall_step_begin(numbers.next)
        try:
            library.zerostall_region_push(b"load")
            try:
                item = next(items)
            except StopIteration:
                library.zerostall_step_cancel()
                return
            finally:
                library.zerostall_region_pop()
            numbers.take()
            yield item
        finally:
            library.zerostall_step_end()


def mark(number: Optional[int] = None) -> None:
    """Marks the start of a step, where a loop cannot be wrapped: the step lasts to the next mark.

    The last step of a run then has no end and is not judged. Without a number they are counted from 0. Not together with
    `steps`, whose marks win.

    >>> mark(); mark(17)
    """
    if _library is not None:
        _library.zerostall_step_mark(_numbers.take() if number is None else number)


@contextlib.contextmanager
def step(number: Optional[int] = None) -> Iterator[None]:
    """Marks the block as one training step, where neither `steps` nor `mark` fits.

    >>> with step():
    ...     pass
    """
    library = _library
    if library is None:
        yield
        return
    library.zerostall_step_begin(_numbers.take() if number is None else number)
    try:
        yield
    finally:
        library.zerostall_step_end()


class StepMarks:
    """Steps whose begin and end are told by callbacks. Nothing happens where nobody listens."""

    def __init__(self) -> None:
        self._open: Optional[int] = None

    def begin(self, number: int) -> None:
        """Begins step `number`; goes on with it where it is open already (a further micro-step)."""
        if _library is None or self._open == number:
            return
        self.end()
        self._open = number
        _library.zerostall_step_begin(number)

    def end_unless(self, number: int) -> None:
        """Ends the open step unless it is still `number`: the update has not happened yet."""
        if self._open != number:
            self.end()

    def end(self) -> None:
        """Ends the open step, if there is one."""
        if _library is not None and self._open is not None:
            _library.zerostall_step_end()
        self._open = None


class region(contextlib.ContextDecorator):
    """A named part of a step, whose waits are told apart and can be limited (`zerostall check --max train.waits=0`).

    As a block or as a decorator. Regions nest; those of one name in one step are summed. One that is entered on another
    thread than the step's counts for nothing.

    >>> with region("validate"):
    ...     pass
    >>> @region("forward")
    ... def forward(): return 1
    >>> forward()
    1
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise ValueError(f"a region needs a name, not {name!r}")
        self.name = name

    def __enter__(self) -> "region":
        if _library is not None:
            _library.zerostall_region_push(self.name.encode(errors="replace"))
        return self

    def __exit__(self, *_: object) -> None:
        if _library is not None:
            _library.zerostall_region_pop()

