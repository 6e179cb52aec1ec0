"""Executes each row of operations.py as a step of its own, and writes what PyTorch itself said of it:
execute_operations.py RESULT.json [ROW...]. Runs under the tracer; check_operations.py starts it."""
import json
import math
import os
import re
import sys
import traceback
import warnings

os.environ["TORCH_SHOW_CPP_STACKTRACES"] = "1"  # read when torch is loaded

import torch
import torch.nn.functional as F

from operations import OPERATIONS


def names():
    """What every row sees, made anew: rows may change their tensors."""
    net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 1)).cuda()
    net(torch.ones(8).cuda()).sum().backward()
    ones = torch.ones(8)
    return dict(torch=torch, F=F, math=math, net=net, x=ones.cuda(), y=ones.cuda(), m=torch.ones(4, 4).cuda(),
                i=torch.zeros(8, dtype=torch.long).cuda(), mask=torch.ones(8, dtype=torch.bool).cuda(),
                s=torch.tensor(0.0).cuda(), n=torch.tensor(0).cuda(), h=torch.ones(8), p=torch.ones(8).pin_memory())


def execute(number, row):
    """What PyTorch's own debug mode says: how many synchronising operations it saw, and the functions on the stack of
    the first one."""
    scope = names()
    exec(row.setup, scope)
    code = compile(row.code, row.name, "exec")
    for _ in range(2):  # libraries loaded, memory taken
        exec(code, scope)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        torch.cuda.set_sync_debug_mode("warn")
        torch.cuda.nvtx.range_push(f"step {number}")
        try:
            exec(code, scope)
        finally:
            torch.cuda.nvtx.range_pop()
            torch.cuda.set_sync_debug_mode("default")
    warned = sum("synchronizing CUDA operation" in str(warning.message) for warning in seen)
    stack, nameless = stack_of_sync(code, scope) if warned else ([], False)
    return dict(warnings=warned, stack=stack, nameless=nameless)


def stack_of_sync(code, scope):
    """Runs the row once more, until its first synchronising operation: names of functions, Python's and C++'s, and whether
    C++ functions of PyTorch are missing, since its libraries hide their names (newer wheels do)."""
    torch.cuda.set_sync_debug_mode("error")
    try:
        exec(code, scope)
    except RuntimeError as error:
        frames = [line.split("(")[0] for line in str(error).splitlines() if line.startswith("#")]
        functions = [re.split(r"::|\s", frame.split("::{")[0])[-1] for frame in frames]
        names = functions + [frame.name for frame in traceback.extract_tb(error.__traceback__)]
        return names, bool(re.search(r"^#\d+ \?\? from .*/libtorch", str(error), re.MULTILINE))
    finally:
        torch.cuda.set_sync_debug_mode("default")
    return [], False


def missing(row):
    try:
        __import__(row.needs or "torch")
    except ImportError:
        return True
    return False


def main():
    results = []
    for number, row in enumerate(OPERATIONS):
        if sys.argv[2:] and row.name not in sys.argv[2:]:
            continue
        result = dict(name=row.name, step=number)
        if missing(row):
            result["skipped"] = f"{row.needs} is not installed"
        else:
            torch.cuda.nvtx.range_push(row.name)  # what supplied values go by
            try:
                result.update(execute(number, row))
            except Exception as error:
                result["error"] = f"{type(error).__name__}: {error}".splitlines()[0]
            torch.cuda.nvtx.range_pop()
        results.append(result)
    with open(sys.argv[1], "w") as file:
        json.dump(dict(torch=torch.__version__, rows=results), file)


main()
