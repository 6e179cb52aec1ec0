"""A training loop in which lines wait for the GPU for known reasons: each says which behind "#:", and those that must not be
blamed say "#: no wait". cause_test.py compares this with what zerostall finds."""
import sys

import torch
import torch.nn.functional as F
from torch import nn

STEPS = 8
device = torch.device("cuda")
model = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64)).to(device)
head = nn.Linear(64, 10).to(device)
optimizer = torch.optim.AdamW([*model.parameters(), *head.parameters()], lr=1e-3, foreach=True)
scaler = torch.amp.GradScaler("cuda")
statistics = torch.randn(512)
pinned = torch.randn(32, 64).pin_memory()
ahead = torch.empty((), pin_memory=True)
lengths = torch.full((8,), 4, dtype=torch.int64, device=device)
offloaded = torch.randn(3 << 20)


def step(number):
    batch = torch.randn(32, 64)
    x = batch.to(device)  #: pageable-batch
    early = pinned.to(device, non_blocking=True)  #: no wait
    h = model(x + early)
    h = h * statistics.to(device)[:64]  #: state-on-wrong-device
    scale = torch.tensor([0.5, 2.0], device=device)  #: tensor-from-host
    h = h * scale[0]
    picked = (h > 0).nonzero()  #: dynamic-shape
    chosen = torch.where(h > 0, h, torch.zeros_like(h))  #: no wait
    repeated = torch.repeat_interleave(chosen[:8], lengths, dim=0)  #: size-from-device
    fixed = torch.repeat_interleave(chosen[:8], lengths, dim=0, output_size=32)  #: no wait
    if h.sum() > 1e9:  #: branch-on-device
        h = h / 2
    later = batch.to(device, non_blocking=True)  #: pageable-async
    h = h + model(later)
    weights = offloaded.to(device)  #: offload
    h = h + weights[:64]
    offloaded.copy_(weights)  #: offload
    loss = F.cross_entropy(head(h), torch.zeros(32, dtype=torch.int64, device=device))
    loss.backward()
    if not torch.isfinite(loss):  #: finite-check
        sys.exit("not finite")
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  #: no wait
    torch.nn.utils.clip_grad_norm_(head.parameters(), 1.0, error_if_nonfinite=True)  #: finite-check
    optimizer.step()  #: no wait
    optimizer.zero_grad()
    values = h[0].tolist()  #: download
    ahead.copy_(loss.detach(), non_blocking=True)  #: no wait
    torch.cuda.synchronize()  #: explicit-sync
    print(number, loss.item(), len(values), picked.shape, repeated.shape, fixed.shape)  #: scalar-read


def scaled_step():
    loss = F.cross_entropy(head(model(pinned.to(device, non_blocking=True))), torch.zeros(32, dtype=torch.int64, device=device))
    scaler.scale(loss).backward()
    scaler.step(optimizer)  #: amp-scaler
    scaler.update()  #: no wait
    optimizer.zero_grad()


for number in range(STEPS):
    torch.cuda.nvtx.mark(f"step {number}")
    step(number)
    scaled_step()
