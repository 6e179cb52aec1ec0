"""Records python/waits.py under a Python and compares `stat --stacks --json` with what the script says of itself.

check_python_waits.py BUILD PYTHON [--stacks none|all]"""
import collections
import json
import os
import subprocess
import sys
import tempfile

build, python = sys.argv[1:3]
asked = sys.argv[4] if len(sys.argv) > 4 else "waits"
zerostall = os.path.join(build, "bin", "zerostall")
script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python", "waits.py")


def stored(file):
    """What is left of a path in a trace made in a folder without a repository, outside of all the script's folders."""
    for mark in ("/site-packages/", "/lib/python3"):
        if mark in file:
            return file[file.rindex(mark) + 1 :]
    return file


def run(folder):
    trace, places = os.path.join(folder, "t.zstall"), os.path.join(folder, "places.json")
    record = [zerostall, "record", "--quiet", "--device", "sim", "--stacks", asked, "-o", trace, "--"]
    subprocess.run(record + [python, "-B", script, places], check=True, cwd=folder)
    shown = subprocess.run([zerostall, "stat", "--stacks", "--json", trace], check=True, cwd=folder, capture_output=True)
    with open(places) as f:
        return json.loads(shown.stdout), json.load(f)


with tempfile.TemporaryDirectory() as folder:
    stat, places = run(folder)
if asked == "none":
    sys.exit(0 if stat["stacks"] == [] else f"stacks where none were asked for: {stat['stacks']}")
want = collections.Counter(
    tuple((os.path.basename(stored(file)), line, function) for file, line, function in frames) for frames in places
)
got = collections.Counter()
for stack in stat["stacks"]:
    frames = tuple((os.path.basename(f["file"]), f["line"] or 0, f["function"]) for f in stack["python"])
    if stack["python_frames"] != "known" or stack["native_cut"] or not stack["native"]:
        sys.exit(f"a stack that is not whole: {stack}")
    got[frames] += sum(wait["count"] for wait in stack["waits"])
    named = [s["function"] for n in stack["native"] for s in n["sources"] if s["function"]]
    if not any("cudaDeviceSynchronize" in name for name in named):
        sys.exit(f"no native frame is cudaDeviceSynchronize: {named}")
if got != want:
    sys.exit("\n".join(["stacks differ; in the trace:", *map(str, got.items()), "in the program:", *map(str, want.items())]))
print(f"{sum(got.values())} waits at {len(got)} places, as the program says")
