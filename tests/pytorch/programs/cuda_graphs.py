"""CUDA graphs: capture a training step, replay it, graphed callables, and that waiting during capture is an error.
# expect: waits=0
"""
import torch

model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU(), torch.nn.Linear(64, 8)).cuda()
optimizer = torch.optim.Adam(model.parameters(), capturable=True)
x, y = torch.randn(16, 64, device="cuda"), torch.randint(0, 8, (16,), device="cuda")


def step():
    optimizer.zero_grad(set_to_none=True)
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = step()
host = [torch.randn(16, 64).pin_memory() for _ in range(2)]
for number in range(8):
    torch.cuda.nvtx.range_push(f"step {number}")
    x.copy_(host[number % 2], non_blocking=True)
    graph.replay()
    torch.cuda.nvtx.range_pop()
loss.item()

graphed = torch.cuda.make_graphed_callables(torch.nn.Linear(64, 8).cuda(), (x,))
graphed(x).sum().backward()
shared = torch.cuda.graph_pool_handle()
graphs = [torch.cuda.CUDAGraph() for _ in range(2)]
for each in graphs:
    with torch.cuda.graph(each, pool=shared):
        z = (x @ x.t()).relu()
for each in graphs:
    each.replay()
graphs[0].reset()
torch.cuda.synchronize()

# At the end: until 2.12, PyTorch's allocator then believes for good that a capture is under way (pull request 180395).
second = torch.cuda.CUDAGraph()
try:
    with torch.cuda.graph(second):
        model(x).sum().item()
    raise SystemExit("item() during capture was no error")
except RuntimeError as error:
    assert "captur" in str(error), error
model(x).sum().item()  # the capture has ended, the device is usable
print("ok cuda_graphs")
