"""Ranks that die, ranks that are stopped, a GPU too few, what cannot work: no hang, a clear text, no process left, traces kept.
rank_failures.py BUILD [CASE...]"""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).parent
ENOUGH_S = 60  # a hang would take NCCL's timeout, 600 s


def start(build, trace, fail, options, program="train.py"):
    command = [f"{build}/bin/zerostall", "record", "--device", "sim", "-o", trace, *options, "--", sys.executable, "-m",
               "torch.distributed.run", "--standalone", "--nproc-per-node", "2", HERE / "failing" / program]
    paths = [str(pathlib.Path(build, "python-packages").resolve()), os.environ.get("PYTHONPATH")]
    environment = dict(os.environ, FAIL=fail, PYTHONPATH=os.pathsep.join(filter(None, paths)))
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            start_new_session=True)


def pids_in(output):
    """Of the ranks, which print them at the same time: two may share a line."""
    return re.findall(r"pid (\d+)", output)


def living(session, output):
    """Processes of the session, and the ranks, which torchrun gives sessions of their own."""
    ranks = pids_in(output)
    command = ["ps", "-o", "pid=,stat=,args=", "-s", str(session), *(["-p", ",".join(ranks)] if ranks else [])]
    listed = subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout
    return [line for line in listed.splitlines() if "<defunct>" not in line]


def end_of(process, output=""):
    """(exit code, output). Nothing of it may be alive then."""
    try:
        rest, _ = process.communicate(timeout=ENOUGH_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        sys.exit("hangs:\n" + output + process.communicate()[0])
    left = living(process.pid, output + rest)
    assert not left, left
    return process.returncode, output + rest


def expect(condition, text, output):
    if not condition:
        sys.exit(f"{text}; the output was:\n{output}")


def steps_in(build, trace, rank):
    command = [f"{build}/bin/zerostall", "stat", "--rank", str(rank), "--warmup", "0", trace]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def dying(build, trace, fail):
    code, output = end_of(start(build, trace, fail, ["--gpus", "2"]))
    expect(code != 0, "success was reported", output)
    told = "rank 1 has ended" in output or "Signal 15 (SIGTERM) received" in output  # torchrun may be the faster one
    expect(told or fail == "raise", "rank 0 does not say why it failed", output)
    expect("not reached" not in output, "a rank went on", output)
    expect(output.count("simulated H200: kernels compute nothing") == 1, "the notice is not printed once", output)
    code, text = steps_in(build, trace, 0)
    expect(code == 0, "the trace of rank 0 cannot be read: " + text, output)


def interrupted(build, trace, _):
    process = start(build, trace, "wait", ["--gpus", "2"])
    output = ""
    watchdog = threading.Timer(ENOUGH_S, os.killpg, (process.pid, signal.SIGKILL))
    watchdog.start()
    while len(pids_in(output)) < 2:
        line = process.stdout.readline()
        expect(line, "it ended early", output)
        output += line
    watchdog.cancel()
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    code, output = end_of(process, output)
    expect(code != 0, "success was reported", output)
    for rank in range(2):
        code, text = steps_in(build, trace, rank)
        expect(code == 0 and "steps" in text, f"the trace of rank {rank} cannot be read: {text}", output)


def one_gpu(build, trace, _):
    code, output = end_of(start(build, trace, "none", []))
    expect(code != 0, "success was reported", output)
    expect("--gpus 2" in output, "the option to give is not named", output)


def objects(build, trace, _):
    code, output = end_of(start(build, trace, "none", ["--gpus", "2"], "objects.py"))
    expect(code != 0, "success was reported", output)
    expect(re.search(r"scatter_object_list at .*objects.py:11 reads what kernels.*gloo", output), "the cause is not named", output)


CASES = {"exit": dying, "raise": dying, "kill": dying, "interrupted": interrupted, "one_gpu": one_gpu,
         "objects": objects}


def main():
    build, *names = sys.argv[1:]
    sys.path.append(str(HERE.resolve().parent / "faults"))
    import fault_count  # for the table of ./dev faults
    with fault_count.FaultCount("rank_dies", "pytorch_rank_failures." + "_".join(names)) as faults:
        run_cases(build, names or CASES, faults)


def run_cases(build, names, faults):
    for name in names:
        begin = time.monotonic()
        dies = CASES[name] in (dying, interrupted)
        with faults.input(name) if dies else contextlib.nullcontext(), tempfile.TemporaryDirectory() as folder:
            CASES[name](build, pathlib.Path(folder, "run.zstall"), name)
        print(f"ok {name} ({time.monotonic() - begin:.1f} s)", flush=True)


if __name__ == "__main__":
    main()
