#include "profiler/trace/read_native.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "profiler/base/files.h"
#include "profiler/trace/format.h"

namespace zerostall {
namespace {

using Bytespan = std::span<const std::byte>;
using Json = nlohmann::ordered_json;

// State of one reading: the trace so far, and what can only be resolved when all of the file has been seen.
struct Reading {
  RawTrace trace;
  std::unordered_map<std::uint32_t, StringId> ids;  // ids of the file -> ids of trace.strings
  Json meta = Json::object();
  bool ended = false;

  void odd(const char* what, std::int64_t count = 1) { trace.oddities[what] += count; }
  void stop(std::size_t byte, const char* damage = "") { trace.end = {byte, damage}; }
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

bool add(Reading& reading, const format::CallRecord& r) {
  reading.trace.calls.push_back({r.begin_ns, r.end_ns, r.stream, r.handle, r.bytes, r.thread, r.correlation, r.context,
                                 r.name, r.result, r.depth, direction_of_call(r.copy_kind)});
  return true;
}

bool add(Reading& reading, const format::GpuRecord& r) {
  if (r.kind < format::GpuKind::kernel || r.kind > format::GpuKind::memset) return false;
  const auto kind = r.kind == format::GpuKind::kernel ? GpuOpKind::kernel
                    : r.kind == format::GpuKind::copy ? GpuOpKind::copy
                                                      : GpuOpKind::memset;
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
  if (r.kind < format::NoteKind::lost_records || r.kind > format::NoteKind::clock_step) return false;
  const auto kind = static_cast<NoteKind>(static_cast<std::uint32_t>(r.kind) - 1);
  reading.trace.notes.push_back({r.time_ns, r.value, r.thread, r.text, kind});
  return true;
}

// Records only ever grow at their end, so one shorter than ours is damage. It also bounds what a small file can
// allocate.
template <class Record>
bool read_records(Reading& reading, Bytespan payload, std::size_t record_bytes) {
  if (record_bytes < sizeof(Record)) return false;
  for (; payload.size() >= record_bytes; payload = payload.subspan(record_bytes))
    if (!add(reading, read_pod<Record>(payload))) reading.odd("unknown_records");
  if (!payload.empty()) reading.odd("partial_records");
  return true;
}

bool read_strings(Reading& reading, Bytespan payload) {
  while (payload.size() >= 8) {
    const auto id = read_pod<std::uint32_t>(payload);
    const auto length = read_pod<std::uint32_t>(payload.subspan(4));
    payload = payload.subspan(8);
    if (length > payload.size()) return false;
    reading.ids[id] = reading.trace.strings.intern({reinterpret_cast<const char*>(payload.data()), length});
    payload = payload.subspan(length);
  }
  return payload.empty();
}

bool read_meta(Reading& reading, Bytespan payload) {
  const auto* text = reinterpret_cast<const char*>(payload.data());
  const Json object = Json::parse(text, text + payload.size(), nullptr, false);
  if (!object.is_object()) {
    reading.odd("unreadable_meta");
    return true;
  }
  for (const auto& [key, value] : object.items()) reading.meta[key] = value;
  return true;
}

bool read_chunk(Reading& reading, const format::ChunkHeader& header, Bytespan payload) {
  switch (header.kind) {
    case format::ChunkKind::meta:
      return read_meta(reading, payload);
    case format::ChunkKind::strings:
      return read_strings(reading, payload);
    case format::ChunkKind::calls:
      return read_records<format::CallRecord>(reading, payload, header.record_bytes);
    case format::ChunkKind::gpu_ops:
      return read_records<format::GpuRecord>(reading, payload, header.record_bytes);
    case format::ChunkKind::marks:
      return read_records<format::MarkRecord>(reading, payload, header.record_bytes);
    case format::ChunkKind::notes:
      return read_records<format::NoteRecord>(reading, payload, header.record_bytes);
    case format::ChunkKind::end:
      reading.ended = true;
      return true;
  }
  reading.odd("unknown_chunks");
  return true;
}

// The `end` chunk stands last: nothing was cut off.
bool ends_as_written(Bytespan file) {
  if (file.size() < sizeof(format::FileHeader) + sizeof(format::ChunkHeader)) return false;
  const auto last = read_pod<format::ChunkHeader>(file.last(sizeof(format::ChunkHeader)));
  return last.magic == format::kChunkMagic && last.kind == format::ChunkKind::end && last.payload_bytes == 0;
}

// Reads chunks from byte `at` on until `end`, the end of the file, or the first that is not sound.
void read_chunks(Reading& reading, Bytespan file, std::size_t at) {
  while (!reading.ended) {
    Bytespan bytes = file.subspan(at);
    if (bytes.size() < sizeof(format::ChunkHeader)) return reading.stop(file.size());
    const auto header = read_pod<format::ChunkHeader>(bytes);
    if (header.magic != format::kChunkMagic) {
      reading.odd("damaged_chunks");
      return reading.stop(at, "chunk header");
    }
    bytes = bytes.subspan(sizeof header);
    if (header.payload_bytes > bytes.size())
      return ends_as_written(file) ? reading.stop(at, "chunk length") : reading.stop(file.size());
    const Bytespan payload = bytes.first(header.payload_bytes);
    if (format::crc32(payload.data(), payload.size()) != header.crc32) {
      reading.odd("checksum_errors");
      return reading.stop(at, "checksum");
    }
    if (!read_chunk(reading, header, payload)) {
      reading.odd("damaged_chunks");
      return reading.stop(at, "chunk contents");
    }
    at += sizeof header + payload.size();
  }
  if (at < file.size()) reading.odd("bytes_after_end", static_cast<std::int64_t>(file.size() - at));
}

// A record may name a string that stands later in the file, so ids are exchanged at the very end.
void resolve_strings(Reading& reading) {
  const auto resolve = [&](StringId& id) {
    if (id == 0) return;
    const auto known = reading.ids.find(id);
    if (known == reading.ids.end()) reading.odd("missing_strings");
    id = known == reading.ids.end() ? reading.trace.strings.intern("(name lost)") : known->second;
  };
  for (RawCall& call : reading.trace.calls) resolve(call.name);
  for (RawGpuOp& op : reading.trace.gpu_ops) resolve(op.name);
  for (RawMark& mark : reading.trace.marks) {
    resolve(mark.domain);
    resolve(mark.text);
  }
  for (RawNote& note : reading.trace.notes) resolve(note.text);
}

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::optional<std::int64_t> number_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

void resolve_process(const Json& object, TraceMeta& meta) {
  meta.program = text_at(object, "program");
  meta.host_clock = text_at(object, "host_clock");
  meta.pid = number_at(object, "pid");
  meta.rank = number_at(object, "rank");
  meta.local_rank = number_at(object, "local_rank");
  meta.world_size = number_at(object, "world_size");
  meta.gpu_records = object.value("gpu_records", Json()) == true;
  const auto argv = object.find("argv");
  if (argv == object.end() || !argv->is_array()) return;
  for (const Json& argument : *argv)
    if (argument.is_string()) meta.argv.push_back(argument.get<std::string>());
}

void resolve_meta(Reading& reading) {
  TraceMeta& meta = reading.trace.meta;
  resolve_process(reading.meta, meta);
  meta.format = "zstall";
  meta.tool = text_at(reading.meta, "tool");
  if (const auto version = text_at(reading.meta, "version"); !version.empty()) meta.tool += " " + version;
  meta.clock = text_at(reading.meta, "clock") == "modelled" ? Clock::modelled : Clock::measured;
  if (const auto model = text_at(reading.meta, "simulated_model"); !model.empty() && !reading.meta.contains("device"))
    reading.meta["device"] = {{"name", "simulated " + upper(model)}, {"simulated_model", model}};
  const auto device = reading.meta.find("device");
  if (device == reading.meta.end() || !device->is_object()) return;
  meta.device = device->dump(-1, ' ', false, Json::error_handler_t::replace);
  meta.device_name = text_at(*device, "name");
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
  if (header.header_bytes < sizeof header || header.header_bytes > bytes.size())
    return Error{fmt::format("{} has a damaged header: record it again", name)};

  Reading reading;
  read_chunks(reading, bytes, header.header_bytes);
  reading.trace.truncated = !reading.ended;
  resolve_strings(reading);
  resolve_meta(reading);
  return std::move(reading.trace);
}

Result<RawTrace> read_native(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  if (!file) return file.error();
  return parse_native(file->bytes(), path.string());
}

}  // namespace zerostall
