#include "profiler/trace/read_native.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <tuple>
#include <type_traits>
#include <unordered_map>

#include "profiler/base/files.h"
#include "profiler/trace/native_meta.h"
#include "profiler/trace/record_codec.h"

namespace zerostall {
namespace {

using Bytespan = std::span<const std::byte>;
using Json = nlohmann::ordered_json;

// State of one reading: the trace so far, and what can only be resolved when all of the file has been seen.
struct Reading {
  RawTrace trace;
  std::unordered_map<std::uint32_t, StringId> ids, api_names;  // ids of the file -> ids of trace.strings
  Json meta = Json::object();

  void odd(const char* what, std::int64_t count = 1) { trace.oddities[what] += count; }
  // The first of several is what a reader wants to know.
  void damaged(std::size_t byte, const char* what) {
    trace.truncated = true;
    if (trace.end.byte == 0) trace.end = {byte, what, ""};
  }
  void cut(std::size_t byte) { damaged(byte, ""); }
};

template <class T>
T read_pod(Bytespan bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

CopyDirection direction_of_call(std::uint8_t kind) {
  switch (kind) {  // cudaMemcpyKind
    case 0:
      return CopyDirection::host_to_host;
    case 1:
      return CopyDirection::host_to_device;
    case 2:
      return CopyDirection::device_to_host;
    case 3:
      return CopyDirection::device_to_device;
    case 255:
      return CopyDirection::none;
    default:
      return CopyDirection::unknown;
  }
}

CopyDirection direction_of_record(std::uint8_t kind) {
  switch (kind) {  // CUpti_ActivityMemcpyKind; arrays live on the device
    case 1:
    case 3:
      return CopyDirection::host_to_device;
    case 2:
    case 4:
      return CopyDirection::device_to_host;
    case 5:
    case 6:
    case 7:
    case 8:
      return CopyDirection::device_to_device;
    case 9:
      return CopyDirection::host_to_host;
    case 10:
      return CopyDirection::peer;
    default:
      return CopyDirection::unknown;
  }
}

MemoryKind memory_of_record(std::uint8_t kind) {
  switch (kind) {  // CUpti_ActivityMemoryKind
    case 1:
      return MemoryKind::pageable;
    case 2:
      return MemoryKind::pinned;
    case 3:
    case 4:
    case 6:
      return MemoryKind::device;
    case 5:
    case 7:
      return MemoryKind::managed;
    default:
      return MemoryKind::unknown;
  }
}

// Names are exchanged at the very end; until then a call's holds the id of its function.
bool add(Reading& reading, const format::CallRecord& r) {
  reading.trace.calls.push_back({r.begin_ns, r.end_ns, r.stream, r.handle, r.bytes, r.thread, r.correlation, r.context,
                                 format::api_id(r.domain, r.callback_id), r.result, r.depth,
                                 direction_of_call(r.copy_kind), r.stack});
  return true;
}

bool add(Reading& reading, const format::GpuRecord& r) {
  if (r.kind < format::GpuKind::kernel || r.kind > format::GpuKind::graph) return false;
  const auto kind = static_cast<GpuOpKind>(static_cast<std::uint8_t>(r.kind) - 1);
  const auto direction = kind == GpuOpKind::copy ? direction_of_record(r.copy_kind) : CopyDirection::none;
  reading.trace.gpu_ops.push_back({r.begin_ns, r.end_ns, r.bytes, r.correlation, r.device, r.context, r.stream, r.name,
                                   kind, direction, memory_of_record(r.source_memory),
                                   memory_of_record(r.target_memory), r.graph_node != 0});
  return true;
}

bool add(Reading& reading, const format::MarkRecord& r) {
  if (r.kind < format::MarkKind::push || r.kind > format::MarkKind::instant) return false;
  const auto kind = static_cast<RawMarkKind>(static_cast<std::uint8_t>(r.kind) - 1);
  reading.trace.marks.push_back({r.time_ns, r.range, r.thread, r.domain, r.text, kind});
  return true;
}

bool add(Reading& reading, const format::NoteRecord& r) {
  if (r.kind < format::NoteKind::lost_records || r.kind > format::NoteKind::window_close) return false;
  const auto kind = static_cast<NoteKind>(static_cast<std::uint32_t>(r.kind) - 1);
  reading.trace.notes.push_back({r.time_ns, r.value, r.thread, r.text, kind});
  return true;
}

OverheadKind kind_of_overhead(std::uint32_t kind) {
  switch (kind >> 16) {  // CUpti_ActivityOverheadKind
    case 4:
      return OverheadKind::module_loading;
    case 5:
      return OverheadKind::function_loading;
    case 6:
      return OverheadKind::queue_full;
    default:
      return OverheadKind::other;
  }
}

bool add(Reading& reading, const format::OverheadRecord& r) {
  reading.trace.overheads.push_back({r.begin_ns, r.end_ns, r.thread, r.correlation, kind_of_overhead(r.kind)});
  return true;
}

void define(Reading& reading, std::uint64_t kind, std::uint32_t id, std::string_view bytes) {
  switch (static_cast<format::DefinitionKind>(kind)) {
    case format::DefinitionKind::meta:
      if (!add_meta(bytes, reading.meta)) reading.odd("unreadable_meta");
      return;
    case format::DefinitionKind::string:
      reading.ids[id] = reading.trace.strings.intern(bytes);
      return;
    case format::DefinitionKind::api_name:
      reading.api_names[id] = reading.trace.strings.intern(bytes);
      return;
    case format::DefinitionKind::module:
      if (!add_module(id, bytes, reading.trace.stacks)) reading.odd("damaged_definitions");
      return;
    case format::DefinitionKind::stack:
      if (!add_stack(id, bytes, reading.trace.stacks)) reading.odd("damaged_definitions");
      return;
  }
  reading.odd("unknown_definitions");
}

template <class Record>
void read_record(Reading& reading, format::Decoder& io, const format::SegmentHeader& segment,
                 format::CodecState& state) {
  Record record;
  if constexpr (requires { record.thread; } && !std::is_same_v<Record, format::OverheadRecord>)
    record.thread = segment.thread;
  format::transfer(io, record, state);
  if (io.ok() && !add(reading, record)) reading.odd("unknown_records");
}

// False: what stands there is no record.
bool read_next(Reading& reading, format::Decoder& io, const format::SegmentHeader& segment, format::CodecState& state) {
  using format::RecordKind;
  switch (static_cast<RecordKind>(io.number())) {
    case RecordKind::call:
      read_record<format::CallRecord>(reading, io, segment, state);
      return io.ok();
    case RecordKind::gpu_op:
      read_record<format::GpuRecord>(reading, io, segment, state);
      return io.ok();
    case RecordKind::mark:
      read_record<format::MarkRecord>(reading, io, segment, state);
      return io.ok();
    case RecordKind::note:
      read_record<format::NoteRecord>(reading, io, segment, state);
      return io.ok();
    case RecordKind::overhead:
      read_record<format::OverheadRecord>(reading, io, segment, state);
      return io.ok();
    case RecordKind::definition: {
      const std::uint64_t kind = io.number();
      std::uint32_t id = 0;
      format::plain(io, id);
      const std::string_view bytes = io.bytes(io.number());
      if (io.ok()) define(reading, kind, id, bytes);
      return io.ok();
    }
  }
  return false;
}

// A segment as found: where it stands, and how much of its records is in the file.
struct Found {
  std::size_t at = 0;
  format::SegmentHeader header;
  Bytespan records;
};

void read_segment(Reading& reading, const Found& found) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(found.records.data());
  format::Decoder io(begin, begin + found.records.size());
  format::CodecState state;
  while (!io.at_end())
    if (!read_next(reading, io, found.header, state)) {
      reading.odd("damaged_segments");
      return reading.damaged(found.at, "record");
    }
}

bool is_blank(Bytespan bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

// The header at `at` and the records behind it; nullopt when it is none, which ends the readable part.
std::optional<Found> find_segment(Reading& reading, Bytespan file, std::size_t at) {
  const auto header = read_pod<format::SegmentHeader>(file.subspan(at));
  // A thread may have been at work while the process ended and the segment was sealed.
  const std::uint32_t sealed = header.sealed ? header.sealed_bytes : 0;
  const std::uint32_t bytes = std::max(header.committed_bytes, sealed);
  if (header.magic != format::kSegmentMagic || header.bytes < sizeof header || header.place != at ||
      bytes > header.bytes - sizeof header) {
    reading.odd("damaged_segments");
    reading.damaged(at, "segment header");
    return std::nullopt;
  }
  const Bytespan rest = file.subspan(at + sizeof header);
  Found found{at, header, rest.first(std::min<std::size_t>(bytes, rest.size()))};
  const bool whole = found.records.size() >= sealed;
  if (whole && header.sealed && format::crc32(found.records.data(), sealed) != header.crc32) {
    reading.odd("checksum_errors");
    reading.damaged(at, "checksum");
    found.records = {};
  }
  return found;
}

// Reads the segments from byte `at` on. What is sound behind a damaged one still counts.
void read_segments(Reading& reading, Bytespan file, std::size_t at) {
  std::vector<Found> segments;
  while (at + sizeof(format::SegmentHeader) <= file.size()) {
    // Space that was reserved and never used, by a process that was killed in between.
    if (is_blank(file.subspan(at, sizeof(format::SegmentHeader)))) break;
    const auto found = find_segment(reading, file, at);
    if (!found) break;
    at += found->header.bytes;
    segments.push_back(*found);
  }
  if (at > file.size()) reading.cut(file.size());
  std::stable_sort(segments.begin(), segments.end(), [](const Found& a, const Found& b) {
    return std::tuple(a.header.owner, a.header.sequence) < std::tuple(b.header.owner, b.header.sequence);
  });
  for (const Found& found : segments) read_segment(reading, found);
}

const char* text_of(format::StopReason reason) {
  switch (reason) {
    case format::StopReason::none:
      return "";
    case format::StopReason::no_space:
      return "the disk was full";
    case format::StopReason::file_limit:
      return "the process may not write a larger file (ulimit -f)";
    case format::StopReason::max_bytes:
      return "the largest size that was asked for was reached";
    case format::StopReason::failed:
      break;
  }
  return "the file could not be written";
}

// A damaged header may hold anything; counts must still add up.
std::int64_t count_of(std::uint64_t value) {
  return static_cast<std::int64_t>(std::min(value, std::uint64_t{1} << 53));
}

void read_status(Reading& reading, const format::FileHeader& header, std::size_t file_bytes) {
  RawTrace& trace = reading.trace;
  trace.lost_calls = count_of(header.lost_calls);
  trace.lost_marks = count_of(header.lost_marks);
  if (header.lost_gpu_ops > 0)
    trace.notes.push_back({0, std::uint64_t(count_of(header.lost_gpu_ops)), 0, 0, NoteKind::lost_records});
  if (header.late_calls > 0) reading.odd("calls_after_exit", count_of(header.late_calls));
  const bool closed = header.state == format::FileState::closed;
  trace.truncated = trace.truncated || !closed || header.stop_reason != format::StopReason::none ||
                    trace.lost_calls + trace.lost_marks > 0;
  if (closed && header.file_bytes > file_bytes) reading.cut(file_bytes);
  trace.end.reason = text_of(header.stop_reason);
  trace.end.failed =
      header.stop_reason != format::StopReason::none && header.stop_reason != format::StopReason::max_bytes;
  if (trace.end.reason.empty() && !closed && trace.end.byte == 0)
    trace.end.reason = "its process was killed, left by _exit, or still runs";
}

// A record may name a string that stands later in the file, so ids are exchanged at the very end.
void resolve_strings(Reading& reading) {
  const auto resolve_in = [&](const std::unordered_map<std::uint32_t, StringId>& names, StringId& id) {
    if (id == 0) return;
    const auto known = names.find(id);
    if (known == names.end()) reading.odd("missing_strings");
    id = known == names.end() ? reading.trace.strings.intern("(name lost)") : known->second;
  };
  const auto resolve = [&](StringId& id) { resolve_in(reading.ids, id); };
  for (RawCall& call : reading.trace.calls) resolve_in(reading.api_names, call.name);
  for (RawGpuOp& op : reading.trace.gpu_ops) resolve(op.name);
  for (RawMark& mark : reading.trace.marks) {
    resolve(mark.domain);
    resolve(mark.text);
  }
  for (RawNote& note : reading.trace.notes) resolve(note.text);
  for (StringId* name : names_in(reading.trace.stacks)) resolve(*name);
}

}  // namespace

Result<RawTrace> parse_native(Bytespan bytes, const std::string& name) {
  if (bytes.empty()) return Error{fmt::format("{} is empty: nothing was recorded into it", name)};
  const std::size_t compared = std::min(bytes.size(), format::kMagic.size());
  if (std::memcmp(bytes.data(), format::kMagic.data(), compared) != 0)
    return Error{fmt::format("{} is not a zerostall trace (a .zstall file, as `zerostall record` writes them)", name)};
  if (bytes.size() < sizeof(format::FileHeader))
    return Error{
        fmt::format("{} was cut off inside its first {} bytes: record it again", name, sizeof(format::FileHeader))};
  const auto header = read_pod<format::FileHeader>(bytes);
  if (header.version != format::kVersion)
    return Error{
        fmt::format("{} has trace format version {}, this program reads version {}: use the zerostall that wrote it",
                    name, header.version, format::kVersion)};
  if (header.header_bytes < sizeof header) return Error{fmt::format("{} has a damaged header: record it again", name)};

  Reading reading;
  if (header.header_bytes <= bytes.size())
    read_segments(reading, bytes, header.header_bytes);
  else
    reading.cut(bytes.size());
  read_status(reading, header, bytes.size());
  resolve_strings(reading);
  reading.trace.meta = meta_of(std::move(reading.meta));
  return std::move(reading.trace);
}

Result<RawTrace> read_native(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  if (!file) return file.error();
  return parse_native(file->bytes(), path.string());
}

}  // namespace zerostall
