"""Segments of device memory that grow in place: virtual memory of the driver API.
# environment: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
# expect: waits=1 stream_syncs=1
# unsupported: nvmlDeviceGetGpuFabricInfoV
"""
import torch

kept = []
for number in range(8):
    torch.cuda.nvtx.range_push(f"step {number}")
    kept.append(torch.randn(1 << 20, device="cuda") * number)
    kept[-1].sum().item()
    torch.cuda.nvtx.range_pop()
segments = torch.cuda.memory_snapshot()
assert any(segment["is_expandable"] for segment in segments)
uploaded = torch.arange(1000.0)
assert torch.equal(uploaded.cuda().cpu(), uploaded)
kept.clear()
torch.cuda.empty_cache()
assert torch.cuda.memory_reserved() < 24 << 20
print("ok expandable_segments")
