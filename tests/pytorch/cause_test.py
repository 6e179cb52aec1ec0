"""What zerostall says of the reasons for which lines of the cause programs wait, against what the lines themselves say: precision
and recall. Calls that take or give back memory count as waits here. cause_test.py --build BUILD --python PYTHON. Exits 1 when a
reason is wrong, a wait is missing, or a line that must not be blamed is."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAMS = [HERE / "cause_program.py", HERE / "cause_program_more.py"]
# What the programs must read back, since no kernel computes anything: by a text of the line that reads.
VALUES = [("size-from-device", 8, 32, "int64"), ("size-from-device", 1, True, "bool"), ("dynamic-shape", 4, 2, "int32"),
          ("isfinite", 1, True, "bool"), ("library-internal", 1, True, "bool")]


def marked_lines(program):
    """{line number: what it says}"""
    lines = program.read_text().splitlines()
    return {n: line.split("#: ")[1].strip() for n, line in enumerate(lines, 1) if "  #: " in line}


def sim_values(program):
    lines = program.read_text().splitlines()
    reads = [{"at": f"{program.name}:{n}", "bytes": size, "value": value, "type": kind}
             for text, size, value, kind in VALUES for n, line in enumerate(lines, 1) if text in line and "#: " in line]
    return json.dumps({"reads": reads})


def record_and_stat(program, options, folder):
    values, trace = folder / "values.json", folder / "t.zstall"
    values.write_text(sim_values(program))
    zerostall = f"{options.build}/bin/zerostall"
    done = subprocess.run([zerostall, "record", "--quiet", "--device", "sim", "--sim-values", values, "-o", trace, "--",
                           options.python, "-B", "-W", "ignore", program], capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        sys.exit(f"{program.name} ended with exit code {done.returncode}: {done.stderr[-1500:]}")
    return json.loads(subprocess.run([zerostall, "stat", trace, "--json"], capture_output=True, text=True, cwd=ROOT, check=True).stdout)


def found_lines(program, stat):
    """{line number: [(cause, confidence, waits per step)]} of judged steps."""
    lines = {}
    for site in stat["sites"] + stat["implicit_sites"]:
        if site["file"] and site["file"].endswith(program.name) and site["waits_per_step"] and site["waits_per_step"]["max"]:
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
    right = said = waits = 0
    classes, all_wrong = set(), []
    for program in PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            stat = record_and_stat(program, options, pathlib.Path(folder))
        expected, found = marked_lines(program), found_lines(program, stat)
        rows, wrong = compare(expected, found)
        print(program.name)
        for row in rows:
            print("{:5} {:28} {:44} {}".format(*row))
        names = [(line, name) for line, causes in found.items() for name, _, _ in causes]
        right += sum(expected.get(line) == name for line, name in names)
        said += len(names)
        waits += sum(what != "no wait" for what in expected.values())
        classes |= set(expected.values()) - {"no wait"}
        all_wrong += [f"{program.name} {text}" for text in wrong]
    print(f"precision {right}/{said}, recall {right}/{waits}, {len(classes)} classes")
    print("\n".join(all_wrong))
    sys.exit(bool(all_wrong))


if __name__ == "__main__":
    main()
