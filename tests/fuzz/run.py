"""Runs fuzz targets, each for a while: run.py --build BUILD [--seconds N | --minutes N] [TARGET...]
Starts from the seeds in corpus/TARGET and from what earlier runs found (BUILD/corpus/TARGET). Quiet while nothing is found; a table of
what was tried at the end. Exits 1 when a target crashes, hangs or takes too much memory, and says how to see it again; 77 where the
targets are not built."""
import argparse
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "faults"))
import fault_count  # noqa: E402  for the table of ./dev faults
LIMITS = ["-timeout=10", "-rss_limit_mb=2048", "-max_len=65536"]
SHOWN_LINES = 60
DICTIONARIES = {"native": None, "kineto": "kineto.dict", "chunks": "kineto.dict", "gzip": "kineto.dict", "nsys": "nsys.dict",
                "policy": "policy.dict", "baseline": "baseline.dict", "values": "values.dict"}


def tried(text, seconds):
    """What libFuzzer's output says of a run: inputs executed, their files, coverage, files added to them."""
    def last(pattern):
        found = re.findall(pattern, text, re.M)
        return int(found[-1]) if found else 0
    return {"runs": last(r"^stat::number_of_executed_units:\s*(\d+)"), "corpus": last(r" corp: (\d+)/"), "edges": last(r" cov: (\d+)"),
            "new": last(r"^stat::new_units_added:\s*(\d+)"), "seconds": seconds}


def table(rows):
    """Markdown: one row a target."""
    lines = ["| target | inputs | s | edges seen | corpus | new in it | found |", "| --- | ---: | ---: | ---: | ---: | ---: | --- |"]
    lines += [f"| {row['target']} | {row['runs']:,} | {row['seconds']:.0f} | {row['edges']:,} | {row['corpus']:,} | {row['new']:,} | "
              f"{'nothing' if row['good'] else '**a bug**'} |" for row in rows]
    return "\n".join([*lines, "", f"{sum(row['runs'] for row in rows):,} inputs"])


def fuzz(build, target, seconds):
    """What was tried, with `good`: nothing was found."""
    program, found, crashes = build / f"bin/fuzz_{target}", build / "corpus" / target, build / "crashes"
    if not program.exists():
        print(f"skipped: {program} is not built; ./dev fuzz builds it")
        sys.exit(77)
    found.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(exist_ok=True)
    dictionary = DICTIONARIES[target]
    command = [str(program), str(found), str(HERE / "corpus" / target), f"-max_total_time={seconds}", "-print_final_stats=1", *LIMITS,
               f"-artifact_prefix={crashes}/{target}-", *([f"-dict={HERE / dictionary}"] if dictionary else [])]
    log, begin = build / f"{target}.log", time.monotonic()
    with open(log, "w", errors="replace") as out:
        code = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, check=False).returncode
    text = log.read_text(errors="replace")
    row = {"target": target, "good": code == 0, **tried(text, time.monotonic() - begin)}
    runs = max(row["runs"], int(code != 0))
    fault_count.record("fuzz", f"fuzz.{target}", runs, runs - (code != 0))
    if code == 0:
        return row
    lines = text.splitlines()
    signs = ("ERROR", "error:", "broken promise")
    begin = next((i for i, line in enumerate(lines) if any(sign in line for sign in signs)), len(lines) - SHOWN_LINES)
    print("\n".join(lines[max(begin, 0):][:SHOWN_LINES]))
    kept = re.findall(r"Test unit written to (\S+)", text)
    print(f"{target}: exit code {code} (whole output: {log})")
    if kept:
        print(f"{target}: to see it again: {program} {kept[-1]}")
        print(f"{target}: smaller: {program} -minimize_crash=1 -runs=100000 -exact_artifact_path={kept[-1]}.small {kept[-1]}")
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--minutes", type=float, help="for all targets together")
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    options = parser.parse_args()
    build = options.build.resolve()
    targets = options.targets or list(DICTIONARIES)
    if unknown := set(targets) - set(DICTIONARIES):
        parser.error(f"no fuzz target {', '.join(sorted(unknown))}: {', '.join(DICTIONARIES)}")
    seconds = options.seconds if options.minutes is None else max(round(options.minutes * 60 / len(targets)), 1)
    rows = [fuzz(build, target, seconds) for target in targets]
    print(table(rows))
    sys.exit(0 if all(row["good"] for row in rows) else 1)


if __name__ == "__main__":
    main()
