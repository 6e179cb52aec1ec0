"""A GAN in mixed precision: python gan_amp.py [--fixed]"""
import os
import sys

import torch
import torch.nn.functional as F
from torch import nn

import zerostall

FIXED = "--fixed" in sys.argv
STEPS = int(os.environ.get("ZEROSTALL_STEPS", 8))
DTYPE = torch.bfloat16 if FIXED else torch.float16  # fixed: bfloat16 has float32's range and needs no scaler


def update(loss, optimizer, scaler):
    optimizer.zero_grad()
    if FIXED:
        loss.backward()
        return optimizer.step()
    scaler.scale(loss).backward()
    scaler.step(optimizer)  # planted: reads whether a gradient was infinite
    scaler.update()


def main():
    torch.manual_seed(0)
    maker = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 16)).cuda()
    judge = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1)).cuda()
    optimizers = [torch.optim.SGD(net.parameters(), lr=0.01) for net in (maker, judge)]
    scaler = torch.amp.GradScaler("cuda", enabled=not FIXED)
    for _ in zerostall.steps(range(STEPS)):
        with torch.autocast("cuda", DTYPE):
            made = maker(torch.randn(4, 8, device="cuda"))
            real = torch.randn(4, 16, device="cuda")
            judge_loss = F.softplus(judge(made.detach())).mean() + F.softplus(-judge(real)).mean()
        update(judge_loss, optimizers[1], scaler)
        with torch.autocast("cuda", DTYPE):
            maker_loss = F.softplus(-judge(made)).mean()
        update(maker_loss, optimizers[0], scaler)


main()
