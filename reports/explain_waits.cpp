#include <array>

#include "reports/explain_parts.h"

namespace zerostall::explain {
namespace {

constexpr Explanation kExplicitSync{
    .name = "explicit-sync",
    .what =
        R"(Somebody asks to wait: torch.cuda.synchronize(), stream.synchronize(), event.synchronize(), a
barrier. Mostly left over from timing or from a bug hunt.)",
    .looks = R"(A device, stream or event sync with no copy before it.)",
    .pytorch =
        R"(Remove it. For timing record two events and read elapsed_time() a step later. For order
between streams use stream.wait_stream() or event.wait(): the GPU waits, the host goes on.
PyTorch keeps the order within a stream by itself.)",
    .libtorch = R"(at::cuda::CUDAEvent::block(stream) in place of synchronize(); elapsed_time() of two timing
events.)",
    .before = R"(torch.cuda.synchronize()
begin = time.perf_counter()
train_step(batch)
torch.cuda.synchronize()
seconds = time.perf_counter() - begin)",
    .after = R"(begin = torch.cuda.Event(enable_timing=True)
end = torch.cuda.Event(enable_timing=True)
begin.record()
train_step(batch)
end.record()
timings.append((begin, end))          # read begin.elapsed_time(end) every 50 steps)",
    .cpp_before = R"(side_stream_work();
torch::cuda::synchronize();)",
    .cpp_after = R"(side_stream_work();
at::cuda::CUDAEvent done;
done.record(side_stream);
done.block(c10::cuda::getCurrentCUDAStream());)",
    .no_problem =
        R"(Around a benchmark, before reading a clock once; before a process ends; with peers that must
really meet.)"};

constexpr Explanation kLibraryInternal{
    .name = "library-internal",
    .what =
        R"(A library reads values back for its own purposes: metrics, moving averages, the state of
random generators, sums over several processes, logging callbacks of a trainer.)",
    .looks =
        R"(Several small copies from device to host, or syncs, per step, below frames of a library: `stat
--stacks` shows which, and which of your lines calls it.)",
    .pytorch =
        R"(Call it less often; hand it tensors on the GPU, not numbers; gather several values by
torch.stack and read them in one copy. Often an option does it (logging interval,
sync_on_compute=False, dist_sync_on_step=False).)",
    .libtorch = R"(The same: at::stack the values on the GPU, one copy for all of them.)",
    .before = R"(metrics = {name: value.item() for name, value in values.items()}     # each step, each value)",
    .after = R"(if step % 50 == 0:
    names = list(values)
    numbers = torch.stack([values[name].float() for name in names]).tolist()
    metrics = dict(zip(names, numbers)))",
    .cpp_before = R"(for (const auto& value : values) log(value.item<float>());)",
    .cpp_after = R"(auto host = at::stack(values).to(at::kCPU);  // one wait
for (int64_t i = 0; i < host.size(0); ++i) log(host[i].item<float>());)",
    .no_problem =
        R"(Once per epoch or evaluation; while a communicator is set up (NCCL waits in its first
collectives).)"};

constexpr Explanation kUnknown{
    .name = "unknown",
    .what =
        R"(The trace does not tell why the host waits here: no call stack, no NVTX range, nothing in the
calls around it that would give it away.)",
    .looks = R"(Any wait. Its calls, bytes and place in the step are told all the same.)",
    .pytorch =
        R"(Record with call stacks: `zerostall record` does by default; torch.profiler with
with_stack=True. Those of Nsight Systems are not read: put ranges around parts of the step.
torch.cuda.set_sync_debug_mode("warn") prints a stack for most waits of PyTorch itself.)",
    .libtorch = R"(Build with -g, or put nvtxRangePushA and nvtxRangePop around parts of the step.)",
    .before = R"(loss = loss_of(model(x), y)
loss.backward())",
    .after = R"(with torch.cuda.nvtx.range("forward"):
    loss = loss_of(model(x), y)
with torch.cuda.nvtx.range("backward"):
    loss.backward())",
    .cpp_before = R"(auto loss = loss_of(model->forward(x), y);)",
    .cpp_after = R"(nvtxRangePushA("forward");
auto loss = loss_of(model->forward(x), y);
nvtxRangePop();)",
    .no_problem = R"(Where it does not happen in each step.)"};

constexpr std::array kTexts = {kExplicitSync, kLibraryInternal, kUnknown};

}  // namespace

std::span<const Explanation> waits() { return kTexts; }

}  // namespace zerostall::explain
