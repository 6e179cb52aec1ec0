#include "profiler/simgpu/nccl/group.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "profiler/simgpu/core/launch.h"
#include "profiler/simgpu/core/object_sizes.h"
#include "profiler/simgpu/core/simulator.h"
#include "profiler/simgpu/nccl/timing.h"
#include "profiler/simgpu/nccl/values.h"

namespace zerostall::simgpu::nccl {
namespace {

struct Group {
  int depth = 0;
  std::vector<Operation> operations;
};
thread_local Group t_group;

// Functions of the runtime are found where the program finds them: which version's library is loaded is not known here.
template <class Function>
Function runtime_function(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

class OnDevice {  // as NCCL, leave the thread's current device as it was
 public:
  explicit OnDevice(int device) : before_(current_device()) { set_current_device(device); }
  ~OnDevice() { set_current_device(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_;
};

bool is_capturing(const void* stream) {
  static const auto ask = runtime_function<decltype(&cudaStreamIsCapturing)>("cudaStreamIsCapturing");
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return ask && ask(static_cast<cudaStream_t>(const_cast<void*>(stream)), &status) == cudaSuccess &&
         status == cudaStreamCaptureStatusActive;
}

// When a kernel launched now on this stream could start. False: unknown stream.
bool next_start(const void* handle, std::int64_t* ns) {
  Simulator& s = simulator();
  const DeviceModel& m = s.model;
  std::lock_guard guard(s.lock);
  Stream* stream = s.timeline.stream(handle);
  if (!stream) return false;
  Event end_of_queued;
  s.timeline.record(end_of_queued, *stream);
  *ns = std::max(end_of_queued.time_ns, s.clock.now() + m.between_launches_ns + m.launch_ns + m.launch_latency_ns);
  return true;
}

bool alone(const Operation& op) {
  return op.comm->ranks == 1 && op.reduction < kOps && op.kind != Kind::send && op.kind != Kind::receive;
}

// A communicator of one rank launches nothing: at most it copies.
Result run_alone(const Operation& op) {
  const std::size_t bytes = received_bytes(op);
  if (op.send == op.receive || !bytes) return kSuccess;
  static const auto copy = runtime_function<decltype(&cudaMemcpyAsync)>("cudaMemcpyAsync");
  OnDevice on(op.comm->device);
  const auto stream = static_cast<cudaStream_t>(const_cast<void*>(op.stream));
  return copy && copy(op.receive, op.send, bytes, cudaMemcpyDeviceToDevice, stream) == cudaSuccess
             ? kSuccess
             : fail(op.comm, kUnhandledCudaError, "cudaMemcpyAsync failed");
}

using Bundle = std::vector<const Operation*>;  // of one communicator and stream

std::vector<Bundle> bundles_of(const std::vector<Operation>& operations) {
  std::vector<Bundle> bundles;
  for (const Operation& op : operations) {
    if (op.bookkeeping || op.kind == Kind::join) continue;
    const auto same = std::find_if(bundles.begin(), bundles.end(), [&](const Bundle& b) {
      return b.front()->comm == op.comm && b.front()->stream == op.stream;
    });
    if (same == bundles.end())
      bundles.push_back({&op});
    else
      same->push_back(&op);
  }
  return bundles;
}

Result launch_bundle(const Bundle& bundle) {
  const Operation& first = *bundle.front();
  const Kernel kernel = kernel_for(bundle);
  std::int64_t latest_ns = 0;
  for (const Operation* op : bundle) latest_ns = std::max(latest_ns, op->latest_ns);
  // The kernel starts here and waits, running, for the last participant.
  const std::int64_t waits_ns = std::max<std::int64_t>(0, latest_ns - first.ready_ns);
  OnDevice on(first.comm->device);
  Launch l{kernel.symbol, kernel.grid, kernel.block, 0, first.stream};
  l.duration_ns = waits_ns + kernel.duration_ns;
  return library_launch(l) == cudaSuccess ? kSuccess : fail(first.comm, kUnhandledCudaError, "unknown stream");
}

Result prepare(std::vector<Operation>& operations) {
  for (Operation& op : operations) {
    if (op.comm->error) return static_cast<Result>(op.comm->error.load());
    if (op.bookkeeping || op.kind == Kind::join) continue;
    OnDevice on(op.comm->device);
    if (!next_start(op.stream, &op.ready_ns)) return fail(op.comm, kInvalidArgument, "unknown stream");
  }
  return kSuccess;
}

// Operations that a graph records: their launches become nodes. What a launch of the graph exchanges is not modelled.
std::vector<Operation> take_captured(std::vector<Operation>* operations) {
  std::vector<Operation> captured;
  std::erase_if(*operations, [&](Operation& op) {
    if (op.bookkeeping || op.kind == Kind::join || !is_capturing(op.stream)) return false;
    captured.push_back(op);
    return true;
  });
  return captured;
}

void note_sizes(const Operation& op) {
  const bool sizes = op.type == kInt64 && op.certainty != Certainty::unknown;
  if (op.type != kInt64 || op.kind == Kind::send) return;
  std::vector<std::int64_t> values(sizes ? op.result.size() / sizeof(std::int64_t) : 0);
  if (!values.empty()) std::memcpy(values.data(), op.result.data(), values.size() * sizeof(std::int64_t));
  note_exchanged_sizes(values.data(), values.size());
}

Result finish(const std::vector<Operation>& operations) {
  for (const Bundle& bundle : bundles_of(operations))
    if (const Result r = launch_bundle(bundle)) return r;
  for (const Operation& op : operations)
    if (op.collected)
      *op.collected = op.result;
    else if (!op.bookkeeping) {
      note_sizes(op);
      give(op.receive, op.result.empty() ? nullptr : op.result.data(), received_bytes(op), op.certainty, op.type);
    }
  return kSuccess;
}

Result run(std::vector<Operation>&& operations) {
  for (const Operation& op : operations)
    if (alone(op) && !op.bookkeeping && op.kind != Kind::join)
      if (const Result r = run_alone(op)) return r;
  std::erase_if(operations, [](const Operation& op) { return alone(op) && !op.bookkeeping && op.kind != Kind::join; });
  // What non-blocking communicators still wait for is found out by ncclCommGetAsyncError.
  const auto waiting = std::erase_if(operations, [](const Operation& op) {
    return op.kind == Kind::join && !op.comm->blocking && check_joined(op.comm) == kInProgress;
  });
  const std::vector<Operation> captured = take_captured(&operations);
  if (const Result r = prepare(operations)) return r;
  for (Operation& op : operations)
    if (op.kind != Kind::join && op.kind != Kind::send && op.kind != Kind::receive) op.number = ++op.comm->collectives;
  if (const Result r = progress(operations)) return r;
  if (const Result r = finish(operations)) return r;
  if (const Result r = finish(captured)) return r;
  return waiting ? kInProgress : kSuccess;
}

}  // namespace

Result submit(Operation&& operation) {
  if (t_group.depth > 0 && !operation.bookkeeping) {
    t_group.operations.push_back(std::move(operation));
    return kSuccess;
  }
  std::vector<Operation> one;
  one.push_back(std::move(operation));
  const Result r = run(std::move(one));
  return r;
}

void group_start() { ++t_group.depth; }

Result group_end() {
  if (t_group.depth == 0) return fail(nullptr, kInvalidUsage, "ncclGroupEnd: not in a group call");
  if (--t_group.depth > 0) return kSuccess;
  std::vector<Operation> operations;
  operations.swap(t_group.operations);
  return run(std::move(operations));
}

Result group_simulate_end(float* estimated_us) {
  if (t_group.depth == 0) return fail(nullptr, kInvalidUsage, "ncclGroupSimulateEnd: not in a group call");
  if (--t_group.depth > 0) return kSuccess;
  std::int64_t longest_ns = 0;
  for (const Bundle& bundle : bundles_of(t_group.operations))
    longest_ns = std::max(longest_ns, kernel_for(bundle).duration_ns);
  t_group.operations.clear();
  *estimated_us = static_cast<float>(longest_ns) / 1000.0f;
  return kSuccess;
}

}  // namespace zerostall::simgpu::nccl
