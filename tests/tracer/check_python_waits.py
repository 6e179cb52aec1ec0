"""Records python/waits.py under a Python and compares `stat --stacks --json` with what the script says of itself. The
script lies in the home of a user whose name and folders must not be in the trace.

check_python_waits.py BUILD PYTHON [none|waits|all]"""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

build, python = sys.argv[1:3]
asked = sys.argv[3] if len(sys.argv) > 3 else "waits"
zerostall = os.path.join(build, "bin", "zerostall")
script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python", "waits.py")


def run(folder):
    """What stat says, the places of the waits, and the bytes of the trace."""
    home, work = os.path.join(folder, "people", "alice"), os.path.join(folder, "work")
    os.makedirs(os.path.join(home, "secret"))
    os.makedirs(work)
    shutil.copy(script, os.path.join(home, "secret"))
    trace, places = os.path.join(work, "t.zstall"), os.path.join(folder, "places.json")
    record = [zerostall, "record", "--quiet", "--device", "sim", "--stacks", asked, "-o", trace, "--"]
    command = [python, "-B", os.path.join(home, "secret", "waits.py"), places]
    subprocess.run(record + command, check=True, cwd=work, env=dict(os.environ, HOME=home, USER="alice"))
    show = [zerostall, "stat", "--stacks", "--symbols", os.path.join(build, "lib", "zerostall"), "--json", trace]
    shown = subprocess.run(show, check=True, cwd=work, capture_output=True)
    with open(places) as f, open(trace, "rb") as t:
        return json.loads(shown.stdout), json.load(f), t.read()


def name(file):
    return file.rsplit("/", 1)[-1]


with tempfile.TemporaryDirectory() as folder:
    stat, places, trace = run(folder)
for private in (b"alice", b"secret", b"people/", b"/root/", b"/home/", folder.encode()):
    if private in trace:
        sys.exit(f"the trace holds {private}: {trace[trace.index(private) - 60 :][:120]}")
if asked == "none":
    sys.exit(0 if stat["stacks"] == [] else f"stacks where none were asked for: {stat['stacks']}")
want = collections.Counter(
    tuple((name(file), line, function) for file, line, function in frames) for frames in places
)
got = collections.Counter()
for stack in stat["stacks"]:
    frames = tuple((name(f["file"]), f["line"] or 0, f["function"]) for f in stack["python"])
    if stack["python_frames"] != "known" or stack["native_cut"] or not stack["native"]:
        sys.exit(f"a stack that is not whole: {stack}")
    got[frames] += sum(wait["count"] for wait in stack["waits"])
    named = [s["function"] for n in stack["native"] for s in n["sources"] if s["function"]]
    if not any("cudaDeviceSynchronize" in function for function in named):
        sys.exit(f"no native frame is cudaDeviceSynchronize: {named}")
if got != want:
    sys.exit("\n".join(["stacks differ; in the trace:", *map(str, got.items()), "in the program:", *map(str, want.items())]))
print(f"{sum(got.values())} waits at {len(got)} places, as the program says")
