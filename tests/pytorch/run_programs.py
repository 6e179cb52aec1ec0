"""Runs programs on the simulated GPU and checks what their headers promise (program_header.py says what that may be):
run_programs.py --build BUILD PROGRAM.py... Prints a line per program; exits 1 if one fails."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import book
from program_header import read_header
from simulated import Tools
from versions import fits

SKIPPED = 77  # what CTest is told to take as skipped


def expected_values(header, step):
    """{counter: the values it may have}."""
    return header.expect | {counter: [values[step["index"] % len(values)]] for counter, values in header.cycle.items()}


def check_steps(header, stat):
    judged = [step for step in stat["steps"] if step["judged"]]
    if (header.expect or header.cycle) and not judged:
        return ["no step was judged"]
    return [f"step {step['index']}: {counter} is {step[counter]}, expected {values}: {step['host_waits']}"
            for step in judged for counter, values in expected_values(header, step).items() if step[counter] not in values]


def check_trace(header, stat):
    texts = check_steps(header, stat)
    oddities = stat["oddities"]
    texts += [f"unsupported call: {name}" for name in oddities["unsupported_calls"] if name not in header.unsupported]
    texts += [f"the tracer had a problem: {text}" for text in oddities["tool_problems"]]
    if not stat["complete"]:
        texts.append(f"the trace is not complete: {stat['lost']} records lost")
    for name, count in header.calls.items():
        found = stat["calls"].get(name, {"count": 0})["count"]
        if found != count:
            texts.append(f"{name} was called {found} times, expected {count}")
    texts += [f"in all {name} is {stat['totals'][name]}, expected {value}" for name, value in header.totals.items()
              if stat["totals"][name] != value]
    return texts


def check_output(done):
    texts = [f"exit code {done.returncode}"] if done.returncode else []
    if not re.search(r"^ok ", done.stdout, re.MULTILINE):
        texts.append("printed no line that begins with ok")
    return texts + ([done.stdout[-3000:]] if texts else [])


def add_packages(build, header):
    """Programs that need more than torch find it in the folder that install_packages.py has filled."""
    if header.needs:
        paths = [os.environ.get("PYTHONPATH"), str(pathlib.Path(build, "python-packages").resolve())]
        header.environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))


def why_skipped(python, header):
    """A text, empty if the program can run."""
    code = ("import importlib.metadata, importlib.util, sys; print(importlib.metadata.version('torch'));"
            "print(*(m for m in sys.argv[1:] if not importlib.util.find_spec(m)))")
    done = subprocess.run([python, "-c", code, *header.needs], check=True, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **header.environment})
    version, missing = done.stdout.splitlines()
    if not fits(version, header.torch):
        return f"torch is {version}, needed is {header.torch}"
    return missing and f"{missing} not installed"


def command_of(python, program, header):
    if header.ranks == 1:
        return [python, program]
    return [python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(header.ranks), program]


def check_ranks(program, header, stat):
    """Each rank has a trace that says which it is, and the launcher has none."""
    seen = [(p["rank"], p["local_rank"], p["world_size"], p["host_number"]) for p in stat["processes"]]
    texts = []
    if seen != [(rank, rank, header.ranks, 0) for rank in range(header.ranks)]:
        texts.append(f"ranks, local ranks, world sizes and hosts are {seen}")
    for process in stat["processes"]:
        if not (process["script"] or "").endswith(program.name) or process["argv"] is not None or process["host"]:
            texts.append(f"a rank is described as {process['script']}, {process['argv']}, {process['host']}")
    return texts


def run(tools, python, program, header, folder, with_profiler):
    """What is wrong, as texts."""
    trace = folder / f"{program.stem}.zstall" if header.tracer else None
    command = command_of(python, program, header)
    books = folder / f"{program.stem}.books"
    books.mkdir()
    done = tools.record(command, trace, header.options, {**header.environment, "ZEROSTALL_SIM_LOG": str(books)}, header.timeout_s)
    texts = check_output(done)
    for line in re.findall("^measured: .*", done.stdout, re.MULTILINE):
        print(line)
    if trace and trace.exists():
        stat = tools.stat(trace, header.warmup)
        texts += check_trace(header, stat)
        if header.ranks > 1:
            texts += check_ranks(program, header, stat)
        if tools.device.startswith("sim"):
            texts += book.check(tools, trace, books)
        if with_profiler and header.profiler and header.ranks == 1 and not texts:
            import profiler_check
            texts += profiler_check.check(tools, python, program, header, folder, stat)
    elif trace:
        texts.append("no trace was written")
    return texts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--device", default="sim")
    parser.add_argument("--profiler", action="store_true", help="compare with PyTorch's profiler too")
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for program in options.programs:
            begin = time.monotonic()
            header = read_header(program)
            add_packages(options.build, header)
            if why := why_skipped(options.python, header):
                print(f"skipped {program.stem}: {why}")
                sys.exit(SKIPPED)
            tools = Tools(options.build, options.device)
            texts = run(tools, options.python, program, header, pathlib.Path(folder), options.profiler)
            verdict = "FAIL" if texts else "ok"
            print(f"{verdict} {program.stem} ({time.monotonic() - begin:.1f} s)", *texts, sep="\n     ")
            failed += bool(texts)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
