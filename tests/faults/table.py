"""Runs the fault tests and makes one table of what they tried: table.py --build BUILD [--readme FILE] [--no-fuzz] [ARGS of ctest]

The tests are those of labels `fault` and `fuzz`; each writes what it tried to the file that ZEROSTALL_FAULTS names (fault_count.h,
fault_count.py). Writes BUILD/faults/faults.json and faults.md. --readme puts the table between `<!-- faults -->` and
`<!-- /faults -->` of a file. Exits 1 when a test failed or something was not survived, and 0 with tests that were not run: they
stand in the table as such."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
BEGIN, END = "<!-- faults -->", "<!-- /faults -->"


def known_kinds():
    return json.loads((HERE / "kinds.json").read_text())


def add_up(lines, kinds):
    """Rows in the order of `kinds`, from the lines that tests wrote. A count that began and did not end is a test that died; a kind
    nobody knows is a mistake of the test: ValueError."""
    rows = {kind["kind"]: {**kind, "tried": 0, "survived": 0, "tests": [], "died": [], "skipped": []} for kind in kinds}
    open_counts = []
    for line in lines:
        if line["kind"] not in rows:
            raise ValueError(f"{line['test']} counts '{line['kind']}', which is not in kinds.json")
        row, test = rows[line["kind"]], line["test"]
        if line.get("began"):
            open_counts.append((line["kind"], test))
            continue
        open_counts.remove((line["kind"], test))
        if not 0 <= line["survived"] <= line["tried"]:
            raise ValueError(f"{test} survived {line['survived']} of {line['tried']}")
        if line["tried"] == 0:
            row["skipped"].append(test)
            continue
        row["tried"] += line["tried"]
        row["survived"] += line["survived"]
        if test not in row["tests"]:
            row["tests"].append(test)
    for kind, test in open_counts:
        rows[kind]["died"].append(test)
    return list(rows.values())


def outcome(row):
    """What stands in the table as the count."""
    if row["died"]:
        return f"**a test died** ({row['died'][0]})"
    if not row["tried"]:
        return "not run here" + (" (skipped)" if row["skipped"] else "")
    count = f"{row['survived']:,} of {row['tried']:,}"
    return count if row["survived"] == row["tried"] else f"**{count}**"


def failed(rows):
    return any(row["died"] or row["survived"] < row["tried"] for row in rows)


def files_of(tests):
    """The test suites, each once."""
    suites = []
    for test in tests:
        suite = re.sub(r"^(?:Instance|Lifetime|All)/", "", test).split(".")[0].split("/")[0]
        if test.startswith("__main__."):
            suite = ".".join(test.split(".")[1:2])
        if suite not in suites:
            suites.append(suite)
    return ", ".join(f"`{suite}`" for suite in suites)


def markdown(rows):
    lines = ["| fault | survived | which means | tests |", "| --- | ---: | --- | --- |"]
    for row in rows:
        lines.append(f"| {row['what']} | {outcome(row)} | {row['means']} | {files_of(row['tests'])} |")
    tried = sum(row["tried"] for row in rows if row["kind"] != "fuzz")
    fuzzed = sum(row["tried"] for row in rows if row["kind"] == "fuzz")
    lines += ["", f"{tried:,} faults and {fuzzed:,} fuzzed inputs, counted by the loops that tried them: `./dev faults`."]
    return "\n".join(lines) + "\n"


def put_between_markers(text, table):
    """ValueError where the markers are missing."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"no {BEGIN} ... {END} to put the table between")
    return f"{before}{begin}\n{table}{end}{after}"


def run_tests(build, out, fuzz, more):
    """The lines that the tests wrote, and the names of tests that failed and that were not run."""
    counts, report = out / "counts.jsonl", out / "ctest.xml"
    counts.unlink(missing_ok=True)
    command = ["ctest", "--test-dir", str(build), "--no-tests=error", "--output-on-failure", "--output-junit", str(report.resolve()),
               "-L", "^fault$|^fuzz$" if fuzz else "^fault$", *more]
    environment = {**os.environ, "ZEROSTALL_FAULTS": str(counts.resolve())}
    with open(out / "ctest.log", "wb") as log:
        code = subprocess.run(command, env=environment, stdout=log, stderr=subprocess.STDOUT, check=False).returncode
    if not report.exists():
        sys.exit(f"ctest did not run (exit code {code}): see {out / 'ctest.log'}")
    cases = ElementTree.parse(report).getroot().iter("testcase")
    states = [(case.get("name"), case.get("status")) for case in cases]
    lines = [json.loads(line) for line in counts.read_text().splitlines()] if counts.exists() else []
    return lines, [name for name, state in states if state == "fail"], [name for name, state in states if state in ("notrun", "disabled")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--readme", type=pathlib.Path, help="put the table between the markers of this file")
    parser.add_argument("--no-fuzz", action="store_true", help="leave the fuzz targets out")
    options, more = parser.parse_known_args()
    out = options.build / "faults"
    out.mkdir(parents=True, exist_ok=True)
    lines, failures, not_run = run_tests(options.build, out, not options.no_fuzz, more)
    rows = add_up(lines, known_kinds())
    table = markdown(rows)
    (out / "faults.json").write_text(json.dumps({"schema": "zerostall/faults/1", "rows": rows, "failed": failures, "not_run": not_run},
                                                indent=1) + "\n")
    (out / "faults.md").write_text(table)
    if options.readme:
        options.readme.write_text(put_between_markers(options.readme.read_text(), table))
    print(table, end="")
    for text, names in (("failed", failures), ("not run", not_run)):
        if names:
            print(f"{text}: {', '.join(names)}", file=sys.stderr)
    sys.exit(1 if failures or failed(rows) else 0)


if __name__ == "__main__":
    main()
