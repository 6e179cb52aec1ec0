"""Where the program and its libraries are, and how it is started. Imports nothing that takes time."""
from __future__ import annotations

import os
import sys


def home() -> str:
    """Folder that holds bin/zerostall and lib/zerostall: $ZEROSTALL_HOME, else the one inside this package."""
    return os.environ.get("ZEROSTALL_HOME") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "program")


def program() -> str:
    """Path of the command-line program. Raises FileNotFoundError where this package came without it."""
    path = os.path.join(home(), "bin", "zerostall")
    if not os.access(path, os.X_OK):
        raise FileNotFoundError(f"the program zerostall is not at {path}: install the wheel (it is for Linux on x86-64), "
                                "or set ZEROSTALL_HOME to the folder above bin/zerostall")
    return path


def main() -> None:
    """The console script: becomes the program, which has the same arguments, terminal, signals and exit code."""
    try:
        path = program()
    except FileNotFoundError as problem:
        sys.exit(f"zerostall: {problem}")
    os.execv(path, [path, *sys.argv[1:]])
