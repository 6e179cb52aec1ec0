"""Memory that the simulated GPU takes for a model of 32 B parameters, and leaves behind after steps: model_bench.py --build BUILD
The program is one of the tests' (tests/pytorch/programs/large_model.py), which judges the same."""
import argparse
import os
import pathlib
import re
import subprocess
import sys

from figures import Table
from turns import environment

PROGRAM = pathlib.Path(__file__).resolve().parents[1] / "pytorch/programs/large_model.py"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    options = parser.parse_args()
    python = f"{os.path.abspath(options.build)}/venv/bin/python"
    if not os.path.exists(python):
        print(f"no {python}: PyTorch is not measured")
        sys.exit(77)
    done = subprocess.run([python, "-B", PROGRAM], env=environment(options.build), stdout=subprocess.PIPE, text=True, check=False)
    found = re.search(r"measured: ([\d.]+) GiB .*; (\d+) KiB more", done.stdout)
    if done.returncode or not found:
        sys.exit(f"{PROGRAM.name} ended with exit code {done.returncode} and said: {done.stdout.strip() or 'nothing'}")
    table = Table()
    table.figure("simgpu.model.memory", "32 B parameters (bf16) on the device: real memory of PyTorch", 1024 * float(found[1]), "MiB")
    table.figure("simgpu.model.growth", "200 PyTorch steps: the process grows by", int(found[2]) / 1024, "MiB")


if __name__ == "__main__":
    main()
