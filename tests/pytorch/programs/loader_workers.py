"""Worker processes and a pinning thread feed the device; no step waits. Workers must not touch the GPU, nor the trace.
# expect: waits=0 h2d_stalls=0
"""
import torch
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.full((16,), float(index)), index % 4


model = torch.nn.Linear(16, 4).cuda()
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
loader = DataLoader(Samples(), batch_size=8, num_workers=2, pin_memory=True, persistent_workers=True, prefetch_factor=2)
number = 0
for epoch in range(2):
    for samples, labels in loader:
        assert samples.is_pinned() and labels.is_pinned()
        torch.cuda.nvtx.range_push(f"step {number}")
        samples, labels = samples.to("cuda", non_blocking=True), labels.to("cuda", non_blocking=True)
        torch.nn.functional.cross_entropy(model(samples), labels).backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.nvtx.range_pop()
        number += 1
assert number == 16
assert torch.cuda.FloatTensor([1, 2]).tolist() == [1, 2]  # an upload can be read back
del loader  # else PyTorch, at exit, waits 5 seconds for each persistent worker of a loader that pins: nobody stops them
print("ok loader_workers")
