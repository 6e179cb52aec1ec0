"""PyTorch's own profiler on the simulated GPU: calls, kernels, copies, and the links between them.
# tracer: no
"""
import json
import tempfile
from collections import Counter

import torch
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile, record_function, schedule

model = torch.nn.Linear(64, 64).cuda()
pinned = torch.randn(8, 64).pin_memory()
BOTH = [ProfilerActivity.CPU, ProfilerActivity.CUDA]


def work():
    with record_function("my step"):
        x = pinned.to("cuda", non_blocking=True)
        loss = model(x).square().sum()
        loss.backward()
        return loss.item()


work()
for cycle in range(3):  # again and again in one process
    with profile(activities=BOTH, record_shapes=True) as profiler:
        for _ in range(4):
            work()
    names = Counter(event.name for event in profiler.events())
    device = Counter(event.name for event in profiler.events() if event.device_type == DeviceType.CUDA)
    assert names["cudaStreamSynchronize"] == 4, names
    assert device["Memcpy HtoD (Pinned -> Device)"] == device["Memcpy DtoH (Device -> Pinned)"] == 4, device
    # nvcc 13's launch function has no name in every Kineto
    launches = sum(count for name, count in names.items() if "LaunchKernel" in name or name == "INVALID")
    kernels = sum(count for name, count in device.items() if not name.startswith(("Mem", "my step")))
    assert kernels == launches > 0, (kernels, launches)
    assert any(event.device_time_total > 0 for event in profiler.key_averages())
with tempfile.NamedTemporaryFile(suffix=".json") as file:
    profiler.export_chrome_trace(file.name)
    events = json.load(open(file.name))["traceEvents"]
kernels = [event for event in events if event.get("cat") == "kernel"]
runtime = {event["args"].get("correlation"): event for event in events if event.get("cat") == "cuda_runtime"}
assert kernels and all(event["args"]["correlation"] in runtime for event in kernels)
assert all(event["ts"] >= runtime[event["args"]["correlation"]]["ts"] for event in kernels)

seen = []
with profile(activities=BOTH, schedule=schedule(wait=1, warmup=1, active=2), on_trace_ready=lambda p: seen.append(
        sum(event.name == "cudaStreamSynchronize" for event in p.events()))) as profiler:
    for _ in range(8):
        work()
        profiler.step()
assert seen == [2, 2], seen
print("ok torch_profiler")
