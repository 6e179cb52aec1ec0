"""Runs the PyTorch programs with several versions of torch on the simulated GPU: a table, a row per program, a column per version.
all_torch.py --build BUILD VERSION=PYTHON...   (`./dev test --all-torch` makes the environments and calls it.)

A cell is `ok`, `FAIL`, or `-` (a package is missing). `operations` counts the rows of operations.py that wait otherwise than they say:
they were written for one version, so another may differ, but none may raise an error. What failed is printed below the table.
"""
import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
SKIPPED = 77


def run(*command):
    return subprocess.run([sys.executable, "-B", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def check_program(program, build, python):
    """(cell, what went wrong)"""
    done = run(HERE / "run_programs.py", "--build", build, "--python", python, program)
    if done.returncode == SKIPPED:
        return "-", ""
    return ("ok", "") if done.returncode == 0 else ("FAIL", done.stdout)


def check_operations(build, python):
    done = run(HERE / "check_operations.py", "--build", build, "--python", python)
    differing = re.search(r"(\d+) rows, (\d+) differ", done.stdout)
    errors = re.findall(r"^FAIL .*\n +\w*(?:Error|Exception)\b.*", done.stdout, re.M)
    if errors or (done.returncode and not differing):
        return "FAIL", "\n".join(errors) or done.stdout
    return ("ok", "") if done.returncode == 0 else (f"{differing[2]} differ", "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("versions", nargs="+", metavar="VERSION=PYTHON")
    options = parser.parse_args()
    pythons = dict(text.split("=", 1) for text in options.versions)
    checks = {"operations": check_operations}
    for program in sorted(HERE.glob("programs/*.py")):
        checks[program.stem] = lambda build, python, program=program: check_program(program, build, python)
    failures = []
    print(f"{'':24}" + "".join(f"{version:>12}" for version in pythons), flush=True)
    for name, check in checks.items():
        print(f"{name:24}", end="", flush=True)
        for version, python in pythons.items():
            cell, trouble = check(options.build, python)
            print(f"{cell:>12}", end="", flush=True)
            if cell == "FAIL":
                failures.append(f"--- {name}, torch {version}\n{trouble}")
        print(flush=True)
    print(*failures, sep="\n")
    print(f"{len(checks) * len(pythons) - len(failures)} passed, {len(failures)} failed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
