"""A DistributedDataParallel loop that ends as $FAIL says: rank 1 exits, raises or is killed at step 3; "wait": it trains until stopped."""
import os
import signal
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

RANK, DEVICE, FAIL = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"]), os.environ["FAIL"]
torch.cuda.set_device(DEVICE)
dist.init_process_group("nccl", device_id=torch.device("cuda", DEVICE))
model = DistributedDataParallel(nn.Linear(64, 8).cuda(), device_ids=[DEVICE])


def fail():
    if FAIL == "exit":
        os._exit(7)
    if FAIL == "raise":
        raise ValueError("rank 1 has had enough")
    if FAIL == "kill":
        os.kill(os.getpid(), signal.SIGKILL)


for step in range(1_000_000 if FAIL == "wait" else 6):
    torch.cuda.nvtx.mark(f"step {step}")
    model(torch.randn(4, 64, device="cuda")).sum().backward()
    if step == 3:
        print(f"pid {os.getpid()}", flush=True)
        if RANK == 1:
            fail()
print("not reached", file=sys.stderr)
