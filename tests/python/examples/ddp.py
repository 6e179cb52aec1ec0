"""Data parallel training that logs a loss over all ranks: torchrun --nproc-per-node 2 ddp.py [--fixed]"""
import os
import sys

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import zerostall

FIXED = "--fixed" in sys.argv
STEPS = int(os.environ.get("ZEROSTALL_STEPS", 8))
DEVICE = int(os.environ["LOCAL_RANK"])


def log(loss, losses):
    dist.all_reduce(loss, dist.ReduceOp.AVG)
    if FIXED:
        losses.append(loss)  # read together, after the loop
    else:
        losses.append(loss.item())  # planted: waits for all ranks, in each step


def main():
    torch.cuda.set_device(DEVICE)
    dist.init_process_group("nccl", device_id=torch.device("cuda", DEVICE))
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 4)).cuda(), device_ids=[DEVICE])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in zerostall.steps(range(STEPS)):
        optimizer.zero_grad()
        loss = F.mse_loss(model(torch.randn(4, 32, device="cuda")), torch.zeros(4, 4, device="cuda"))
        loss.backward()
        optimizer.step()
        log(loss.detach().clone(), losses)
    if FIXED:
        losses = torch.stack(losses).tolist()
    dist.destroy_process_group()


main()
