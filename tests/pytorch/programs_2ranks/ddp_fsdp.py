"""DistributedDataParallel with its start-up checks, and FSDP2 with mixed precision, gradient clipping and a checkpoint, on two ranks."""
import os
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor
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


def ddp():
    train(DistributedDataParallel(layers(), device_ids=[DEVICE]), clip=True)


def ddp_options():
    model = DistributedDataParallel(layers(), device_ids=[DEVICE], find_unused_parameters=True, bucket_cap_mb=1)
    with model.no_sync():
        model(torch.randn(4, 64, device="cuda")).sum().backward()
    train(model)
    train(DistributedDataParallel(layers(), device_ids=[DEVICE], static_graph=True))


def ddp_refuses_models_that_differ():
    model = nn.Linear(4, 4 + RANK).cuda()
    try:
        DistributedDataParallel(model, device_ids=[DEVICE])
    except RuntimeError as e:
        assert "shape" in str(e) or "size" in str(e), e
    else:
        raise AssertionError("the ranks' shapes differ, and nobody noticed")


def batch_norm_across_ranks():
    model = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)))
    model = DistributedDataParallel(model.cuda(), device_ids=[DEVICE])
    model(torch.randn(2, 3, 16, 16, device="cuda")).sum().backward()


def fsdp2():
    model = layers()
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for layer in model:
        fully_shard(layer, mp_policy=policy)
    fully_shard(model, mp_policy=policy)
    train(model, clip=True)
    assert all(isinstance(p, DTensor) and p.device_mesh.size() == 2 for p in model.parameters())
    return model


def checkpoint():
    import torch.distributed.checkpoint as dcp
    from torch.distributed.checkpoint.state_dict import get_model_state_dict

    model = fsdp2()
    folder = [tempfile.mkdtemp()]
    store = dist.distributed_c10d._get_default_store()
    if RANK == 0:
        store.set("folder", folder[0])
    path = store.get("folder").decode()
    state = get_model_state_dict(model)
    dcp.save(state, checkpoint_id=path, process_group=dist.new_group(backend="gloo"))
    dcp.load(state, checkpoint_id=path, process_group=dist.new_group(backend="gloo"))


for run in (ddp, ddp_options, ddp_refuses_models_that_differ, batch_norm_across_ranks, fsdp2, checkpoint):
    check(run.__name__, run)
dist.destroy_process_group()
