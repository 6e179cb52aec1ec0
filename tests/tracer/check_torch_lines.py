"""Records python/item.py with PyTorch on the simulated GPU: its waits must be told at the lines that say so.

check_torch_lines.py BUILD PYTHON"""
import json
import os
import subprocess
import sys
import tempfile

build, python = sys.argv[1:3]
zerostall = os.path.join(build, "bin", "zerostall")
script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python", "item.py")
with open(script) as f:
    lines = {text.split("# LINE ")[1].strip(): number for number, text in enumerate(f, 1) if "# LINE " in text}
with tempfile.TemporaryDirectory() as folder:
    trace = os.path.join(folder, "t.zstall")
    record = [zerostall, "record", "--quiet", "--device", "sim", "-o", trace, "--", python, "-B", script]
    subprocess.run(record, check=True, cwd=folder)
    # The program's libraries are found from the environment of the command, as a user has it.
    environment = dict(os.environ, VIRTUAL_ENV=os.path.dirname(os.path.dirname(python)))
    simulated = os.path.join(build, "lib", "zerostall")
    show = [zerostall, "stat", "--stacks", "--symbols", simulated, "--json", "--warmup", "0", trace]
    stat = json.loads(subprocess.run(show, check=True, cwd=folder, env=environment, capture_output=True).stdout)
found = {}
for stack in stat["stacks"]:
    own = [frame for frame in stack["python"] if not frame["library"]]
    assert stack["python_frames"] != "unknown", stack
    if not own:
        continue
    assert all(os.path.basename(frame["file"]) == "item.py" for frame in own), own
    assert not os.path.isabs(own[0]["file"]), own[0]
    named = " ".join(s["function"] or "" for n in stack["native"] for s in n["sources"])
    found.setdefault(own[0]["line"], []).append((own[0]["function"], sum(w["count"] for w in stack["waits"]), named))
for what, native, function in (
    ("item in forward", "_local_scalar_dense", "forward"),
    ("item in read", "_local_scalar_dense", "read"),
    ("upload", "copy_", "<module>"),
):
    places = found.get(lines[what])
    assert places, f"no wait at line {lines[what]} ({what}); there are {sorted(found)}"
    assert sum(count for _, count, _ in places) == 2, places  # one in each step
    for name, _, named in places:
        assert name.split(".")[-1] == function, name
        assert native in named and "cudaStreamSynchronize" in named, named[:2000]
print(f"waits at lines {sorted(found)}, as marked")
