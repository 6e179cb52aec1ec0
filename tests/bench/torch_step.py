"""Training steps of a small transformer, some at a time: reads lines "step COUNT [on|off]", does so many, between
cudaProfilerStart and cudaProfilerStop where the line says "on", and answers each line with the CPU time (ns) of the whole
process since its start, the steps' own included, with that of the tracer's and CUPTI's own threads alone, and with
both for the steps of this line. Argument: what profiles it meanwhile: nothing, "kineto" (PyTorch's profiler, CUDA activity alone) or "kineto_cpu" (CPU activity as well)."""
import pathlib
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY, WIDTH, HEADS, LAYERS, LENGTH, BATCH = 1000, 64, 4, 4, 32, 8


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.to_qkv, self.from_heads = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.feed = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = self.to_qkv(self.norm1(x)).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        heads = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.from_heads(heads.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.feed(self.norm2(x))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.blocks = nn.Embedding(VOCABULARY, WIDTH), nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, words):
        return self.head(self.blocks(self.words(words)))


def helpers_ns():
    """CPU time of the threads that are not the program's."""
    total = 0
    for task in pathlib.Path("/proc/self/task").iterdir():
        if (task / "comm").read_text().strip() in ("zerostall", "cupti-worker"):
            total += int((task / "schedstat").read_text().split()[0])
    return total


def main():
    torch.set_num_threads(1)
    model = Model().cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    batches = torch.randint(0, VOCABULARY, (8, BATCH, LENGTH + 1)).pin_memory()
    number = 0

    def step():
        nonlocal number
        torch.cuda.nvtx.range_push(f"step {number}")
        words = batches[number % len(batches)].to("cuda", non_blocking=True)
        loss = F.cross_entropy(model(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        loss.item()
        torch.cuda.nvtx.range_pop()
        number += 1

    for _ in range(20):
        step()
    profiler = None
    if len(sys.argv) > 1:
        kinds = [torch.profiler.ProfilerActivity.CUDA]
        kinds += [torch.profiler.ProfilerActivity.CPU] if sys.argv[1] == "kineto_cpu" else []
        profiler = torch.profiler.profile(activities=kinds)
        profiler.start()
    for line in sys.stdin:
        _, count, *window = line.split()
        if window == ["on"]:
            torch.cuda.profiler.start()
        before = time.process_time_ns(), helpers_ns()
        for _ in range(int(count)):
            step()
        after = time.process_time_ns(), helpers_ns()
        if window == ["on"]:
            torch.cuda.profiler.stop()
        print(*after, *(b - a for a, b in zip(before, after)), flush=True)
    if profiler:
        profiler.stop()


main()
