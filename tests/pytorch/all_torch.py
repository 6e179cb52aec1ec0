"""Runs the PyTorch programs with several versions of torch on the simulated GPU: a table, a row per program, a column per version.
all_torch.py --build BUILD [--device sim:MODEL] [--profiler] [--only NAME...] VERSION=PYTHON[,FOLDER]...   (`./dev test --all-torch` makes the environments and calls it.)

PYTHON's environment holds torch and the pure-Python packages that it needs, nothing else; FOLDER holds Triton and NumPy of the
versions that fit, and is seen only by the programs whose header asks for them.
--profiler: the programs are compared with PyTorch's profiler too, as the tests with one version do; twice the time.
A cell is `ok`, `FAIL`, or `-` (does not apply: a program's header says which versions of torch have what it uses; or a package is
missing). What failed, and why a cell is `-`, is printed below the table. Exits 1 if a cell is FAIL.
"""
import argparse
import functools
import os
import pathlib
import re
import subprocess
import sys

from program_header import read_header

HERE = pathlib.Path(__file__).parent
FOLDERS = ("programs", "programs_2ranks", "programs_compile")
SKIPPED = 77


def run(folder, *command):
    environment = dict(os.environ, PYTHONPATH=folder) if folder else None
    return subprocess.run([sys.executable, "-B", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=environment)


def check_program(program, common, folder, profiler):
    """(cell, what is to be said of it)"""
    done = run(folder if read_header(program).needs else "", HERE / "run_programs.py", *common,
               *(["--profiler"] if profiler else []), program)
    if done.returncode == SKIPPED:
        return "-", done.stdout.strip()
    return ("ok", "") if done.returncode == 0 else ("FAIL", done.stdout)


def check_operations(common, folder):
    done = run(folder, HERE / "check_operations.py", *common)
    if done.returncode == 0 and re.search(r"\d+ rows, 0 differ", done.stdout):
        return "ok", "\n".join(re.findall("^skipped .*", done.stdout, re.M))
    return "FAIL", done.stdout


def checks(profiler):
    """{row of the table: function(arguments of both scripts, folder)}"""
    found = {"operations": check_operations}
    for program in (path for name in FOLDERS for path in sorted(HERE.glob(f"{name}/*.py"))):
        found[program.stem] = functools.partial(check_program, program, profiler=profiler)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--device", default="sim")
    parser.add_argument("--profiler", action="store_true")
    parser.add_argument("--only", nargs="+", metavar="NAME", default=[])
    parser.add_argument("versions", nargs="+", metavar="VERSION=PYTHON[,FOLDER]")
    options = parser.parse_args()
    environments = {version: (*text.split(","), "")[:2] for version, text in (v.split("=", 1) for v in options.versions)}
    notes, cells = [], []
    print(f"{'':24}" + "".join(f"{version:>10}" for version in environments), flush=True)
    for name, check in checks(options.profiler).items():
        if options.only and name not in options.only:
            continue
        print(f"{name:24}", end="", flush=True)
        for version, (python, folder) in environments.items():
            cell, note = check(("--build", options.build, "--python", python, "--device", options.device), folder)
            print(f"{cell:>10}", end="", flush=True)
            cells.append(cell)
            notes += [f"--- {name}, torch {version}: {cell}\n{note}"] if note else []
        print(flush=True)
    print(*notes, sep="\n")
    print(*(f"{cells.count(cell)} {text}" for cell, text in (("ok", "passed"), ("FAIL", "failed"), ("-", "do not apply"))), sep=", ")
    sys.exit("FAIL" in cells)


if __name__ == "__main__":
    main()
