"""What `zerostall verify` takes for all of its jobs: jobs_bench.py --build BUILD. Each has to pass."""
import argparse
import os

from figures import Table
from processes import measured
from turns import new_folder

JOBS = {"all-tiny": ["--all", "--size", "tiny"], "catalogue": ["--catalogue"], "all": ["--all"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    options = parser.parse_args()
    table = Table()
    with new_folder() as folder:
        for name, arguments in JOBS.items():
            wall, _, peak, out = measured([f"{os.path.abspath(options.build)}/bin/zerostall", "verify", *arguments], cwd=folder)
            print(out.decode().splitlines()[-1])
            size = ", full sizes" if name == "all" else ""
            table.figure(f"jobs.{name}", f"verify {' '.join(arguments)}{size}", wall, "s")
            table.figure(f"jobs.{name}.memory", f"   verify {' '.join(arguments)}: largest process", peak, "MiB")


if __name__ == "__main__":
    main()
