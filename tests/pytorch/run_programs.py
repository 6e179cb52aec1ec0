"""Runs programs on the simulated GPU and checks what their headers promise (program_header.py says what that may be):
run_programs.py --build BUILD PROGRAM.py... Prints a line per program; exits 1 if one fails."""
import argparse
import pathlib
import sys
import tempfile
import time

from program_header import read_header
from simulated import Tools


def check_steps(header, stat):
    judged = [step for step in stat["steps"] if step["judged"]]
    if header.expect and not judged:
        return ["no step was judged"]
    return [f"step {step['index']}: {counter} is {step[counter]}, expected {values}: {step['host_waits']}"
            for step in judged for counter, values in header.expect.items() if step[counter] not in values]


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
    return texts


def check_output(program, done):
    texts = [f"exit code {done.returncode}"] if done.returncode else []
    if f"ok {program.stem}" not in done.stdout.splitlines():
        texts.append(f"did not print 'ok {program.stem}'")
    return texts + ([done.stdout[-3000:]] if texts else [])


def run(tools, python, program, folder):
    """What is wrong, as texts."""
    header = read_header(program)
    trace = folder / f"{program.stem}.zstall" if header.tracer else None
    done = tools.record([python, program], trace, header.options, header.environment, header.timeout_s)
    texts = check_output(program, done)
    if trace and trace.exists():
        texts += check_trace(header, tools.stat(trace, header.warmup))
    elif trace:
        texts.append("no trace was written")
    return texts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for program in options.programs:
            begin = time.monotonic()
            texts = run(Tools(options.build), options.python, program, pathlib.Path(folder))
            print(f"{'FAIL' if texts else 'ok'} {program.stem} ({time.monotonic() - begin:.1f} s)", *texts, sep="\n     ")
            failed += bool(texts)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
