"""What the program writes, held to reports/*.schema.json: schemas_test.py BUILD. Each schema is met, and can be failed."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = f"""
import ctypes, sys
cuda = ctypes.CDLL("libcudart.so.13")
mark = ctypes.CDLL("{BUILD}/lib/zerostall/libzerostall_mark.so")
memory, host = ctypes.c_void_p(), ctypes.create_string_buffer(4096)
cuda.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(4096))
for n in range(8):
    mark.zerostall_step_begin(ctypes.c_long(n)); mark.zerostall_region_push(b"train")
    cuda.cudaMemsetAsync(memory, 0, ctypes.c_size_t(64), None)
    for _ in range(int(sys.argv[1])):
        cuda.cudaMemcpy(host, memory, ctypes.c_size_t(8), 2)
    mark.zerostall_region_pop(); mark.zerostall_step_end()
"""


def schema_of(document):
    name = re.fullmatch(r"zerostall/([a-z-]+)/[0-9]+", document["schema"])[1]
    schema = json.loads((ROOT / "reports" / f"{name}.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    assert schema["title"] == document["schema"], (schema["title"], document["schema"])
    return name, jsonschema.Draft7Validator(schema)


def check(document, what, seen):
    name, validator = schema_of(document)
    problems = [f"{what}: {'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in validator.iter_errors(document)]
    assert not problems, "\n".join(problems[:8])
    for key in document:  # one that can be left out says so by not being required
        if key in validator.schema["required"]:
            assert not validator.is_valid({k: v for k, v in document.items() if k != key}), f"{name}: may do without {key}"
        assert key in validator.schema["properties"], f"{name}: {key} is in no schema"
    seen.add(name)


def main():
    seen = set()
    with tempfile.TemporaryDirectory(prefix="zerostall-schemas-") as folder:
        def run(*words, codes=(0,)):
            done = subprocess.run([BUILD / "bin/zerostall", *map(str, words)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env={"PATH": "/usr/bin:/bin", "HOME": folder, "ZEROSTALL_SIM_LOG": f"{folder}/sim.json", "GIT_AUTHOR_DATE": "@1 +0000"})
            assert done.returncode in codes, f"{words}: {done.returncode}\n{done.stderr}"
            return done.stdout

        here = pathlib.Path(folder)
        (here / "program.py").write_text(PROGRAM)
        for waits in (1, 2):
            run("record", "--device", "sim", "-o", f"{waits}.zstall", "--quiet", "--", sys.executable, "program.py", waits)
        check(json.loads((here / "sim.json").read_text()), "simlog", seen)
        traces = ["1.zstall", "2.zstall", *sorted((ROOT / "tests/data/kineto").glob("*.json"))]
        for trace in traces:
            check(json.loads(run("stat", trace, "--json", codes=(0, 3))), f"stat {trace}", seen)
        for more in ("--stacks",), ("--region", "train"), ("--overhead",):
            check(json.loads(run("stat", "1.zstall", "--json", *more)), f"stat {more[0]}", seen)
        (here / "ranks").mkdir()
        for waits in (1, 2):
            (here / f"ranks/{waits}.zstall").write_bytes((here / f"{waits}.zstall").read_bytes())
        check(json.loads(run("stat", "ranks", "--json")), "stat of a folder", seen)
        check(json.loads(run("diff", "1.zstall", "2.zstall", "--json")), "diff", seen)
        check(json.loads(run("diff", traces[-1], traces[-2], "--json", codes=(0, 3))), "diff of another tool", seen)
        check(json.loads(run("doctor", "--device", "sim", "--json")), "doctor", seen)
        check(json.loads(run("export", "1.zstall", "--format", "json")), "export", seen)
        run("baseline", "update", "1.zstall", "-o", "baseline.json")
        check(json.loads((here / "baseline.json").read_text()), "baseline", seen)
        check(json.loads(run("check", "2.zstall", "--baseline", "baseline.json", "--max", "waits=0", "--out", "json=-", codes=(1,))), "check", seen)
        for number, trace in enumerate(("1.zstall", "1.zstall", "2.zstall"), 1):
            run("history", "add", trace, "--commit", f"{number:040x}", "--branch", "main")
        check(json.loads(run("history", "show", "--json")), "history", seen)
        for report in (("report", "1.zstall", "2.zstall", "-o", "page.html"), ("check", "2.zstall", "--max", "waits=0", "--out", "html=page.html")):
            run(*report, codes=(0, 1))
            data = re.search(r'<script type="application/json" id="zerostall-report">(.*?)</script>', (here / "page.html").read_text(), re.S)
            check(json.loads(data[1]), report[0] + " page", seen)
            (here / "page.html").unlink()
        if (BUILD / "lib/zerostall/zerostall-scenario").exists():
            check(json.loads(run("verify", "flux2", "--size", "tiny", "--device", "sim", "--steps", "6", "--json", codes=(0, 1))), "verify", seen)
            check(json.loads(run("verify", "--catalogue", "scalar-read", "--device", "sim", "--json")), "verify --catalogue", seen)
            seen.add("verify-all")  # a minute; each of its jobs is as `verify`: tests of label full read it
        else:
            seen |= {"verify", "verify-all", "verify-catalogue"}
    there = {path.name.removesuffix(".schema.json") for path in (ROOT / "reports").glob("*.schema.json")}
    assert there == seen, there ^ seen


main()
