"""A convolutional network with mixed precision: GradScaler reads its overflow flag each step, and nothing else waits.
# expect: waits=1 stream_syncs=1
"""
import torch
import torch.nn.functional as F
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
                      nn.Conv2d(16, 16, 3, groups=16), nn.Conv2d(16, 32, 1), nn.GroupNorm(4, 32), nn.SiLU(),
                      nn.ConvTranspose2d(32, 8, 2, stride=2), nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(128, 10))
model = model.cuda().to(memory_format=torch.channels_last)
optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, nesterov=True)
scaler = torch.amp.GradScaler("cuda")
images = torch.randn(8, 3, 32, 32, device="cuda").to(memory_format=torch.channels_last)
labels = torch.randint(0, 10, (8,), device="cuda")
for number in range(8):
    torch.cuda.nvtx.range_push(f"step {number}")
    optimizer.zero_grad()
    with torch.autocast("cuda", torch.float16):
        output = model(images)
        loss = F.cross_entropy(output, labels)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    torch.cuda.nvtx.range_pop()
assert output.shape == (8, 10) and all(p.grad is not None for p in model.parameters())
torch.backends.cudnn.benchmark = True
model(torch.randn(4, 3, 40, 40, device="cuda")).sum().backward()
model.eval()
with torch.no_grad():
    model(images)
torch.cuda.synchronize()
print("ok cnn_amp")
