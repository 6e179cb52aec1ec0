"""Each test has a label by which it is run: labels_test.py CTEST BUILD. One without is in no run, and nobody misses it."""
import json
import subprocess
import sys

RUN_BY = {"quick", "full", "lint", "fuzz", "sanitizer"}


def labels(test):
    return {label for p in test.get("properties", []) if p["name"] == "LABELS" for label in p["value"]}


def main():
    ctest, build = sys.argv[1:]
    listed = subprocess.run([ctest, "--test-dir", build, "--show-only=json-v1"], check=True, stdout=subprocess.PIPE, text=True)
    tests = json.loads(listed.stdout)["tests"]
    assert len(tests) > 100, len(tests)
    left_out = [test["name"] for test in tests if not labels(test) & RUN_BY]
    if left_out:
        sys.exit("in no run, for want of a label: " + "; ".join(left_out[:5]) + f" ({len(left_out)} in all)")


main()
