"""PyTorch's other allocator: cudaMallocAsync with the device's pool.
# environment: PYTORCH_CUDA_ALLOC_CONF=backend:cudaMallocAsync
# expect: waits=1 stream_syncs=1
"""
import torch

assert torch.cuda.get_allocator_backend() == "cudaMallocAsync"
for number in range(6):
    torch.cuda.nvtx.range_push(f"step {number}")
    x = torch.randn(1024, 1024, device="cuda")
    y = (x @ x).relu().sum()
    del x
    y.item()
    torch.cuda.nvtx.range_pop()
assert torch.cuda.max_memory_allocated() >= 8 << 20
side = torch.cuda.Stream()
z = torch.ones(1 << 20, device="cuda")
with torch.cuda.stream(side):
    z * 2
z.record_stream(side)
del z
torch.cuda.synchronize()
torch.cuda.empty_cache()
free, total = torch.cuda.mem_get_info()
assert 0 < free < total
print("ok malloc_async")
