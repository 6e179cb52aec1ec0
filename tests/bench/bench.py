"""Runs the benchmarks one after the other and gathers their figures: bench.py --build BUILD [PART...] [--check] [--readme]
Writes BUILD/bench/bench.json and bench.md; what is not run again stays in them. Exit codes: 0 every goal of the parts that ran holds or
is a known miss within its bound, 1 not (or a part failed), 2 bad option."""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import platform
import resource
import signal
import subprocess
import sys
import threading
import time

from bench_table import check_text, put_between_marks, readme_lines, whole_lines
from figures import load_goals

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIMIT_S = 1200  # of one program: it hangs
SKIPPED = 77
# What the figures depend on. Texts and goals may change without another run.
SOURCES = ["profiler", "reports", "fixes", "scenarios", "tests/bench", ":!*.md", ":!tests/bench/goals.json"]


def parts_of(build):
    """{part: [command, ...]}, those first that say most about the machine's noise."""
    def script(name, *arguments):
        return [sys.executable, "-B", str(HERE / f"{name}.py"), "--build", build, *arguments]

    def program(name, *arguments):
        return [f"{build}/tests/bench/bench_{name}", *arguments]

    return {
        "tracer": [script("tracer_bench", "--turns", "150")],
        "torch": [script("torch_bench", "--rounds", "5", "--processes", "4", "--pairs", "150")],
        "stacks": [program("stacks", "--benchmark_min_time=0.2"), [sys.executable, "-B", str(HERE / "python_stacks.py"), f"{build}/tests/tracer/libstack_probe.so"]],
        "simgpu": [program("simgpu", "--benchmark_min_time=0.2"), script("model_bench")],
        "import": [script("import_bench", "--turns", "9", "rates", "start", "growth", "big", "huge"), program("nsys")],
        "analyze": [program("wait_costs"), program("analyze", "--benchmark_min_time=0.2", "--benchmark_filter=infer/(optimizer|period|nothing)/|places")],
        "gate": [program("check")],
        "timeline": [program("timeline", "--benchmark_min_time=0.2")],
        "report": [script("report_bench")],
        "programs": [script("programs_bench")],
        "python": [script("python_bench")],
        "verify": [program("verify")],
        "jobs": [script("jobs_bench")],
        "fleet": [script("fleet_bench")],
        "peers": [script("peers_bench")],
        "curves": [script("curves_bench")],
    }


# --- running ----------------------------------------------------------------------------------------------------------------

def passed_on(stream, log, last):
    """What the program prints goes on to our output and into the log; `last` keeps its last line that says something."""
    for line in stream:
        log.write(line)
        sys.stdout.write(line)
        sys.stdout.flush()
        if line.strip():
            last[:] = [line.strip()]


def run(command, figures_file, log):
    """None, or what went wrong in one line."""
    name = pathlib.Path(command[2] if command[1:2] == ["-B"] else command[0]).name
    try:
        # A session of its own: what it has started ends with it.
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
                                   env={**os.environ, "ZEROSTALL_BENCH_FIGURES": str(figures_file)})
    except OSError as problem:
        return f"{name} could not be started: {problem.strerror}"
    last = ["it said nothing"]
    reader = threading.Thread(target=passed_on, args=(process.stdout, log, last), daemon=True)
    reader.start()
    try:
        code = process.wait(LIMIT_S)
    except subprocess.TimeoutExpired:
        end(process)
        code = None
    except KeyboardInterrupt:
        end(process)
        raise
    reader.join(10)  # a child of it may still hold the pipe
    if not reader.is_alive():
        process.stdout.close()
    if code is None:
        return f"{name} took longer than {LIMIT_S} s and was ended"
    if code == SKIPPED:
        return f"{name} was skipped: {last[0]}"
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return f"{name} failed ({how}): {last[0][:160]}" if code else None


def end(process):
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def read_figures(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def measure(part, commands, folder):
    """(what is known of the part, its figures)"""
    begin, cpu = time.monotonic(), cpu_of_children()
    figures_file = folder / f"{part}.jsonl"
    figures_file.unlink(missing_ok=True)
    with open(folder / f"{part}.log", "w", encoding="utf-8") as log:
        failures = [problem for command in commands if (problem := run(command, figures_file, log))]
    figures = read_figures(figures_file)
    for figure in figures:
        figure.update(part=part, command=f"./dev bench {part}")
    return {"date": datetime.datetime.now().isoformat(timespec="seconds"), "seconds": round(time.monotonic() - begin, 1),
            "cpu_seconds": round(cpu_of_children() - cpu, 1), "failures": failures}, figures


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# --- what was measured on what ----------------------------------------------------------------------------------------------

def output_of(*command):
    """"" where it cannot be run."""
    try:
        return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def commit():
    return output_of("git", "describe", "--always", "--dirty", "--exclude", "*") or "unknown"


def state():
    """Tells the sources of two runs apart; "" without git."""
    listed = output_of("git", "ls-files", "-s", "--", *SOURCES)
    return hashlib.sha256((listed + output_of("git", "diff", "--", *SOURCES)).encode()).hexdigest()[:16] if listed else ""


def machine():
    names = [line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {"cpu": names[0] if names else platform.machine(), "cores": len(os.sched_getaffinity(0)),
            "memory_gib": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30)}


def versions(build):
    compiler = output_of(os.environ.get("CXX", "c++"), "-dumpfullversion")
    torch = output_of(f"{build}/venv/bin/python", "-c", "from importlib.metadata import version; print(version('torch'))")
    found = {"Python": platform.python_version(), "g++": compiler, "torch": torch, "Linux": platform.release().split("-")[0]}
    return {name: version for name, version in found.items() if version}


def load(path):
    """What an earlier run wrote; nothing where it is missing, of another form or of another machine."""
    try:
        data = json.loads(path.read_text())
    except (OSError, ValueError):
        data = {}
    if data.get("schema") != "zerostall/bench/1" or data["machine"] != machine():
        return {"schema": "zerostall/bench/1", "machine": machine(), "versions": {}, "parts": {}, "figures": []}
    return data


def write(path, text):
    """All of it or nothing."""
    beside = path.with_name(path.name + ".new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def run_parts(wanted, build, folder, data):
    """Measures, and writes after each part, so that what is known is kept."""
    commands = parts_of(build)
    for part in wanted:
        print(f"\n== {part}", flush=True)
        known, figures = measure(part, commands[part], folder)
        data["parts"][part] = {**known, "commit": commit(), "state": state()}
        data["figures"] = [f for f in data["figures"] if f["part"] != part] + figures
        data["versions"] = versions(build)
        write(folder / "bench.json", json.dumps(data, indent=1) + "\n")
        write(folder / "bench.md", "\n".join(whole_lines(data, load_goals())) + "\n")


def stale_parts(data, all_parts):
    """Those that were not measured, failed, or measured other sources."""
    now = state()
    return [part for part in all_parts if part not in data["parts"] or data["parts"][part]["failures"] or data["parts"][part]["state"] != now]


def say_outcome(data, wanted, all_parts):
    """Whether all is well. Goals of parts that were not asked for are left out where some were."""
    goals = load_goals()
    whole = set(wanted) == set(all_parts)
    measured = [f for f in data["figures"] if f["part"] in wanted]
    if not whole:
        curves = {f"exponent: {f['curve']['name']}" for f in measured if "curve" in f}
        goals = {id: goal for id, goal in goals.items() if id.split(".")[0] in wanted or id in curves}
    lines, good = check_text(goals, measured)
    failures = [f"{part}: {failure}" for part in wanted for failure in data["parts"].get(part, {}).get("failures", [])]
    print("\n" + "\n".join([*lines, *failures, f"took {sum(data['parts'][p]['seconds'] for p in wanted if p in data['parts']):.0f} s"]))
    return good and not failures


def put_into_readme(data):
    if not data["figures"]:
        sys.exit("bench: nothing was measured yet: call ./dev bench first")
    readme = ROOT / "README.md"
    try:
        write(readme, put_between_marks(readme.read_text(), readme_lines(data, load_goals())))
    except ValueError as problem:
        sys.exit(f"bench: {readme}: {problem}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--check", action="store_true", help="judge what was measured last; what is missing or of other sources is measured")
    parser.add_argument("--readme", action="store_true", help="put the table of what was measured last into README.md")
    parser.add_argument("--dry-run", action="store_true", help="say which parts would be measured, and measure nothing")
    parser.add_argument("parts", nargs="*", metavar="PART", help="tracer, torch ...; default: all")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    all_parts = list(parts_of(build))
    if unknown := [part for part in options.parts if part not in all_parts]:
        parser.error(f"no benchmark '{unknown[0]}': {', '.join(all_parts)}")
    folder = pathlib.Path(build, "bench")
    data = load(folder / "bench.json")
    if options.readme:
        return put_into_readme(data)
    wanted = list(dict.fromkeys(options.parts)) or all_parts
    to_run = [p for p in stale_parts(data, all_parts) if p in wanted] if options.check else wanted
    if options.dry_run:
        return print("\n".join(to_run))
    folder.mkdir(parents=True, exist_ok=True)
    if options.check and to_run:
        print(f"measured anew, since nothing of these sources is at hand: {', '.join(to_run)}")
    try:
        run_parts(to_run, build, folder, data)
    except KeyboardInterrupt:
        sys.exit("\nbench: interrupted; the parts that were done are kept")
    good = say_outcome(data, wanted, all_parts)
    print(f"figures: {folder}/bench.json, bench.md")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
