"""32 billion parameters made on the device take hardly any real memory, and 200 steps leave none behind.
# expect: waits=0
# warmup: 20
"""
import resource

import torch
from torch import nn

GIB = 2**30


def real_memory():
    for line in open("/proc/self/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) << 10


with torch.device("cuda"):
    layers = [nn.Linear(16384, 32768, bias=False, dtype=torch.bfloat16) for _ in range(60)]
assert sum(layer.weight.numel() for layer in layers) > 32e9
assert torch.cuda.memory_allocated() >= 60 * GIB
x = torch.ones(4, 16384, device="cuda", dtype=torch.bfloat16)
with torch.no_grad():
    for layer in layers:
        layer(x)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
assert peak < 1 * GIB, f"{peak / GIB:.2f} GiB of real memory"
del layers, layer
torch.cuda.empty_cache()

model = nn.Sequential(nn.Linear(256, 256), nn.GELU(), nn.Linear(256, 256)).cuda()
optimizer = torch.optim.AdamW(model.parameters())
host = torch.randn(64, 256).pin_memory()
for number in range(220):
    torch.cuda.nvtx.range_push(f"step {number}")
    model(host.to("cuda", non_blocking=True)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    torch.cuda.nvtx.range_pop()
    if number == 19:
        before = real_memory()
grown = real_memory() - before
assert grown < 10 << 20, f"{grown >> 20} MiB more after 200 steps"
print(f"measured: {peak / GIB:.2f} GiB of real memory at most; {grown >> 10} KiB more after 200 steps")
print("ok large_model")
