// Records of kernels, copies, memsets and graph launches.
#include <algorithm>
#include <cstdlib>

#include "profiler/simgpu/cupti/client_clock.h"
#include "profiler/simgpu/cupti/records.h"

namespace zerostall::simgpu::cupti {
namespace {

constexpr std::uint8_t kPeerCopy = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;

// With GRAPH_TRACE on, a graph launch leaves one record instead of one per node; gathered while its call runs.
struct GraphSpan {
  bool open = false;
  GpuItem item;
};
thread_local GraphSpan t_graph;

void write_kernel(const GpuItem& item, std::uint64_t begin, std::uint64_t end) {
  static std::atomic<std::int64_t> grid_id{0};
  const Work& w = item.work;
  const auto kind = on(CUPTI_ACTIVITY_KIND_KERNEL) ? CUPTI_ACTIVITY_KIND_KERNEL : CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  auto k = record_of<CUpti_ActivityKernel10>(kind, w, begin, end);
  k.completed = end;
  k.gridX = static_cast<int>(w.grid.x);
  k.gridY = static_cast<int>(w.grid.y);
  k.gridZ = static_cast<int>(w.grid.z);
  k.blockX = static_cast<int>(w.block.x);
  k.blockY = static_cast<int>(w.block.y);
  k.blockZ = static_cast<int>(w.block.z);
  k.dynamicSharedMemory = static_cast<int>(w.shared_bytes);
  k.registersPerThread = 32;  // as cudaFuncGetAttributes answers
  k.gridId = grid_id.fetch_add(1, std::memory_order_relaxed) + 1;
  k.name = w.name;
  k.graphId = w.graph;
  k.graphNodeId = w.graph_node;
  if (options().latency_timestamps) k.queued = k.submitted = std::min(item.queued_ns, begin);
  write(k);
}

// What copies on one device and between two have in common.
template <class Record>
Record copy_record_of(CUpti_ActivityKind kind, const Work& w, std::uint64_t begin, std::uint64_t end) {
  auto c = record_of<Record>(kind, w, begin, end);
  c.copyKind = w.copy_kind;
  c.srcKind = w.source_memory;
  c.dstKind = w.target_memory;
  c.flags = w.async ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : 0;
  c.bytes = w.bytes;
  c.graphId = w.graph;
  c.graphNodeId = w.graph_node;
  return c;
}

void write_copy(const Work& w, std::uint64_t begin, std::uint64_t end) {
  auto c = copy_record_of<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY, w, begin, end);
  c.copyCount = 1;
  write(c);
}

void write_peer_copy(const Work& w, std::uint64_t begin, std::uint64_t end) {
  auto c = copy_record_of<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2, w, begin, end);
  c.srcDeviceId = w.device;
  c.srcContextId = context_of(static_cast<int>(w.device));
  c.dstDeviceId = w.peer_device;
  c.dstContextId = context_of(static_cast<int>(w.peer_device));
  write(c);
}

void write_memset(const Work& w, std::uint64_t begin, std::uint64_t end) {
  auto m = record_of<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET, w, begin, end);
  m.value = w.value;
  m.bytes = w.bytes;
  m.flags = static_cast<std::uint16_t>(w.async ? CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC : 0);
  m.memoryKind = w.target_memory;
  m.graphId = w.graph;
  m.graphNodeId = w.graph_node;
  write(m);
}

void write_graph(const Work& w, std::uint64_t begin, std::uint64_t end) {
  auto g = record_of<CUpti_ActivityGraphTrace2>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, w, begin, end);
  g.graphId = w.graph;
  g.endDeviceId = w.device;
  g.endContextId = w.context;
  write(g);
}

// As a real library does that ran out of buffers on the device, for tests of tracers: each N-th record without times.
bool loses_times() {
  static const std::uint64_t every = [] {
    const char* text = std::getenv("ZEROSTALL_SIM_CUPTI_ZERO_TIMES");
    return text ? std::strtoull(text, nullptr, 10) : 0ull;
  }();
  static std::atomic<std::uint64_t> written{0};
  return every && written.fetch_add(1, std::memory_order_relaxed) % every == every - 1;
}

bool wanted(const Work& w) {
  switch (w.kind) {
    case WorkKind::kernel:
      return on(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) || on(CUPTI_ACTIVITY_KIND_KERNEL);
    case WorkKind::copy:
      return on(w.copy_kind == kPeerCopy ? CUPTI_ACTIVITY_KIND_MEMCPY2 : CUPTI_ACTIVITY_KIND_MEMCPY);
    case WorkKind::memset:
      return on(CUPTI_ACTIVITY_KIND_MEMSET);
  }
  return false;
}

void pass_on(const GpuItem& item) {
  if (has_client_clock()) return hold_back(item);
  write_gpu_record(item, static_cast<std::uint64_t>(item.work.begin_ns), static_cast<std::uint64_t>(item.work.end_ns));
}

}  // namespace

void write_gpu_record(const GpuItem& item, std::uint64_t begin, std::uint64_t end) {
  const Work& w = item.work;
  if (loses_times()) begin = end = 0;
  if (item.whole_graph)
    write_graph(w, begin, end);
  else if (w.kind == WorkKind::kernel)
    write_kernel(item, begin, end);
  else if (w.kind == WorkKind::memset)
    write_memset(w, begin, end);
  else if (w.copy_kind == kPeerCopy)
    write_peer_copy(w, begin, end);
  else
    write_copy(w, begin, end);
}

void gpu_work(const Work& w) {
  if (in_buffer_callback()) return;
  if (w.graph && on(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)) {
    Work& whole = t_graph.item.work;
    if (t_graph.open && whole.correlation == w.correlation) {
      whole.begin_ns = std::min(whole.begin_ns, w.begin_ns);
      whole.end_ns = std::max(whole.end_ns, w.end_ns);
      return;
    }
    gpu_call_exit();
    t_graph = {true, {w, true, 0}};
    return;
  }
  if (!wanted(w)) return;
  GpuItem item{w};
  if (options().latency_timestamps)
    item.queued_ns = has_client_clock() ? host_time() : static_cast<std::uint64_t>(simulator().clock.now());
  pass_on(item);
}

void gpu_call_exit() {
  if (!t_graph.open) return;
  t_graph.open = false;
  pass_on(t_graph.item);
}

}  // namespace zerostall::simgpu::cupti
