#include <array>

#include "profiler/analyze/causes.h"

namespace zerostall {
namespace {

constexpr std::array<CauseInfo, kCauseKinds> kInfos{{
    {"scalar-read", "a number is read back for logging",
     "keep it on the GPU and call .item() every N steps, or copy it to pinned memory and read it a step later"},
    {"finite-check", "a check for NaN or infinity is read back",
     "keep the answer of torch.isfinite on the GPU, read it every N steps"},
    {"amp-scaler", "the gradient scaler reads its overflow flag",
     "an optimizer with fused=True takes the flag on the GPU; bfloat16 needs no GradScaler"},
    {"state-on-wrong-device", "small state lies on the CPU and is uploaded each step",
     "move it once at setup: register_buffer and .to(device)"},
    {"pageable-batch", "the batch is uploaded from pageable memory",
     "DataLoader(pin_memory=True) and .to(device, non_blocking=True), both"},
    {"pageable-async", "a non_blocking copy of pageable memory",
     "pin the memory: pin_memory=True, or a pinned buffer used again and again"},
    {"tensor-from-host", "a tensor is built from numbers of the host",
     "torch.full or arange with device=\"cuda\", plain numbers in arithmetic, or build it once"},
    {"dynamic-shape", "the size of a result depends on values",
     "keep the shape: torch.where(mask, x, 0) in place of x[mask], nonzero, unique"},
    {"size-from-device", "a size computed on the GPU is wanted on the host",
     "take sizes from the batch on the CPU; repeat_interleave(..., output_size=N)"},
    {"branch-on-device", "a branch of the program depends on a value of the GPU",
     "torch.where(condition, a, b) in place of `if`, torch._assert_async in place of assert"},
    {"host-table-by-device-index", "a table on the host is indexed by a number of the GPU",
     "table.index_select(0, t) with both on the GPU, or draw the index on the CPU"},
    {"explicit-sync", "the program asks to wait",
     "remove it; torch.cuda.Event for timing, stream.wait_stream() for order"},
    {"allocator", "device memory is allocated or freed in the step",
     "remove torch.cuda.empty_cache(); PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"},
    {"offload", "weights or state travel between host and device each step",
     "pinned memory, non_blocking copies on a torch.cuda.Stream of their own, one block ahead"},
    {"download", "a result is copied to the host",
     "copy_(..., non_blocking=True) into pinned memory with a torch.cuda.Event, or fetch all at the end"},
    {"library-internal", "a library waits for purposes of its own",
     "call it less often, or read several values at once: torch.stack(values).tolist()"},
    {"unknown", "the trace does not tell why",
     "mark your steps, and record call stacks (zerostall record, torch.profiler with_stack=True)"},
}};

}  // namespace

const CauseInfo& info_of(CauseKind kind) { return kInfos[static_cast<std::size_t>(kind)]; }

}  // namespace zerostall
