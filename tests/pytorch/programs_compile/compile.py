"""torch.compile: inductor's Triton kernels for a model forward and backward, dynamic shapes, CUDA graphs (reduce-overhead).
# needs: triton
# label: full
# timeout: 300
"""
import torch
from torch import nn

torch.set_float32_matmul_precision("high")


def check(name, run):
    run()
    torch.cuda.synchronize()
    print("ok", name, flush=True)


def layers():
    return nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 8)).cuda()


def train(mode):
    def run():
        source = layers()
        model, optimizer = torch.compile(source, mode=mode), torch.optim.SGD(source.parameters())
        for _ in range(5):
            torch.compiler.cudagraph_mark_step_begin()
            model(torch.randn(4, 64, device="cuda")).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    return run


def dynamic_shapes():
    compiled = torch.compile(lambda x: (x.sin() + x.cos()).sum(-1), dynamic=True)
    for rows in (3, 5, 9):
        assert compiled(torch.randn(rows, 33, device="cuda")).shape == (rows,)


check("forward and backward", train("default"))
check("dynamic shapes", dynamic_shapes)
check("reduce-overhead", train("reduce-overhead"))
