"""Saving and loading a checkpoint: steps do not wait, saving does, once per tensor.
# expect: waits=0
"""
import io

import torch

model = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.BatchNorm1d(32), torch.nn.Linear(32, 4)).cuda()
optimizer = torch.optim.Adam(model.parameters(), capturable=True)
file = io.BytesIO()


def step(number):
    torch.cuda.nvtx.range_push(f"step {number}")
    model(torch.randn(8, 32, device="cuda")).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    torch.cuda.nvtx.range_pop()


for number in range(4):
    step(number)
weights = {name: tensor.clone() for name, tensor in model.state_dict().items()}
torch.save(dict(model=model.state_dict(), optimizer=optimizer.state_dict()), file)
file.seek(0)
saved = torch.load(file, map_location="cuda")
model.load_state_dict(saved["model"])
optimizer.load_state_dict(saved["optimizer"])
for name, tensor in model.state_dict().items():
    assert tensor.is_cuda and tensor.shape == weights[name].shape
uploaded = torch.arange(1000.0)
file = io.BytesIO()
torch.save(uploaded.cuda(), file)
file.seek(0)
assert torch.equal(torch.load(file, map_location="cpu"), uploaded)  # what was uploaded is what is saved
for number in range(4, 8):
    step(number)
print("ok save_and_resume")
