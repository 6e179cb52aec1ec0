"""Executes each row of operations.py as a step of its own, and writes what PyTorch itself said of it:
execute_operations.py RESULT.json [ROW...]. Runs under the tracer; check_operations.py starts it."""
import json
import math
import sys
import warnings

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
    """Returns how many synchronising operations PyTorch's own debug mode saw."""
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
    return sum("synchronizing CUDA operation" in str(warning.message) for warning in seen)


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
            try:
                result["warnings"] = execute(number, row)
            except Exception as error:
                result["error"] = f"{type(error).__name__}: {error}".splitlines()[0]
        results.append(result)
    with open(sys.argv[1], "w") as file:
        json.dump(results, file)


main()
