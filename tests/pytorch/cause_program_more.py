"""Like cause_program.py, for reasons that disturb its steps: what takes memory from the device, what no word in the line tells, and
what a library does by itself."""
import torch
from torch import distributions, nn

STEPS = 8
device = torch.device("cuda")
model = nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 64)).to(device)
x = torch.randn(32, 64, device=device)
sigmas = torch.linspace(0, 1, 100)
device_sigmas = sigmas.to(device)
number = torch.tensor(7, device=device)
zeros, ones = torch.zeros(4, device=device), torch.ones(4, device=device)


def step():
    h = model(x)
    mask = h > 0
    chosen = h[mask]  #: dynamic-shape
    kept = torch.where(mask, h, 0)  #: no wait
    rows = h[h.sum(1) > 0]  #: dynamic-shape
    h = h * 2
    sigma = sigmas[number]  #: host-table-by-device-index
    h = h * sigma
    also_read = device_sigmas[number]  #: host-table-by-device-index
    h = h * also_read
    on_device = device_sigmas.index_select(0, number)  #: no wait
    h = h * on_device
    first = h[0]  #: no wait
    h[mask] = 0  #: no wait
    h = h + 1
    same = sigmas[3]  #: no wait
    h = h * same
    noise = distributions.Normal(zeros, ones)  #: library-internal
    unchecked = distributions.Normal(zeros, ones, validate_args=False)  #: no wait
    return chosen, kept, rows, first, noise, unchecked


def allocating_step():
    model(x)
    held = torch.empty(64 << 20, device=device)  #: allocator
    del held
    torch.cuda.empty_cache()  #: allocator
    cached = torch.empty(1 << 20, device=device)  #: allocator
    del cached
    again = torch.empty(1 << 20, device=device)  #: no wait
    del again


for n in range(STEPS):
    torch.cuda.nvtx.mark(f"step {n}")
    step()
    allocating_step()
