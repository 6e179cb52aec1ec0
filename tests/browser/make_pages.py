"""Makes the reports that are looked at, and what other commands say of the same traces: make_pages.py ZEROSTALL
MAKE_REPORT_TRACES EMPTY_LIBRARY OUT"""
import os
import pathlib
import shutil
import subprocess
import sys

# Page: its traces.
PAGES = {
    "one": ["simulated.zstall"],
    "two": ["before.zstall", "after.zstall"],
    "measured": ["before.zstall"],
    "mixed": ["simulated.zstall", "after.zstall"],
    "no_steps": ["no_steps.zstall"],
    "two_no_steps": ["no_steps.zstall", "no_steps.zstall"],
    "no_waits": ["no_waits.zstall"],
    "lost": ["lost.zstall"],
    "two_lost": ["lost.zstall", "after.zstall"],
    "to_none": ["before.zstall", "no_waits.zstall"],
    "steps_on_one_side": ["before.zstall", "no_steps.zstall"],
    "ranks": ["ranks"],
    "hostile": ["hostile.zstall"],
    "two_hostile": ["hostile.zstall", "hostile.zstall"],
}


def run(zerostall, *arguments, codes=(0,)):
    done = subprocess.run([zerostall, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode not in codes:
        sys.exit(f"zerostall {' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


# Hands out a prepared trace in place of running the scenario.
SCENARIO = """#!/bin/sh
stem=
while [ $# -gt 0 ]; do
  if [ "$1" = --fix ]; then stem=${stem:+$stem+}$2; fi
  shift
done
cp "$TRACES/${stem:-none}.zstall" "$ZEROSTALL_TRACE"
"""


def verify(zerostall, empty_library, traces, out):
    """The page of `verify`, by a copy of the program whose tracer and simulated GPU are empty."""
    home = out / "installation"
    (home / "bin").mkdir(parents=True)
    models = home / "lib/zerostall/simgpu/models"
    models.mkdir(parents=True)
    (models / "h200.json").write_text("{}")
    shutil.copy(zerostall, home / "bin/zerostall")
    shutil.copy(empty_library, home / "lib/zerostall/libzerostall_tracer.so")
    shutil.copy(empty_library, home / "lib/zerostall/simgpu/libzerostall_simgpu.so")
    script = home / "scenario.sh"
    script.write_text(SCENARIO)
    script.chmod(0o755)
    os.environ.update({"ZEROSTALL_SCENARIO_PROGRAM": str(script), "TRACES": str(traces)})
    run(home / "bin/zerostall", "verify", "flux2", "--size", "tiny", "--device", "sim", "--out", f"html={out / 'verify.html'}")


def main():
    zerostall, make_traces, empty_library, out = sys.argv[1], sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])
    shutil.rmtree(out, ignore_errors=True)
    traces = out / "traces"
    traces.mkdir(parents=True)
    subprocess.run([make_traces, traces], check=True)
    for name, files in PAGES.items():
        run(zerostall, "report", *[traces / file for file in files], "-o", out / f"{name}.html")
    for name in ("before", "after", "simulated"):
        (out / f"{name}.stat.json").write_text(run(zerostall, "stat", "--json", traces / f"{name}.zstall", codes=(0, 3)))
    (out / "two.diff.json").write_text(run(zerostall, "diff", "--json", traces / "before.zstall", traces / "after.zstall", codes=(0, 3)))
    run(zerostall, "check", "--max", "waits=0", traces / "before.zstall", "--out", f"html={out / 'check.html'}",
        "--out", f"json={out / 'check.json'}", codes=(1,))
    run(zerostall, "check", traces / "after.zstall", "--baseline", traces / "before.zstall", "--out", f"html={out / 'check_two.html'}", codes=(0, 1, 3))
    verify(zerostall, empty_library, traces / "verify", out)


if __name__ == "__main__":
    main()
