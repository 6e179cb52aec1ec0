"""A small language model that checks its loss: python language_model.py [--fixed]"""
import os
import sys

import torch
import torch.nn.functional as F
from torch import nn

import zerostall

FIXED = "--fixed" in sys.argv
STEPS = int(os.environ.get("ZEROSTALL_STEPS", 8))
VOCABULARY, WIDTH, LENGTH = 64, 32, 16


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.block = nn.TransformerEncoderLayer(WIDTH, 2, 64, dropout=0.0, batch_first=True)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens, mask):
        return self.head(self.block(self.words(tokens), src_mask=mask))


def skip_bad(loss, optimizer):
    if FIXED:
        good = torch.isfinite(loss)  # no branch on the host: gradients of a bad step become zero
        for group in optimizer.param_groups:
            for p in group["params"]:
                p.grad.mul_(good)
        return optimizer.step()
    if torch.isfinite(loss):  # planted: the branch waits
        optimizer.step()


def main():
    torch.manual_seed(0)
    model = Model().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    mask = torch.triu(torch.full((LENGTH, LENGTH), float("-inf")), diagonal=1).cuda()
    batches = [torch.randint(VOCABULARY, (2, LENGTH + 1)).pin_memory() for _ in range(STEPS)]
    for batch in zerostall.steps(batches):
        tokens = batch.to("cuda", non_blocking=True)
        optimizer.zero_grad()
        with zerostall.region("forward"):
            scores = model(tokens[:, :-1], mask)
            loss = F.cross_entropy(scores.flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        skip_bad(loss, optimizer)


main()
