#include "profiler/tracer/activity_records.h"

#include <cupti_activity_deprecated.h>

#include <cstdlib>

namespace zerostall::tracer {
namespace {

using format::GpuKind;
using format::GpuRecord;

constexpr std::uint32_t kFirstWithOverheadCorrelation = 20;  // CUDA 12.2
constexpr std::size_t kMostNames = 65'536;                   // then some program loads modules without end: start over

// What kernels, copies and memsets have in common.
template <class Record>
void read_common(GpuKind kind, const Record& record, GpuRecord& r) {
  r.kind = kind;
  r.begin_ns = static_cast<std::int64_t>(record.start);
  r.end_ns = static_cast<std::int64_t>(record.end);
  r.correlation = record.correlationId;
  r.device = record.deviceId;
  r.context = record.contextId;
  r.stream = record.streamId;
  r.graph = record.graphId;
  if constexpr (requires { record.graphNodeId; }) r.graph_node = record.graphNodeId;
}

void read(const CUpti_ActivityKernel9& k, KernelNames& names, GpuRecord& r) {
  read_common(GpuKind::kernel, k, r);
  r.name = names.id_of(k.name);
  r.flags = 1;
}

template <class Copy>
void read_copy(const Copy& c, GpuRecord& r) {
  read_common(GpuKind::copy, c, r);
  r.bytes = c.bytes;
  r.copy_kind = c.copyKind;
  r.source_memory = c.srcKind;
  r.target_memory = c.dstKind;
  r.flags = (c.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) ? 1 : 0;
}

void read(const CUpti_ActivityMemset4& m, GpuRecord& r) {
  read_common(GpuKind::memset, m, r);
  r.bytes = m.bytes;
  r.target_memory = static_cast<std::uint8_t>(m.memoryKind);
  r.flags = (m.flags & CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC) ? 1 : 0;
}

template <class Layout>
const Layout& as(const CUpti_Activity& record) {
  return reinterpret_cast<const Layout&>(record);
}

}  // namespace

std::uint32_t KernelNames::id_of(const char* name) {
  if (!name) return 0;
  if (known_.size() >= kMostNames) known_.clear();
  Known& known = known_[name];
  if (known.id == 0 || known.text != name) known = {name, intern_(name)};
  return known.id;
}

bool read_gpu_work(const CUpti_Activity& record, KernelNames& names, GpuRecord& out) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      read(as<CUpti_ActivityKernel9>(record), names, out);
      return true;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      read_copy(as<CUpti_ActivityMemcpy5>(record), out);
      return true;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      read_copy(as<CUpti_ActivityMemcpyPtoP4>(record), out);
      return true;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      read(as<CUpti_ActivityMemset4>(record), out);
      return true;
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      read_common(GpuKind::graph, as<CUpti_ActivityGraphTrace>(record), out);
      return true;
    default:
      return false;
  }
}

bool read_overhead(const CUpti_Activity& record, std::uint32_t cupti_version, format::OverheadRecord& out) {
  if (record.kind != CUPTI_ACTIVITY_KIND_OVERHEAD) return false;
  const auto& o = as<CUpti_ActivityOverhead>(record);
  out.begin_ns = static_cast<std::int64_t>(o.start);
  out.end_ns = static_cast<std::int64_t>(o.end);
  out.kind = static_cast<std::uint32_t>(o.overheadKind);
  if (o.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD) out.thread = o.objectId.pt.threadId;
  if (cupti_version >= kFirstWithOverheadCorrelation)
    out.correlation = as<CUpti_ActivityOverhead2>(record).correlationId;
  if (cupti_version >= kFirstToTellQueueFull) std::free(as<CUpti_ActivityOverhead3>(record).overheadData);
  return true;
}

}  // namespace zerostall::tracer
