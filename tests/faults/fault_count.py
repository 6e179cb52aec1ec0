"""Counts of tests in Python for the table of `./dev faults`, as fault_count.h writes those of tests in C++."""
import contextlib
import json
import os
import sys


def _append(**line):
    path = os.environ.get("ZEROSTALL_FAULTS")
    if not path:
        return
    with open(path, "ab", buffering=0) as file:  # in one write: other tests append at the same time
        file.write((json.dumps(line) + "\n").encode())


class FaultCount:
    """with FaultCount(KIND, TEST) as faults: for each input: with faults.input(LABEL): assert ...
    An input whose assertion fails was not survived; all are tried before the test fails with what went wrong."""

    def __init__(self, kind, test):
        self.kind, self.test = kind, test
        self.tried = self.survived = 0
        self.problems = []

    def __enter__(self):
        _append(kind=self.kind, test=self.test, began=True)
        return self

    @contextlib.contextmanager
    def input(self, label):
        self.tried += 1
        try:
            yield
            self.survived += 1
        except AssertionError as problem:
            self.problems.append(f"{label}: {problem}")

    def __exit__(self, kind, problem, trace):
        if kind is None or not issubclass(kind, Exception) or kind.__name__ == "SkipTest":
            skipped = self.tried == 0
            _append(kind=self.kind, test=self.test, tried=self.tried, survived=self.survived, skipped=skipped)
        if kind is None and self.problems:
            shown = "\n".join(self.problems[:20])
            raise AssertionError(f"{len(self.problems)} of {self.tried} were not survived:\n{shown}")
        if kind is None:
            print(f"{self.test}: {self.survived} of {self.tried}", file=sys.stderr)


def record(kind, test, tried, survived):
    """Of a test that counts for itself."""
    _append(kind=kind, test=test, began=True)
    _append(kind=kind, test=test, tried=tried, survived=survived, skipped=False)
