"""Training steps of a small transformer; prints how long each took: {"step_ms": [...]}. For overhead.py.

As in many jobs: mixed precision, gradient clipping, AdamW, the loss read each step, so that a step's time ends with its work.
"""
import json
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

WIDTH, HEADS, LAYERS, LENGTH, BATCH, WORDS = 512, 8, 6, 128, 8, 4096
steps = int(sys.argv[1])

layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, batch_first=True, norm_first=True, dropout=0.0)
model = nn.Sequential(nn.Embedding(WORDS, WIDTH), nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False),
                      nn.Linear(WIDTH, WORDS)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
words = torch.randint(0, WORDS, (BATCH, LENGTH + 1), device="cuda")
took_ms = []
for number in range(steps):
    torch.cuda.nvtx.mark(f"step {number}")
    begin = time.perf_counter()
    with torch.autocast("cuda", torch.bfloat16):
        loss = F.cross_entropy(model(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten())
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    loss.item()
    took_ms.append((time.perf_counter() - begin) * 1e3)
print(json.dumps({"step_ms": took_ms}))
