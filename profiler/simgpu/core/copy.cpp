#include "profiler/simgpu/core/copy.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "profiler/simgpu/core/hooks.h"
#include "profiler/simgpu/core/readback.h"

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
  Work work{};
  {
    std::lock_guard guard(s.lock);
    Stream* stream = s.timeline.stream(r.stream);
    if (!stream) return CopyStatus::invalid_stream;
    s.clock.advance(m.copy_call_ns);
    const bool upload = to_device && !from_device, download = from_device && !to_device;
    if (upload && pageable) {
      // Larger uploads wait for the stream and are staged piece by piece; small ones travel inside the command itself.
      if (!r.async || r.bytes > static_cast<std::size_t>(m.staged_copy_limit_bytes))
        s.clock.wait_until(s.timeline.stream_tail(*stream));
      s.clock.advance(staging_ns(m, r.bytes));
    }
    const Engine engine = upload ? Engine::upload : download ? Engine::download : Engine::compute;
    const std::int64_t ns = upload && pageable ? m.copy_latency_ns : transfer_ns(m, r.bytes, from_device, to_device);
    const Span span = s.timeline.enqueue(*stream, ns, m.copy_latency_ns, engine);
    const bool host_to_host = !from_device && !to_device;
    const bool waits = (download && (pageable || !r.async)) || (upload && !pageable && !r.async) || host_to_host;
    if (waits) s.clock.wait_until(span.end_ns + m.sync_ns);
    work = {WorkKind::copy, span.begin_ns, span.end_ns, t_correlation, stream->id};
  }
  work.bytes = r.bytes;
  work.copy_kind = direction(from_device, to_device);
  work.source_memory = static_cast<std::uint8_t>(source.kind);
  work.target_memory = static_cast<std::uint8_t>(target.kind);
  work.async = r.async;
  move_bytes(r, source.kind, target.kind);
  publish(work);
  return CopyStatus::ok;
}

CopyStatus set(const SetRequest& r) {
  Simulator& s = simulator();
  if (r.bytes == 0) return CopyStatus::ok;
  const MemoryMap::Block target = s.memory.find(r.target);
  if (!r.target || !on_device(target.kind) || !fits(target, r.target, r.bytes)) return CopyStatus::invalid_value;
  Work work{};
  {
    std::lock_guard guard(s.lock);
    Stream* stream = s.timeline.stream(r.stream);
    if (!stream) return CopyStatus::invalid_stream;
    s.clock.advance(s.model.copy_call_ns);
    const std::int64_t ns =
        std::max(s.model.kernel_floor_ns, static_cast<std::int64_t>(r.bytes) * 1000 / s.model.device_bytes_per_us);
    const Span span = s.timeline.enqueue(*stream, ns, s.model.launch_latency_ns, Engine::compute);
    work = {WorkKind::memset, span.begin_ns, span.end_ns, t_correlation, stream->id};
  }
  if (target.kind == MemoryKind::managed)
    std::memset(r.target, r.value, r.bytes);
  else
    s.memory.contents().fill(r.target, static_cast<std::uint32_t>(r.value) & 0xff, 1, r.bytes);
  work.bytes = r.bytes;
  work.value = static_cast<std::uint32_t>(r.value);
  work.target_memory = static_cast<std::uint8_t>(target.kind);
  work.async = r.async;
  publish(work);
  return CopyStatus::ok;
}

}  // namespace zerostall::simgpu
