"""The Python package: what its marks cost a program that nobody records, and one that is recorded; time to import it; its examples;
the size of the wheel: python_bench.py --build BUILD [PART...]
Parts: marks, examples, wheel (default: all; the last two want BUILD/venv-python, which tests/python/make_venv.py makes)."""
import argparse
import os
import pathlib
import subprocess
import sys
import time

from figures import Table
from processes import measured
from turns import environment, new_folder

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Run by a Python of its own: prints nanoseconds, of a turn of a loop over zerostall.steps more than of a plain one, a mark, a
# region. The median of some rounds.
MARKS = """
import sys, time, warnings
import zerostall
warnings.simplefilter("ignore")
count = int(sys.argv[1])
def loop(items):
    begin = time.thread_time_ns()
    for _ in items: pass
    return (time.thread_time_ns() - begin) / count
def often(body):
    begin = time.thread_time_ns()
    for _ in range(count): body()
    return (time.thread_time_ns() - begin) / count
def region():
    with zerostall.region("part"): pass
def nothing(): pass
rounds = []
for _ in range(11):
    plain, empty = loop(iter(range(count))), often(nothing)
    rounds.append((loop(zerostall.steps(range(count))) - plain, often(zerostall.mark) - empty, often(region) - empty))
print(*(sorted(one)[len(one) // 2] for one in zip(*rounds)))
"""
NAMES = {"steps": "a turn of zerostall.steps", "mark": "zerostall.mark()", "region": "zerostall.region()"}


def marks(options, table):
    paths = {"PYTHONPATH": str(ROOT / "profiler/python"), "ZEROSTALL_HOME": options.build, "PYTHONDONTWRITEBYTECODE": "1"}
    plain = {name: value for name, value in os.environ.items() if name != "NVTX_INJECTION64_PATH"}
    with new_folder() as folder:
        traced = environment(options.build, f"{folder}/marks.zstall", **paths)
        for id, told, env, count in (("untraced", "nobody records", {**plain, **paths}, 200_000), ("traced", "recorded", traced, 2_000)):
            done = subprocess.run([sys.executable, "-c", MARKS, str(count)], env=env, stdout=subprocess.PIPE, text=True, check=True)
            for (name, what), ns in zip(NAMES.items(), map(float, done.stdout.split())):
                table.figure(f"python.{id}.{name}", f"{what}, {told}: more", ns, "ns")
    # CPU time, the least of some: what disturbs only adds.
    seconds = {program: min(measured([sys.executable, "-c", program], env={**plain, **paths})[1] for _ in range(15))
               for program in ("pass", "import zerostall")}
    table.figure("python.import", "import zerostall: CPU time", 1e3 * (seconds["import zerostall"] - seconds["pass"]), "ms")


def timed(command, env):
    begin = time.monotonic()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def python_of_tests(options):
    python = f"{options.build}/venv-python/bin/python"
    if not os.path.exists(python):
        print(f"no {python}: tests/python/make_venv.py makes it")
        sys.exit(77)
    return python


def examples(options, table):
    env = {**os.environ, "ZEROSTALL_HOME": options.build, "PYTHONPATH": str(ROOT / "profiler/python"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [python_of_tests(options), "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "zerostall.pytest_plugin",
               ROOT / "tests/python/test_examples.py"]
    table.figure("python.examples", "the five examples, with the planted wait and fixed", timed(command, env), "s")


def wheel(options, table):
    """Packed into a folder of its own from what was built."""
    with new_folder() as folder:
        subprocess.run([python_of_tests(options), "-B", ROOT / "tests/python/make_wheel.py", options.build, f"{folder}/wheel"], check=True,
                       stdout=subprocess.DEVNULL)
        found = next(pathlib.Path(folder, "wheel").glob("*.whl"))
        table.figure("python.wheel", "the wheel, program, tracer and simulated GPU inside", found.stat().st_size / 1e6, "MB")


PARTS = {"marks": marks, "examples": examples, "wheel": wheel}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("parts", nargs="*", default=list(PARTS), metavar="PART")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    if unknown := [part for part in options.parts if part not in PARTS]:
        parser.error(f"no part '{unknown[0]}': {', '.join(PARTS)}")
    table = Table()
    for part in options.parts:
        PARTS[part](options, table)


if __name__ == "__main__":
    main()
