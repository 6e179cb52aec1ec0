#include "profiler/simgpu/core/copy.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "profiler/simgpu/core/readback.h"
#include "profiler/simgpu/core/submit.h"

namespace zerostall::simgpu {
namespace {

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

// Managed memory is real memory, written by the program unseen: for bytes it counts as the host's.
void move_bytes(const CopyRequest& r, MemoryKind source, MemoryKind target) {
  Contents& contents = simulator().memory.contents();
  const bool from_device = source == MemoryKind::device, to_device = target == MemoryKind::device;
  if (from_device && to_device)
    contents.copy(r.target, r.source, r.bytes);
  else if (to_device)
    contents.put(r.target, r.source, r.bytes);
  else if (from_device)
    read_back(r.target, r.source, r.bytes, r.api);
  else
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
  o.effect = [r, from = source.kind, to = target.kind] { move_bytes(r, from, to); };
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
  o.effect = [r, kind = target.kind] {
    if (kind == MemoryKind::managed)
      std::memset(r.target, r.value, r.bytes);
    else
      simulator().memory.contents().fill(r.target, static_cast<std::uint32_t>(r.value) & 0xff, 1, r.bytes);
  };
  return static_cast<CopyStatus>(submit(r.stream, std::move(o)));
}

}  // namespace zerostall::simgpu
