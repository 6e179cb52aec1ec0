"""Out of memory at the model's size, with PyTorch's own error; the program catches it and goes on.
# expect: waits=1
"""
import torch

free, total = torch.cuda.mem_get_info()
assert 100 << 30 < free <= total < 160 << 30
kept = []
try:
    while True:
        kept.append(torch.empty(8 << 30, dtype=torch.uint8, device="cuda"))
except torch.cuda.OutOfMemoryError as error:
    assert "Tried to allocate 8.00 GiB" in str(error), error
assert len(kept) == free // (8 << 30)
assert torch.cuda.memory_stats()["num_ooms"] == 1
kept.clear()
torch.cuda.empty_cache()
assert torch.cuda.mem_get_info()[0] > free - (1 << 30)
for number in range(4):
    torch.cuda.nvtx.range_push(f"step {number}")
    torch.ones(4, device="cuda").sum().item()
    torch.cuda.nvtx.range_pop()
print("ok out_of_memory")
