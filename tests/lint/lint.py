#!/usr/bin/env python3
"""Lints the tree: `./dev lint` calls it, and ctest each part of it (--only).

Usage: lint.py --build DIR [--quick] [--only PART] [FILE...]

Parts: format   clang-format -n of every C++ file
       tidy     clang-tidy, as .clang-tidy says; --quick: sources of the product, without LibTorch's and without clang-analyzer
       headers  every header compiles alone; --quick: without LibTorch's
       shell    shellcheck
       python   pyflakes
FILE: only these. A finding is one line. Exit code 0: none, 1: some, 4: the build folder has no compile_commands.json, 77: a tool is missing.
Answers are kept in DIR/lint by what they depend on, so a second run asks only about what has changed.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import headers
import tidy
from units import ROOT, load_units

FOLDERS = ("profiler", "reports", "fixes", "scenarios", "tests")
NOT_OURS = ("tests/golden/", "tests/data/", "tests/fuzz/corpus/")
PARTS = ("format", "shell", "python", "headers", "tidy")


def our_files(suffixes):
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            name = str(path.relative_to(ROOT))
            if path.suffix in suffixes and not name.startswith(NOT_OURS) and path.is_file():
                yield name


def tool(*names):
    """The first of these programs that is installed; none ends the program."""
    for name in names:
        if shutil.which(name):
            return name
    print(f"[lint] skipped: {names[0]} is not installed (./dev lint installs it)")
    sys.exit(77)


def said_by(command):
    """The lines that a tool says about files, whether it succeeds or not."""
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    lines = (run.stdout + run.stderr).splitlines()
    if run.returncode not in (0, 1):
        return [f"{command[0]} failed with code {run.returncode}: {' '.join(lines[-3:])}"]
    return lines if run.returncode else []


def jobs():
    return int(os.environ.get("ZEROSTALL_JOBS") or os.cpu_count() or 1)


def in_parallel(function, things):
    with concurrent.futures.ThreadPoolExecutor(jobs()) as pool:
        return [line for lines in pool.map(function, things) for line in lines]


def lint_format(options, wanted):
    files = wanted(our_files((".cpp", ".h", ".cu")))
    program = tool("clang-format-14", "clang-format")
    parts = [files[i : i + 100] for i in range(0, len(files), 100)]
    lines = in_parallel(lambda part: said_by([program, "--dry-run", "-Werror", *part]), parts)
    return len(files), [line for line in lines if " error: " in line or "failed with code" in line]


def lint_shell(options, wanted):
    files = wanted(["dev", ".ci/run", *our_files((".sh",))])
    return len(files), said_by([tool("shellcheck"), "--format=gcc", "--severity=warning", *files]) if files else []


def lint_python(options, wanted):
    files = wanted(our_files((".py",)))
    return len(files), said_by([tool("pyflakes3", "pyflakes"), *files]) if files else []


def lint_headers(options, wanted):
    todo = headers.unproven(options.units, wanted(our_files((".h",))), options.quick)
    return len(todo), in_parallel(lambda header: headers.check(header, options.build), todo)


def lint_tidy(options, wanted):
    program = tool("clang-tidy-14", "clang-tidy")
    units = [options.units[name] for name in wanted(options.units)]
    if options.quick:
        units = [unit for unit in units if not unit.torch and not unit.path.startswith("tests/")]
    checker = tidy.Checker(program, options.build, analyze=not options.quick)
    lines = in_parallel(checker.check, tidy.bundles(units))
    return len(units), sorted(set(lines))


def wanted_of(files):
    """A function that leaves of a list of files those that were asked for; of a header, its source as well."""
    if not files:
        return list
    asked = {str(Path(name).resolve().relative_to(ROOT)) for name in files}
    asked |= {re.sub(r"\.h$", ".cpp", name) for name in asked}
    return lambda names: [name for name in names if name in asked]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    parts = [options.only] if options.only else PARTS
    if {"headers", "tidy"} & set(parts):
        options.units = load_units(options.build)
        if not options.units:
            print(f"[lint] error: {options.build} has no compile_commands.json with our sources: run ./dev build")
            return 4
    wanted, failed = wanted_of(options.files), False
    for part in parts:
        began = time.monotonic()
        count, findings = globals()[f"lint_{part}"](options, wanted)
        print(*findings, sep="\n", end="\n" if findings else "")
        print(f"[lint] {part}: {count} files, {len(findings)} findings, {time.monotonic() - began:.0f} s", flush=True)
        failed |= bool(findings)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
