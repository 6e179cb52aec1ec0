"""Gradient accumulation with a fused optimizer under GradScaler, an average of the weights and metrics on the device:
nothing waits, but each fourth step logs.
# expect-cycle: waits=0,0,0,1 stream_syncs=0,0,0,1
"""
import torch
from torch import nn

model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 8)).cuda()
average = [p.detach().clone() for p in model.parameters()]
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
scaler = torch.amp.GradScaler("cuda")
losses, right = [], torch.zeros((), device="cuda")
for number in range(16):
    torch.cuda.nvtx.range_push(f"step {number}")
    for _ in range(2):
        x, y = torch.randn(8, 32, device="cuda"), torch.randint(0, 8, (8,), device="cuda")
        with torch.autocast("cuda", torch.float16):
            output = model(x)
            loss = nn.functional.cross_entropy(output, y) / 2
        scaler.scale(loss).backward()
        right += (output.argmax(1) == y).sum()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
    torch._foreach_lerp_(average, [p.detach() for p in model.parameters()], 0.01)
    losses.append(loss.detach())
    if number % 4 == 3:
        print("loss", torch.stack(losses).mean().item())
        losses.clear()
    torch.cuda.nvtx.range_pop()
print("ok accumulation_ema")
