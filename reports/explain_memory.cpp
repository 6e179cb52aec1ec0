#include <array>

#include "reports/explain_parts.h"

namespace zerostall::explain {
namespace {

constexpr Explanation kState{
    .name = "state-on-wrong-device",
    .what =
        R"(Small state that every step needs lies on the CPU: a buffer that was moved there with its
module, a table or mean that was never moved, optimizer state. Each step uploads it again, and
each blocking upload waits for all work queued before it: 512 bytes cost a drained GPU.)",
    .looks =
        R"(Copies of the same few sizes from host to device, from pageable memory, at the same place of
each step, each with a stream sync.)",
    .pytorch =
        R"(Move it once, at setup. Register it as a buffer, so that model.to() takes it along. After
offloading a model bring back the buffers that the step still reads.)",
    .libtorch =
        R"(register_buffer() and module->to(device); fixes/bn_pinning.h does it for the statistics of
batch norms.)",
    .before = R"(mean = torch.tensor([0.485, 0.456, 0.406])       # on the CPU
for images in loader:
    images = images - mean.to("cuda").view(1, 3, 1, 1))",
    .after = R"(mean = torch.tensor([0.485, 0.456, 0.406], device="cuda").view(1, 3, 1, 1)
for images in loader:
    images = images - mean)",
    .cpp_before = R"(auto normalized = (latents - mean.to(latents.device())) / deviation.to(latents.device());)",
    .cpp_after = R"(// in setup
mean = register_buffer("mean", mean);
deviation = register_buffer("deviation", deviation);
to(device);
// in the step
auto normalized = (latents - mean) / deviation;)",
    .no_problem = R"(Once, in the first step. Where the state is too large to stay on the GPU see `offload`.)"};

constexpr Explanation kPageableBatch{
    .name = "pageable-batch",
    .what = R"(The batch comes from ordinary (pageable) memory. The GPU cannot read that by itself: the
driver copies it through a buffer of its own, and the call ends in a wait for everything
queued before.)",
    .looks =
        R"(One or a few copies from host to device at the beginning of each step, from pageable memory,
of kilobytes to megabytes, each with a stream sync.)",
    .pytorch =
        R"(pin_memory=True in the DataLoader and non_blocking=True in .to(). Only both together remove
the wait. A custom batch class needs a pin_memory() method, else its tensors stay pageable.)",
    .libtorch = R"(batch.pin_memory() in the loader's thread, .to(device, /*non_blocking=*/true) in the step.)",
    .before = R"(loader = DataLoader(dataset, batch_size=32, num_workers=4)
for x, y in loader:
    x, y = x.to("cuda"), y.to("cuda"))",
    .after = R"(loader = DataLoader(dataset, batch_size=32, num_workers=4, pin_memory=True)
for x, y in loader:
    x, y = x.to("cuda", non_blocking=True), y.to("cuda", non_blocking=True))",
    .cpp_before = R"(auto x = batch.data.to(device);)",
    .cpp_after = R"(auto staged = batch.data.pin_memory();  // in the loader's thread
auto x = staged.to(device, /*non_blocking=*/true);)",
    .no_problem =
        R"(Where the GPU is idle then anyway, as in the first step. Pinning costs time too: in the step
itself, x.pin_memory().to("cuda", non_blocking=True) can take longer than the plain copy.)"};

constexpr Explanation kPageableAsync{
    .name = "pageable-async",
    .what =
        R"(non_blocking=True from pageable memory is not what it says: small copies are staged by the
driver and return, large ones block until the driver has read the memory, behind all queued
work.)",
    .looks = R"(cudaMemcpyAsync from or to pageable memory without a sync behind it, and a long call. What was
staged is counted too: it may block tomorrow.)",
    .pytorch =
        R"(Pin the source: pin_memory=True in the DataLoader, or a pinned buffer that is used again and
again. Do not write into it until the copy is done (an event says when).)",
    .libtorch = R"(Allocate with .pinned_memory(true) once, copy into that, then .to(device,
/*non_blocking=*/true).)",
    .before = R"(x = torch.from_numpy(array).to("cuda", non_blocking=True))",
    .after = R"(staging = torch.empty(array.shape, dtype=torch.float32, pin_memory=True)   # once
copied = torch.cuda.Event()
# each step
copied.synchronize()                  # of the step before: done long ago
staging.copy_(torch.from_numpy(array))
x = staging.to("cuda", non_blocking=True)
copied.record())",
    .cpp_before = R"(auto x = host.to(device, /*non_blocking=*/true);  // host is pageable)",
    .cpp_after = R"(auto staging = at::empty(host.sizes(), host.options().pinned_memory(true));  // once
staging.copy_(host);
auto x = staging.to(device, /*non_blocking=*/true);)",
    .no_problem =
        R"(Copies of a few kilobytes that return before their transfer begins, when the queue is long:
they cost a call.)"};

constexpr Explanation kTensorFromHost{
    .name = "tensor-from-host",
    .what =
        R"(torch.tensor(value, device="cuda"), as_tensor(list) and assigning a Python list build a tensor
on the CPU and upload it from pageable memory: a few bytes, and a wait for all queued work.)",
    .looks =
        R"(Copies of some bytes from host to device with a stream sync in the middle of forward, at a
line that makes a tensor from numbers.)",
    .pytorch =
        R"(A single value: torch.full, zeros, ones or arange with device="cuda" are kernels and take it
as an argument. Plain Python numbers may stand in arithmetic as they are. What does not change
is made once; what does, comes with the batch in pinned memory.)",
    .libtorch = R"(at::full({}, value, options) with a CUDA device; scalars go into operators directly: x * 0.5.)",
    .before = R"(def forward(self, x):
    scale = torch.tensor(self.scale, device=x.device)
    return x * scale)",
    .after = R"(def forward(self, x):
    return x * self.scale             # a Python float: an argument of the kernel)",
    .cpp_before = R"(auto time = torch::tensor({t}, x.device());)",
    .cpp_after = R"(auto time = at::full({1}, t, x.options().dtype(at::kFloat));)",
    .no_problem = R"(In constructors and setup.)"};

constexpr Explanation kAllocator{
    .name = "allocator",
    .what =
        R"(cudaMalloc and cudaFree may wait for the whole device. PyTorch's caching allocator makes them
rare, unless torch.cuda.empty_cache() gives the memory back every step, or sizes change so
much that it must.)",
    .looks =
        R"(Rows of cudaFree, followed by cudaMalloc, in each step (column `implicit`: in no total, since
whether a call waited cannot be seen); steps are marked `unsteady`.)",
    .pytorch =
        R"(Remove empty_cache() from the loop: it makes no room that PyTorch could not use itself.
Against changing sizes: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, or pad batches to a
few sizes.)",
    .libtorch =
        R"(Remove c10::cuda::CUDACachingAllocator::emptyCache() from the loop; the same environment
variable works.)",
    .before = R"(for batch in loader:
    train_step(batch)
    torch.cuda.empty_cache())",
    .after = R"(for batch in loader:
    train_step(batch))",
    .cpp_before = R"(train_step(batch);
c10::cuda::CUDACachingAllocator::emptyCache();)",
    .cpp_after = R"(train_step(batch);)",
    .no_problem =
        R"(In the first steps, while the cache fills; between training and evaluation; when another
process needs the memory.)"};

constexpr Explanation kOffload{
    .name = "offload",
    .what =
        R"(Weights, optimizer state or an average of the weights live on the CPU and travel each step.
With plain .to() each way is a blocking copy: the GPU computes nothing while data moves, and
moves nothing while it computes.)",
    .looks =
        R"(Pairs of large copies, device to host and host to device, in each step, with stream syncs; the
same sizes again and again.)",
    .pytorch =
        R"(Keep the CPU side in pinned memory, allocated once. Copy with non_blocking=True on a stream of
its own, and fetch the next block while this one computes: streams wait for each other, the
host for none.)",
    .libtorch =
        R"(c10::cuda::getStreamFromPool() with a CUDAStreamGuard for the copies, at::cuda::CUDAEvent
between streams.)",
    .before = R"(for block in blocks:
    block.to("cuda")
    x = block(x)
    block.to("cpu"))",
    .after = R"(copies = torch.cuda.Stream()          # pinned[i]: block i's weights in pinned memory
with torch.cuda.stream(copies):
    ready = [w.to("cuda", non_blocking=True) for w in pinned[0]]
for i, block in enumerate(blocks):
    torch.cuda.current_stream().wait_stream(copies)
    weights = ready
    for w in weights:
        w.record_stream(torch.cuda.current_stream())
    if i + 1 < len(blocks):
        with torch.cuda.stream(copies):
            ready = [w.to("cuda", non_blocking=True) for w in pinned[i + 1]]
    x = block(x, weights))",
    .cpp_before = R"(auto weight = cpu_weight.to(device);)",
    .cpp_after = R"(auto copies = c10::cuda::getStreamFromPool();
at::cuda::CUDAEvent ready;
at::Tensor weight;
{
  c10::cuda::CUDAStreamGuard guard(copies);
  weight = pinned_weight.to(device, /*non_blocking=*/true);
  ready.record(copies);
}
ready.block(c10::cuda::getCurrentCUDAStream());  // the stream waits, not the host
weight.record_stream(c10::cuda::getCurrentCUDAStream());)",
    .no_problem =
        R"(Once per epoch, as for sampling or a checkpoint. Where the copies alone take longer than the
computing, hiding them helps by that much only.)"};

constexpr std::array kTexts = {kState, kPageableBatch, kPageableAsync, kTensorFromHost, kAllocator, kOffload};

}  // namespace

std::span<const Explanation> memory() { return kTexts; }

}  // namespace zerostall::explain
