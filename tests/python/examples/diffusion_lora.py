"""LoRA of a diffusion model on cached latents: python diffusion_lora.py [--fixed]"""
import os
import sys

import torch
import torch.nn.functional as F
from torch import nn

import zerostall

FIXED = "--fixed" in sys.argv
STEPS = int(os.environ.get("ZEROSTALL_STEPS", 8))


class LoraLinear(nn.Module):
    """A frozen layer and a low-rank change to it."""

    def __init__(self, width, rank=4):
        super().__init__()
        self.frozen = nn.Linear(width, width).requires_grad_(False)
        self.down, self.up = nn.Linear(width, rank, bias=False), nn.Linear(rank, width, bias=False)

    def forward(self, x):
        return self.frozen(x) + self.up(self.down(x))


def load(latents):
    if FIXED:
        return latents.to("cuda", non_blocking=True)  # from pinned memory: see main
    return latents.to("cuda")  # planted: from pageable memory, waits


def main():
    torch.manual_seed(0)
    model = nn.Sequential(LoraLinear(64), nn.SiLU(), LoraLinear(64)).cuda()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad])
    cache = [torch.randn(2, 16, 64) for _ in range(STEPS)]
    if FIXED:
        cache = [latents.pin_memory() for latents in cache]
    for cached in zerostall.steps(cache):
        latents = load(cached)
        noise, time = torch.randn_like(latents), torch.rand(2, 1, 1, device="cuda")
        optimizer.zero_grad()
        flow = model(torch.lerp(latents, noise, time))
        F.mse_loss(flow, noise - latents).backward()
        optimizer.step()


main()
