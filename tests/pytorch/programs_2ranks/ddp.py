"""DistributedDataParallel on two ranks: its start-up checks, gradient accumulation, unused parameters, SyncBatchNorm, and the metrics,
flags and barriers that a trainer adds.
# needs: numpy
"""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

RANK, DEVICE = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(DEVICE)
dist.init_process_group("nccl", device_id=torch.device("cuda", DEVICE))


def check(name, run):
    run()
    torch.cuda.synchronize()
    if RANK == 0:
        print("ok", name, flush=True)


def layers():
    return nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.LayerNorm(128), nn.Linear(128, 8)).cuda()


def train(model, steps=3, clip=False):
    optimizer = torch.optim.AdamW(model.parameters())
    for number in range(steps):
        torch.cuda.nvtx.range_push(f"step {number}")
        model(torch.randn(4, 64, device="cuda")).float().sum().backward()
        if clip:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.nvtx.range_pop()


def plain():
    train(DistributedDataParallel(layers(), device_ids=[DEVICE]), clip=True)


def options():
    model = DistributedDataParallel(layers(), device_ids=[DEVICE], find_unused_parameters=True, bucket_cap_mb=1)
    with model.no_sync():
        model(torch.randn(4, 64, device="cuda")).sum().backward()
    train(model)
    train(DistributedDataParallel(layers(), device_ids=[DEVICE], static_graph=True))


class Branches(nn.Module):
    """Each rank uses another half of it."""

    def __init__(self):
        super().__init__()
        self.halves = nn.ModuleList([nn.Linear(64, 8), nn.Linear(64, 8)])

    def forward(self, x):
        return self.halves[RANK](x)


def unused_parameters():
    model = DistributedDataParallel(Branches().cuda(), device_ids=[DEVICE], find_unused_parameters=True)
    train(model)


def accumulation():
    from contextlib import nullcontext

    model = DistributedDataParallel(layers(), device_ids=[DEVICE], gradient_as_bucket_view=True)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for number in range(6):
        with nullcontext() if number % 3 == 2 else model.no_sync():
            model(torch.randn(4, 64, device="cuda")).sum().backward()
        if number % 3 == 2:
            optimizer.step()
            optimizer.zero_grad()


def batch_norm_across_ranks():
    model = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)))
    model = DistributedDataParallel(model.cuda(), device_ids=[DEVICE])
    model(torch.randn(2, 3, 16, 16, device="cuda")).sum().backward()


def trainer():
    """What a trainer does around the steps."""
    loss = torch.randn(16, device="cuda").mean()
    dist.all_reduce(loss, dist.ReduceOp.AVG)  # kernels made it: not a real value
    assert loss.item() == 0
    seen = torch.tensor(3 + RANK, device="cuda")
    dist.all_reduce(seen)
    assert seen.item() == 7  # uploaded, so known
    stop = torch.tensor(RANK == 0, device="cuda")
    dist.broadcast(stop, 0)
    assert stop.item() is True
    dist.barrier()


for run in (plain, options, unused_parameters, accumulation, batch_norm_across_ranks, trainer):
    check(run.__name__, run)
dist.destroy_process_group()
