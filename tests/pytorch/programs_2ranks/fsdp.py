"""FSDP2 on two ranks: mixed precision with gradients reduced in bfloat16 or float32, clipping, accumulation, CPU offload, a checkpoint.
# needs: numpy
"""
import os
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor

RANK, DEVICE = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(DEVICE)
dist.init_process_group("nccl", device_id=torch.device("cuda", DEVICE))


def check(name, run):
    run()
    torch.cuda.synchronize()
    if RANK == 0:
        print("ok", name, flush=True)


def layers():
    return nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.LayerNorm(128), nn.Linear(128, 8))


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


def sharded(model, **options):
    for layer in model:
        fully_shard(layer, **options)
    return fully_shard(model, **options)


def mixed_precision():
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    model = sharded(layers().cuda(), mp_policy=policy)
    train(model, clip=True)
    assert all(isinstance(p, DTensor) and p.device_mesh.size() == 2 for p in model.parameters())
    return model


def bfloat16_gradients():
    model = sharded(layers().cuda(), mp_policy=MixedPrecisionPolicy(torch.bfloat16, torch.bfloat16))
    model.set_requires_gradient_sync(False)
    model(torch.randn(4, 64, device="cuda")).sum().backward()
    model.set_requires_gradient_sync(True)
    train(model)


def cpu_offload():
    model = sharded(layers(), offload_policy=CPUOffloadPolicy())
    train(model)
    assert all(p.device.type == "cpu" for p in model.parameters())


def checkpoint():
    import torch.distributed.checkpoint as dcp
    from torch.distributed.checkpoint.state_dict import get_model_state_dict

    model = mixed_precision()
    folder = [tempfile.mkdtemp()]
    store = dist.distributed_c10d._get_default_store()
    if RANK == 0:
        store.set("folder", folder[0])
    path = store.get("folder").decode()
    state = get_model_state_dict(model)
    dcp.save(state, checkpoint_id=path, process_group=dist.new_group(backend="gloo"))
    dcp.load(state, checkpoint_id=path, process_group=dist.new_group(backend="gloo"))


for run in (bfloat16_gradients, cpu_offload, checkpoint):
    check(run.__name__, run)
dist.destroy_process_group()
