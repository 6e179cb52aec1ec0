"""What zerostall says of the reasons for which lines of cause_program.py wait, against what the lines themselves say: precision
and recall of each class. cause_test.py --build BUILD --python PYTHON. Exits 1 when a reason is wrong, a wait is missing, or
a line that must not be blamed is."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAM = HERE / "cause_program.py"
# What the program must read back, since no kernel computes anything: by a text of the line that reads.
VALUES = [("size-from-device", 8, 32, "int64"), ("size-from-device", 1, True, "bool"), ("dynamic-shape", 4, 2, "int32"),
          ("isfinite", 1, True, "bool")]


def marked_lines():
    """{line number: what it says}"""
    lines = PROGRAM.read_text().splitlines()
    return {n: line.split("#: ")[1].strip() for n, line in enumerate(lines, 1) if "  #: " in line}


def sim_values():
    lines = PROGRAM.read_text().splitlines()
    reads = [{"at": f"{PROGRAM.name}:{n}", "bytes": size, "value": value, "type": kind}
             for text, size, value, kind in VALUES for n, line in enumerate(lines, 1) if text in line and "#: " in line]
    return json.dumps({"reads": reads})


def record_and_stat(options, folder):
    values, trace = folder / "values.json", folder / "t.zstall"
    values.write_text(sim_values())
    zerostall = f"{options.build}/bin/zerostall"
    done = subprocess.run([zerostall, "record", "--quiet", "--device", "sim", "--sim-values", values, "-o", trace, "--",
                           options.python, "-B", "-W", "ignore", PROGRAM], capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        sys.exit(f"cause_program.py ended with exit code {done.returncode}: {done.stderr[-1500:]}")
    return json.loads(subprocess.run([zerostall, "stat", trace, "--json"], capture_output=True, text=True, cwd=ROOT, check=True).stdout)


def found_lines(stat):
    """{line number: [(cause, confidence, waits per step)]} of judged steps."""
    lines = {}
    for site in stat["sites"]:
        if site["file"] and site["file"].endswith(PROGRAM.name) and site["waits_per_step"] and site["waits_per_step"]["max"]:
            lines.setdefault(site["line"], []).append((site["cause"], site["confidence"], site["waits_per_step"]["median"]))
    return lines


def compare(expected, found):
    """(rows of the table, what is wrong)"""
    rows, wrong = [], []
    for line, what in sorted(expected.items()):
        causes = found.get(line, [])
        names = [name for name, _, _ in causes]
        right = not names if what == "no wait" else set(names) == {what}
        if not right:
            wrong.append(f"line {line}: {what}, found {causes or 'nothing'}")
        rows.append((line, what, ", ".join(f"{name} ({sure})" for name, sure, _ in causes) or "-", "ok" if right else "WRONG"))
    for line, causes in sorted(found.items()):
        if line not in expected:
            wrong.append(f"line {line} is not marked, found {causes}")
    return rows, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--python", required=True)
    options = parser.parse_args()
    options.build = pathlib.Path(options.build).resolve()
    with tempfile.TemporaryDirectory() as folder:
        stat = record_and_stat(options, pathlib.Path(folder))
    expected, found = marked_lines(), found_lines(stat)
    rows, wrong = compare(expected, found)
    for row in rows:
        print("{:5} {:24} {:40} {}".format(*row))
    said = [(line, name) for line, causes in found.items() for name, _, _ in causes]
    right = sum(expected.get(line) == name for line, name in said)
    waits = sum(what != "no wait" for what in expected.values())
    print(f"precision {right}/{len(said)}, recall {right}/{waits}, {len(set(expected.values())) - 1} classes")
    print("\n".join(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
