"""A PyTorch program on a simulated GPU that fails on demand (ZEROSTALL_SIM_FAULT): clear messages, no hang, no crash while it
exits, nor in its forked children. Each row is one run of this file as the program.

Usage: faults.py --build BUILD_DIR          the test
       faults.py program                    the program
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

# Fault, exit code, what the output must hold. The program exits with 10 when PyTorch raised, 0 when it got through.
CASES = [
    ("cudaMallock:1=cudaErrorMemoryAllocation", 0,  # no such function: nothing fails, and that is said
     ["trained 4 steps", "worker", "cudaMallock:1 did not happen: the function was called 0 times"]),
    ("cudaMalloc:2=cudaErrorMemoryAllocation", 0, ["trained 4 steps"]),  # PyTorch frees what it caches and tries again
    ("cudaMalloc:*=cudaErrorMemoryAllocation", 10, ["OutOfMemoryError", "CUDA out of memory"]),
    ("cudaLaunchKernel:60=cudaErrorIllegalAddress", 10, ["an illegal memory access was encountered"]),
    ("cudaStreamSynchronize:2=cudaErrorLaunchFailure", 10, ["unspecified launch failure"]),
    ("cublasCreate_v2:1=3", 10, ["CUBLAS_STATUS_ALLOC_FAILED"]),
]


def program():
    import atexit
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    kept = []
    atexit.register(kept.clear)  # tensors are freed while the process ends
    try:
        model.cuda()
        optimizer = torch.optim.AdamW(model.parameters())
        stream = torch.cuda.Stream()
        loader = torch.utils.data.DataLoader(torch.rand(16, 16), batch_size=4, num_workers=1)
        for x in loader:
            loss = model(x.to("cuda", non_blocking=True)).square().mean()
            loss.backward()
            optimizer.step()
            with torch.cuda.stream(stream):
                kept.append(loss.detach() + 1)
            loss.item()
        print("trained 4 steps", "worker", flush=True)
    except RuntimeError as problem:  # OutOfMemoryError and AcceleratorError are such
        print(type(problem).__name__, problem, flush=True)
        leave_forked(kept)
        sys.exit(10)
    leave_forked(kept)


def leave_forked(kept):
    """A child forked after all that: it has the parent's tensors, frees them and leaves by its exit handlers."""
    pid = os.fork()
    if pid == 0:
        kept.clear()
        sys.exit(0)
    print("child", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def check(build, fault, code, wanted):
    record = [f"{build}/bin/zerostall", "record", "--device", "sim", "--no-tracer", "--quiet", "--"]
    # PyTorch's autograd waits in a forked child for threads that are not there, by default 10 s.
    environment = dict(os.environ, ZEROSTALL_SIM_FAULT=fault, TORCH_AUTOGRAD_SHUTDOWN_WAIT_LIMIT="1")
    done = subprocess.run([*record, sys.executable, "-B", __file__, "program"], env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100)
    problems = [f"no '{text}'" for text in wanted if text not in done.stdout]
    if done.returncode != code:
        problems.append(f"exit code {done.returncode}, not {code}")
    if "child 0" not in done.stdout:
        problems.append("the forked child did not end well")
    print("ok  " if not problems else "FAIL", fault or "no fault", "; ".join(problems))
    if problems:
        print(done.stdout)
    return not problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("only", nargs="?", default="")
    arguments = parser.parse_args()
    begin = time.monotonic()
    good = [check(arguments.build, *case) for case in CASES if arguments.only in case[0]]
    sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "faults"))
    import fault_count  # for the table of ./dev faults
    fault_count.record("cuda_fails", "pytorch_faults", len(good), sum(good))
    print(f"{sum(good)} of {len(good)} faults taken well, {time.monotonic() - begin:.0f} s")
    sys.exit(0 if all(good) else 1)


program() if sys.argv[1:] == ["program"] else main()
