"""A graph network's step: gather, scatter, sort, segments; a selection by mask needs its size on the host, forward
and once more backward.
# expect: waits=2 stream_syncs=2
"""
import torch
from torch import nn

NODES, EDGES, WIDTH = 200, 1000, 32
torch.manual_seed(0)
source, target = torch.randint(0, NODES, (2, EDGES)).cuda()
features, labels = torch.randn(NODES, WIDTH).cuda(), torch.randn(NODES).cuda()
message, update = nn.Linear(2 * WIDTH, WIDTH).cuda(), nn.GRUCell(WIDTH, WIDTH).cuda()
readout = nn.Linear(WIDTH, 1).cuda()
parameters = [p for module in (message, update, readout) for p in module.parameters()]
optimizer = torch.optim.SGD(parameters, 0.01)
for number in range(8):
    torch.cuda.nvtx.range_push(f"step {number}")
    state = features
    for _ in range(2):
        sent = message(torch.cat([state[source], state.index_select(0, target)], 1)).relu()
        total = torch.zeros(NODES, WIDTH, device="cuda").index_add(0, target, sent)
        largest = torch.zeros(NODES, WIDTH, device="cuda").scatter_reduce(
            0, target[:, None].expand(-1, WIDTH), sent, "amax", include_self=False)
        degree = torch.zeros(NODES, device="cuda").scatter_add(0, target, torch.ones(EDGES, device="cuda"))
        state = update(total / degree.clamp(min=1)[:, None] + largest, state)
    order = state.norm(dim=1).argsort(descending=True)
    best = state.gather(0, order[:20, None].expand(-1, WIDTH))
    hard = (readout(state).squeeze(1) - labels).abs() > 0.5
    loss = (readout(state).squeeze(1) - labels)[hard].square().sum() + best.square().mean()  # the waits
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    torch.cuda.nvtx.range_pop()
assert best.shape == (20, WIDTH)
print("ok scatter_gather")
