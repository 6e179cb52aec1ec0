#include "profiler/simgpu/core/copy.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "profiler/simgpu/core/submit.h"

namespace zerostall::simgpu {
namespace {

constexpr std::size_t kBulkBytes = std::size_t{1} << 20;  // larger uploads are weights: their bytes are not kept
constexpr std::size_t kScalarBytes = 16;                  // a read-back this small is a loss, a count, a flag

bool on_device(MemoryKind kind) { return kind == MemoryKind::device || kind == MemoryKind::managed; }

std::uint8_t direction(bool from_device, bool to_device) {  // CUpti_ActivityMemcpyKind
  if (from_device) return to_device ? 8 : 2;
  return to_device ? 1 : 9;
}

std::int64_t transfer_ns(const DeviceModel& m, std::size_t bytes, bool from_device, bool to_device) {
  const std::int64_t rate = from_device && to_device ? m.device_bytes_per_us : m.pinned_bytes_per_us;
  return m.copy_latency_ns + static_cast<std::int64_t>(bytes) * 1000 / rate;
}

std::int64_t staging_ns(const DeviceModel& m, std::size_t bytes) {
  return static_cast<std::int64_t>(bytes) * 1000 / m.pageable_bytes_per_us;
}

void move_bytes(const CopyRequest& r, bool from_device, bool to_device) {
  MemoryMap& memory = simulator().memory;
  if (to_device) {
    const bool keep = r.bytes <= kBulkBytes;
    const bool real = keep && (!from_device || memory.is_real(r.source, r.bytes));
    if (keep) std::memmove(r.target, r.source, r.bytes);
    memory.note_write(r.target, r.bytes, real);
    return;
  }
  if (from_device && !memory.is_real(r.source, r.bytes)) {
    report_unreal_readback(r.api, r.bytes);
    // A scalar a kernel should have computed: zero (a finite loss, no overflow found), never bytes an earlier owner
    // left.
    if (r.bytes <= kScalarBytes) {
      std::memset(r.target, 0, r.bytes);
      return;
    }
  }
  std::memmove(r.target, r.source, r.bytes);
}

// Bytes of the block from `address` on; 0 if the copy would run over its end.
bool fits(const MemoryMap::Block& block, const void* address, std::size_t bytes) {
  if (!block.base) return true;  // pageable: the program's own business
  return reinterpret_cast<std::uintptr_t>(address) - block.base + bytes <= block.bytes;
}

}  // namespace

CopyStatus copy(const CopyRequest& r) {
  Simulator& s = simulator();
  if (r.bytes == 0) return CopyStatus::ok;
  const MemoryMap::Block source = s.memory.find(r.source), target = s.memory.find(r.target);
  if (!r.source || !r.target || !fits(source, r.source, r.bytes) || !fits(target, r.target, r.bytes))
    return CopyStatus::invalid_value;
  const bool from_device = on_device(source.kind), to_device = on_device(target.kind);
  const bool pageable = source.kind == MemoryKind::pageable || target.kind == MemoryKind::pageable;
  const DeviceModel& m = s.model;
  const bool upload = to_device && !from_device, download = from_device && !to_device;
  const bool host_to_host = !from_device && !to_device;
  Operation o{};
  o.kind = OperationKind::copy;
  o.engine = upload ? Engine::upload : download ? Engine::download : Engine::compute;
  o.duration_ns = upload && pageable ? m.copy_latency_ns : transfer_ns(m, r.bytes, from_device, to_device);
  o.latency_ns = m.copy_latency_ns;
  o.host.call_ns = m.copy_call_ns;
  if (upload && pageable) {
    // Larger uploads wait for the stream and are staged piece by piece; small ones travel inside the command itself.
    o.host.drains_first = !r.async || r.bytes > static_cast<std::size_t>(m.staged_copy_limit_bytes);
    o.host.busy_ns = staging_ns(m, r.bytes);
  }
  o.host.waits = (download && (pageable || !r.async)) || (upload && !pageable && !r.async) || host_to_host;
  o.work.kind = WorkKind::copy;
  o.work.bytes = r.bytes;
  o.work.copy_kind = direction(from_device, to_device);
  o.work.source_memory = static_cast<std::uint8_t>(source.kind);
  o.work.target_memory = static_cast<std::uint8_t>(target.kind);
  o.work.async = r.async;
  o.effect = [r, from_device, to_device] { move_bytes(r, from_device, to_device); };
  return static_cast<CopyStatus>(submit(r.stream, std::move(o)));
}

CopyStatus set(const SetRequest& r) {
  Simulator& s = simulator();
  if (r.bytes == 0) return CopyStatus::ok;
  const MemoryMap::Block target = s.memory.find(r.target);
  if (!r.target || !on_device(target.kind) || !fits(target, r.target, r.bytes)) return CopyStatus::invalid_value;
  Operation o{};
  o.kind = OperationKind::memset;
  o.duration_ns =
      std::max(s.model.kernel_floor_ns, static_cast<std::int64_t>(r.bytes) * 1000 / s.model.device_bytes_per_us);
  o.latency_ns = s.model.launch_latency_ns;
  o.host.call_ns = s.model.copy_call_ns;
  o.work.kind = WorkKind::memset;
  o.work.bytes = r.bytes;
  o.work.value = static_cast<std::uint32_t>(r.value);
  o.work.target_memory = static_cast<std::uint8_t>(target.kind);
  o.work.async = r.async;
  o.effect = [r] {
    const bool keep = r.bytes <= kBulkBytes;
    if (keep) std::memset(r.target, r.value, r.bytes);
    simulator().memory.note_write(r.target, r.bytes, keep);
  };
  return static_cast<CopyStatus>(submit(r.stream, std::move(o)));
}

}  // namespace zerostall::simgpu
