"""What a read-back returns: what copies put there, else zero, else what a file supplies by place, range, size and order.
# expect: waits=3
"""
import os
import pathlib
import threading

os.environ.setdefault("ZEROSTALL_SIM_VALUES", str(pathlib.Path(__file__).with_suffix(".values.json")))

import torch

work = torch.randn(64, 64, device="cuda")


def kernels():
    for _ in range(50):
        work.mul_(2)


def supplied_by_function():
    return work.sum().item()


def supplied_in_turn():
    return [int(work.argmax().item()) for _ in range(4)]


def function_of(file):
    """One that reads a sum, as if it stood in that file."""
    scope = {}
    exec(compile("def read(work, values):\n    values.append(work.sum().item())", file, "exec"), scope)
    return scope["read"]


def check_places():
    own, library = function_of("/home/me/torch/train.py"), function_of("/usr/lib/python3/site-packages/tools/sums.py")
    values = []
    own(work, values)  # a folder of the program's own may be called torch
    library(work, values)
    alone = threading.Thread(target=library, args=(work, values))  # no frame of the program's own
    alone.start()
    alone.join()
    assert values == [2.5, 3.5, 3.5], values


def check_copies():
    source = torch.randn(1 << 18)
    pinned, pageable = source.pin_memory(), torch.empty_like(source)
    for upload in (source, pinned):
        for non_blocking in (False, True):
            device = torch.empty_like(source, device="cuda").copy_(upload, non_blocking=non_blocking)
            assert torch.equal(pageable.copy_(device), source)
            assert torch.equal(torch.empty_like(device).copy_(device).cpu(), source)
    rows = source.view(512, 512)[:, :100]  # not contiguous: a kernel packs it, whose result nobody knows
    assert rows.cuda().cpu().shape == rows.shape


labels = torch.arange(1, 9).cuda()
weight = torch.nn.Linear(300, 300).cuda().weight
reference = weight.cpu()
check_copies()
kernels()
assert labels.tolist() == list(range(1, 9)), "uploaded, and read back as a whole"
assert torch.equal(weight.cpu(), reference) and reference.abs().sum() > 0
assert work.sum().item() == 0, "a kernel's result"
assert work.cpu().abs().sum() == 0
assert supplied_by_function() == 17.25
check_places()
assert supplied_in_turn() == [3, 1, 2, 2]
for number in range(4):
    torch.cuda.nvtx.range_push(f"step {number}")
    kernels()
    torch.cuda.nvtx.range_push("loss")
    loss = work.mean().item()
    torch.cuda.nvtx.range_pop()
    assert abs(loss - 0.7) < 1e-6, loss
    assert work.mean().item() == 0, "outside of the range"
    assert not torch.isnan(work).any().item()
    torch.cuda.nvtx.range_pop()
print("ok read_back_values")
