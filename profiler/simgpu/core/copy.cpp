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

std::uint8_t direction(const MemoryMap::Block& source, const MemoryMap::Block& target) {  // CUpti_ActivityMemcpyKind
  const bool from_device = on_device(source.kind), to_device = on_device(target.kind);
  if (from_device && to_device) return source.device == target.device ? 8 : 10;
  if (from_device) return 2;
  return to_device ? 1 : 9;
}

// Between two devices the bytes travel as over the bus: no faster link is modelled.
std::int64_t transfer_ns(const DeviceModel& m, std::size_t bytes, bool within_device) {
  const std::int64_t rate = within_device ? m.device_bytes_per_us : m.pinned_bytes_per_us;
  return m.copy_latency_ns + static_cast<std::int64_t>(bytes) * 1000 / rate;
}

std::int64_t staging_ns(const DeviceModel& m, std::size_t bytes) {
  return static_cast<std::int64_t>(bytes) * 1000 / m.pageable_bytes_per_us;
}

void move_piece(const CopyRequest& r, void* to, const void* from, std::size_t bytes, MemoryKind source,
                MemoryKind target) {
  Contents& contents = simulator().memory.contents();
  // Managed memory is real memory, written by the program unseen: for bytes it counts as the host's.
  const bool from_device = source == MemoryKind::device, to_device = target == MemoryKind::device;
  if (from_device && to_device)
    contents.copy(to, from, bytes);
  else if (to_device)
    contents.put(to, from, bytes);
  else if (from_device)
    read_back(to, from, bytes, r.api);
  else
    std::memmove(to, from, bytes);
}

void move_bytes(const CopyRequest& r, MemoryKind source, MemoryKind target) {
  if (r.shape.rows == 0) return move_piece(r, r.target, r.source, r.bytes, source, target);
  const Shape& s = r.shape;
  for (std::size_t slice = 0; slice < s.slices; ++slice)
    for (std::size_t row = 0; row < s.rows; ++row)
      move_piece(r, static_cast<char*>(r.target) + slice * s.target_slice + row * s.target_pitch,
                 static_cast<const char*>(r.source) + slice * s.source_slice + row * s.source_pitch, s.width, source,
                 target);
}

void set_piece(const SetRequest& r, void* target, std::size_t bytes, MemoryKind kind) {
  const auto value = static_cast<std::uint32_t>(r.value);
  if (kind == MemoryKind::device)
    return simulator().memory.contents().fill(target, r.width == 1 ? value & 0xff : value, r.width, bytes);
  auto* out = static_cast<char*>(target);
  const auto width = static_cast<std::size_t>(r.width);
  for (std::size_t i = 0; i < bytes; i += width) std::memcpy(out + i, &value, width);
}

void set_bytes(const SetRequest& r, MemoryKind kind) {
  if (r.shape.rows == 0) return set_piece(r, r.target, r.bytes, kind);
  const Shape& s = r.shape;
  for (std::size_t slice = 0; slice < s.slices; ++slice)
    for (std::size_t row = 0; row < s.rows; ++row)
      set_piece(r, static_cast<char*>(r.target) + slice * s.target_slice + row * s.target_pitch, s.width, kind);
}

// From the first byte to the last, gaps included.
std::size_t span_bytes(const Shape& s, std::size_t pitch, std::size_t slice, std::size_t bytes) {
  return s.rows == 0 ? bytes : (s.slices - 1) * slice + (s.rows - 1) * pitch + s.width;
}

// Pinned memory is mapped into the device's addresses and may stand for either side; managed memory too.
bool kind_fits(CopyKind kind, MemoryKind source, MemoryKind target) {
  const bool host_source = source != MemoryKind::device, host_target = target != MemoryKind::device;
  const bool device_source = source != MemoryKind::pageable, device_target = target != MemoryKind::pageable;
  switch (kind) {
    case CopyKind::host_to_host:
      return host_source && host_target;
    case CopyKind::upload:
      return host_source && device_target;
    case CopyKind::download:
      return device_source && host_target;
    case CopyKind::on_device:
      return device_source && device_target;
    case CopyKind::any:
      break;
  }
  return true;
}

// No copy may run over the end of a block.
bool acceptable(const CopyRequest& r, const MemoryMap::Block& source, const MemoryMap::Block& target) {
  const Shape& s = r.shape;
  const MemoryMap& memory = simulator().memory;
  return r.source && r.target && kind_fits(r.kind, source.kind, target.kind) &&
         memory.covers(r.source, span_bytes(s, s.source_pitch, s.source_slice, r.bytes)) &&
         memory.covers(r.target, span_bytes(s, s.target_pitch, s.target_slice, r.bytes));
}

}  // namespace

CopyStatus copy(const CopyRequest& r) {
  Simulator& s = simulator();
  if (r.bytes == 0) return CopyStatus::ok;
  const MemoryMap::Block source = s.memory.find(r.source), target = s.memory.find(r.target);
  if (!acceptable(r, source, target)) return CopyStatus::invalid_value;
  const bool from_device = on_device(source.kind), to_device = on_device(target.kind);
  const bool pageable = source.kind == MemoryKind::pageable || target.kind == MemoryKind::pageable;
  const DeviceModel& m = s.model;
  const bool upload = to_device && !from_device, download = from_device && !to_device;
  const bool host_to_host = !from_device && !to_device;
  const bool one_device = from_device && to_device && source.device == target.device;
  Operation o{};
  o.kind = OperationKind::copy;
  o.engine = upload ? Engine::upload : download ? Engine::download : Engine::compute;
  o.duration_ns = upload && pageable ? m.copy_latency_ns : transfer_ns(m, r.bytes, one_device);
  o.latency_ns = m.copy_latency_ns;
  o.host.call_ns = m.copy_call_ns;
  if (upload && pageable) {
    // Larger uploads wait for the stream and are staged piece by piece; small ones travel inside the command itself.
    o.host.drains_first = !r.async || r.bytes > static_cast<std::size_t>(m.staged_copy_limit_bytes);
    o.host.busy_ns = staging_ns(m, r.bytes);
  }
  o.host.waits = (download && (pageable || !r.async)) || (upload && !pageable && !r.async) || host_to_host;
  o.target = r.target;
  o.source = r.source;
  o.work.kind = WorkKind::copy;
  o.work.bytes = r.bytes;
  o.work.copy_kind = direction(source, target);
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
  const std::size_t reach = span_bytes(r.shape, r.shape.target_pitch, r.shape.target_slice, r.bytes);
  if (!r.target || target.kind == MemoryKind::pageable || !s.memory.covers(r.target, reach) ||
      reinterpret_cast<std::uintptr_t>(r.target) % static_cast<std::uintptr_t>(r.width))
    return CopyStatus::invalid_value;
  Operation o{};
  o.kind = OperationKind::memset;
  o.duration_ns =
      std::max(s.model.kernel_floor_ns, static_cast<std::int64_t>(r.bytes) * 1000 / s.model.device_bytes_per_us);
  o.latency_ns = s.model.launch_latency_ns;
  o.host.call_ns = s.model.copy_call_ns;
  o.target = r.target;
  // Asynchronous to the host even without "Async" in the name, except for memory the host shares.
  o.host.waits = !r.async && target.kind != MemoryKind::device;
  o.work.kind = WorkKind::memset;
  o.work.bytes = r.bytes;
  o.work.value = static_cast<std::uint32_t>(r.value);
  o.work.target_memory = static_cast<std::uint8_t>(target.kind);
  o.work.async = r.async;
  o.effect = [r, kind = target.kind] { set_bytes(r, kind); };
  return static_cast<CopyStatus>(submit(r.stream, std::move(o)));
}

CopyRequest shaped(CopyRequest r, const Shape& shape) {
  r.shape = shape;
  r.bytes = shape.width * shape.rows * shape.slices;
  return r;
}

SetRequest shaped(SetRequest r, const Shape& shape) {
  r.shape = shape;
  r.bytes = shape.width * shape.rows * shape.slices;
  return r;
}

bool fits_pitch(const Shape& s) {
  const auto holds = [&](std::size_t pitch, std::size_t slice) {
    return (s.rows <= 1 || s.width <= pitch) && (s.slices <= 1 || (s.rows - 1) * pitch + s.width <= slice);
  };
  return holds(s.target_pitch, s.target_slice) && holds(s.source_pitch, s.source_slice);
}

}  // namespace zerostall::simgpu
