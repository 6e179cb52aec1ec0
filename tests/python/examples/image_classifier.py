"""An image classifier that counts its hits: python image_classifier.py [--fixed]"""
import os
import sys

import torch
import torch.nn.functional as F
from torch import nn

import zerostall

FIXED = "--fixed" in sys.argv
STEPS = int(os.environ.get("ZEROSTALL_STEPS", 8))


def count_hits(hits, scores, labels):
    if FIXED:
        hits += (scores.argmax(1) == labels).sum()  # stays on the GPU, and is read once, after the loop
        return hits
    return hits + (scores.argmax(1) == labels).sum().item()  # planted: waits in each step


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(128, 10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = torch.utils.data.TensorDataset(torch.randn(STEPS * 4, 3, 16, 16), torch.randint(10, (STEPS * 4,)))
    loader = torch.utils.data.DataLoader(data, batch_size=4, pin_memory=True)
    hits = torch.zeros((), dtype=torch.long, device="cuda") if FIXED else 0
    for images, labels in zerostall.steps(loader):
        images, labels = images.to("cuda", non_blocking=True), labels.to("cuda", non_blocking=True)
        optimizer.zero_grad()
        scores = model(images)
        F.cross_entropy(scores, labels).backward()
        optimizer.step()
        hits = count_hits(hits, scores, labels)
    print("hits", int(hits))


main()
