"""What make_big_trace says of a trace that it made is what `zerostall stat` finds in it: big_trace_test.py BUILD"""
import json
import pathlib
import subprocess
import sys
import tempfile

from import_files import wrong_answers

SMALL = pathlib.Path(__file__).resolve().parents[1] / "data/kineto/steps.json"
STEPS = 200


def check(build, folder, name, more):
    path = f"{folder}/{name}"
    made = subprocess.run([f"{build}/tests/bench/make_big_trace", SMALL, path, "--steps", str(STEPS), *more], check=True, stdout=subprocess.PIPE)
    right = json.loads(made.stdout)
    assert right["steps"] >= STEPS and right["calls"] and right["copies"], right
    out = subprocess.run([f"{build}/bin/zerostall", "stat", "--json", path], check=True, stdout=subprocess.PIPE).stdout
    wrong = wrong_answers(json.loads(out), right)
    assert not wrong, wrong
    name = next(iter(right["calls"]))
    right["calls"][name] += 1
    assert wrong_answers(json.loads(out), right), "a wrong count of calls is not seen"


def main():
    build = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        check(build, folder, "big.json", [])
        check(build, folder, "big.json.gz", ["--gzip"])


if __name__ == "__main__":
    main()
