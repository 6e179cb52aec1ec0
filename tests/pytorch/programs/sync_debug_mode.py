"""PyTorch's own way to find waits, on the simulated GPU: warnings, errors, and what it does not see.
# expect: waits=4 stream_syncs=3 device_syncs=1
"""
import warnings

import torch

x = torch.ones(4, device="cuda")
for number in range(4):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        torch.cuda.set_sync_debug_mode("warn")
        torch.cuda.nvtx.range_push(f"step {number}")
        x.sum().item()
        x.cpu()
        torch.nonzero(x)
        torch.cuda.synchronize()  # no warning
        torch.cuda.nvtx.range_pop()
        torch.cuda.set_sync_debug_mode("default")
    assert len(seen) == (4 if number == 0 else 3), [str(warning.message) for warning in seen]  # the first: experimental
torch.cuda.set_sync_debug_mode("error")
try:
    x.sum().item()
    raise SystemExit("no error")
except RuntimeError as error:
    assert "synchronizing CUDA operation" in str(error)
torch.cuda.set_sync_debug_mode("default")
print("ok sync_debug_mode")
