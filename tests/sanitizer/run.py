"""Runs the tests of a sanitized build: run.py BUILD asan|tsan [ARGS of ctest]
All quick tests with AddressSanitizer, those of label `sanitizer` with ThreadSanitizer, but for left_out.txt."""
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
OPTIONS = {
    # Leaks are valgrind's to find (tracer/check_valgrind.py). Programs get the simulated GPU preloaded, so the runtime is not first.
    "ASAN_OPTIONS": "detect_leaks=0:handle_segv=0:handle_abort=0:detect_stack_use_after_return=1:strict_string_checks=1"
                    ":verify_asan_link_order=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": f"suppressions={HERE / 'tsan.supp'}:second_deadlock_stack=1:die_after_fork=0:handle_segv=0:handle_abort=0",
}


def left_out(text, preset):
    """[(regular expression, reason)] for this preset. ValueError for a line that is none."""
    entries = []
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        fields = line.split(None, 2)
        if len(fields) < 3 or fields[0] not in ("asan", "tsan", "both"):
            raise ValueError(f"left_out.txt: not `asan|tsan|both NAMES REASON`: {line}")
        if fields[0] in (preset, "both"):
            entries.append((fields[1], fields[2]))
    return entries


def main():
    build, preset, *more = sys.argv[1:]
    selection = ["-L", "^quick$"] if preset == "asan" else ["-L", "^sanitizer$"]
    ctest = ["ctest", "--test-dir", build, *selection]
    environment = {**os.environ, **OPTIONS}
    listed = subprocess.run([*ctest, "--show-only=json-v1"], env=environment, stdout=subprocess.PIPE, check=True).stdout
    names = [test["name"] for test in json.loads(listed)["tests"]]
    entries = left_out((HERE / "left_out.txt").read_text(), preset)
    for expression, _ in entries:
        if not any(re.search(expression, name) for name in names):
            sys.exit(f"left_out.txt: no test is called {expression} any more")
    without = ["-E", "|".join(expression for expression, _ in entries)] if entries else []
    number = sum(any(re.search(expression, name) for expression, _ in entries) for name in names)
    print(f"{len(names) - number} tests, {number} left out (tests/sanitizer/left_out.txt)", flush=True)
    sys.exit(subprocess.run([*ctest, *without, "--output-on-failure", "--no-tests=error", *more], env=environment, check=False).returncode)


if __name__ == "__main__":
    main()
