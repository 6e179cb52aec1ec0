"""Every kind of collective that torch.distributed has for NCCL, between two ranks; small ones carry real values.
# needs: numpy
"""
import os

import torch
import torch.distributed as dist

RANK = int(os.environ["RANK"])
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl", device_id=torch.device("cuda", torch.cuda.current_device()))
OTHER, EACH = 1 - RANK, [None] * dist.get_world_size()


def check(name, run):
    run()
    torch.cuda.synchronize()
    if RANK == 0:
        print("ok", name, flush=True)


def values(*numbers, dtype=torch.float32):
    return torch.tensor(numbers, device="cuda", dtype=dtype)


def expect(tensor, *numbers):
    assert tensor.tolist() == list(numbers), (tensor.tolist(), numbers)


def reductions():
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8):
        t = values(1 + RANK, 2, 3, 4, 5, 6, 7, 8, dtype=dtype)
        dist.all_reduce(t)
        expect(t, 3, 4, 6, 8, 10, 12, 14, 16)
    for op, result in ((dist.ReduceOp.MAX, 2), (dist.ReduceOp.MIN, 1), (dist.ReduceOp.AVG, 1.5), (dist.ReduceOp.PRODUCT, 2)):
        t = values(1 + RANK, 1, 1, 1)
        dist.all_reduce(t, op)
        expect(t, result, 1, 1, 1)
    t = values(1, 2, 3, 4)
    dist.reduce(t, 1)
    if RANK == 1:
        expect(t, 2, 4, 6, 8)
    out = torch.empty(4, device="cuda")
    dist.reduce_scatter_tensor(out, values(*range(8)))
    expect(out, *(2 * (4 * RANK + i) for i in range(4)))


def moves():
    t = values(RANK, 5, 6, 7)
    dist.broadcast(t, 1)
    expect(t, 1, 5, 6, 7)
    gathered = torch.empty(8, device="cuda")
    dist.all_gather_into_tensor(gathered, values(RANK, 5, 6, 7))
    expect(gathered, 0, 5, 6, 7, 1, 5, 6, 7)
    parts = [torch.empty(3, device="cuda") for _ in EACH]
    dist.all_gather(parts, values(RANK, 8, 9))
    expect(parts[1], 1, 8, 9)
    out = torch.empty(8, device="cuda")
    dist.all_to_all_single(out, values(*(10 * RANK + i for i in range(8))))
    expect(out, *(4 * RANK + i for i in range(4)), *(10 + 4 * RANK + i for i in range(4)))
    dist.all_to_all(parts, [values(RANK, i, 3) for i in range(2)])
    expect(parts[0], 0, RANK, 3)
    dist.gather(values(RANK, 1, 2), parts if RANK == 0 else None, 0)
    if RANK == 0:
        expect(parts[1], 1, 1, 2)
    mine = torch.empty(3, device="cuda")
    dist.scatter(mine, [values(i, 4, 5) for i in range(2)] if RANK == 1 else None, 1)
    expect(mine, RANK, 4, 5)


def point_to_point():
    got = torch.empty(3, device="cuda")
    if RANK == 0:
        dist.send(values(1, 2, 3), 1)
        dist.recv(got, 1)
    else:
        dist.recv(got, 0)
        dist.send(values(4, 5, 6), 0)
    expect(got, *((4, 5, 6) if RANK == 0 else (1, 2, 3)))
    operations = [dist.P2POp(dist.isend, values(RANK, 7, 7), OTHER), dist.P2POp(dist.irecv, got, OTHER)]
    for work in dist.batch_isend_irecv(operations):
        work.wait()
    expect(got, OTHER, 7, 7)


def objects():  # which one is the longest, kernels find out; the simulated NCCL knows it as well
    everything = list(EACH)
    dist.all_gather_object(everything, {"rank": RANK, "text": "x" * 50})
    assert everything == [{"rank": r, "text": "x" * 50} for r in range(2)], everything
    collected = list(EACH) if RANK == 0 else None
    dist.gather_object("ab"[RANK], collected, 0)
    assert RANK or collected == ["a", "b"], collected
    for lengths in ((5, 3000), (3000, 5)):
        texts = ["x" * length for length in lengths]
        dist.all_gather_object(everything, texts[RANK])
        assert everything == texts, [len(text) for text in everything]
    dist.gather_object(texts[RANK], collected, 0)  # the receiving rank's own must be the longest
    assert RANK or collected == texts, [len(text) for text in collected]
    for value in (True, {"epoch": 3, "text": "y" * 1000}):
        box = [value if RANK == 0 else None]
        dist.broadcast_object_list(box, 0)
        assert box == [value], box


def asynchronous():
    t = values(1, 1, 1)
    works = [dist.all_reduce(t, async_op=True) for _ in range(3)]
    for work in works:
        work.wait()
    expect(t, 8, 8, 8)
    a, b = values(1, 2, 3), values(4, 5, 6)
    with dist._coalescing_manager(async_ops=True) as work:
        dist.all_reduce(a)
        dist.all_reduce(b)
    work.wait()
    expect(a, 2, 4, 6)
    expect(b, 8, 10, 12)
    dist.barrier()
    large = torch.empty(1 << 26, device="cuda")  # 256 MiB: takes time, carries nothing
    dist.all_reduce(large)


def groups():
    pair = dist.new_group([0, 1])
    t = values(1, 2, 3)
    dist.all_reduce(t, group=pair)
    expect(t, 2, 4, 6)
    mesh = dist.device_mesh.init_device_mesh("cuda", (1, 2), mesh_dim_names=("replicas", "shards"))
    dist.all_reduce(t, group=mesh["shards"].get_group())
    expect(t, 4, 8, 12)
    on_cpu = dist.new_group([0, 1], backend="gloo")  # not ours
    x = torch.ones(2)
    dist.all_reduce(x, group=on_cpu)
    assert x.tolist() == [2, 2]


# From torch 2.15 on objects do not arrive: see profiler/simgpu/nccl/README.md.
with_objects = tuple(map(int, torch.__version__.split(".")[:2])) < (2, 15)
for run in (reductions, moves, point_to_point, *([objects] if with_objects else []), asynchronous, groups):
    check(run.__name__, run)
dist.destroy_process_group()
