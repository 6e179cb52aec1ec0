"""Runs fuzz targets, each for a while: run.py --build BUILD [--seconds N] [TARGET...]
Starts from the seeds in corpus/TARGET and from what earlier runs found (BUILD/corpus/TARGET). Quiet while nothing is found. Exits 1
when a target crashes, hangs or takes too much memory, and says how to see it again; 77 where the targets are not built."""
import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LIMITS = ["-timeout=10", "-rss_limit_mb=2048", "-max_len=65536"]
SHOWN_LINES = 60
DICTIONARIES = {"native": None, "kineto": "kineto.dict", "chunks": "kineto.dict", "gzip": "kineto.dict", "nsys": "nsys.dict",
                "policy": "policy.dict"}


def fuzz(build, target, seconds):
    """True: nothing was found."""
    program, found, crashes = build / f"bin/fuzz_{target}", build / "corpus" / target, build / "crashes"
    if not program.exists():
        print(f"skipped: {program} is not built; ./dev fuzz builds it")
        sys.exit(77)
    found.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(exist_ok=True)
    dictionary = DICTIONARIES[target]
    command = [str(program), str(found), str(HERE / "corpus" / target), f"-max_total_time={seconds}", *LIMITS,
               f"-artifact_prefix={crashes}/{target}-", *([f"-dict={HERE / dictionary}"] if dictionary else [])]
    log = build / f"{target}.log"
    with open(log, "w", errors="replace") as out:
        code = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, check=False).returncode
    text = log.read_text(errors="replace")
    if code == 0:
        done = re.findall(r"^Done (\d+) runs", text, re.M)
        print(f"{target}: nothing found in {done[-1] if done else 0} runs ({seconds} s)", flush=True)
        return True
    lines = text.splitlines()
    signs = ("ERROR", "error:", "broken promise")
    begin = next((i for i, line in enumerate(lines) if any(sign in line for sign in signs)), len(lines) - SHOWN_LINES)
    print("\n".join(lines[max(begin, 0):][:SHOWN_LINES]))
    kept = re.findall(r"Test unit written to (\S+)", text)
    print(f"{target}: exit code {code} (whole output: {log})")
    if kept:
        print(f"{target}: to see it again: {program} {kept[-1]}")
        print(f"{target}: smaller: {program} -minimize_crash=1 -runs=100000 -exact_artifact_path={kept[-1]}.small {kept[-1]}")
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    options = parser.parse_args()
    build = options.build.resolve()
    targets = options.targets or list(DICTIONARIES)
    if unknown := set(targets) - set(DICTIONARIES):
        parser.error(f"no fuzz target {', '.join(sorted(unknown))}: {', '.join(DICTIONARIES)}")
    sys.exit(0 if all([fuzz(build, target, options.seconds) for target in targets]) else 1)


if __name__ == "__main__":
    main()
