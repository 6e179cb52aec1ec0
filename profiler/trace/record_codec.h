// Records as bytes. A record is its kind (one byte), flags, and numbers of variable length (seven bits a byte, low ones
// first); times and correlation ids are differences to the record before, streams and contexts are left out while they
// stay the same. One description serves both directions: `transfer(Encoder&, ...)` writes, `transfer(Decoder&, ...)`
// reads the same fields.
//
// State belongs to one segment: it starts anew with each, so that every segment can be decoded by itself.
#pragma once
#include <string_view>

#include "profiler/trace/format.h"

namespace zerostall::format {

enum class RecordKind : std::uint8_t { call = 1, gpu_op = 2, mark = 3, note = 4, definition = 5, overhead = 6 };

// No record but a definition is longer.
inline constexpr std::size_t kMostRecordBytes = 128;
// What a definition takes besides its own bytes.
inline constexpr std::size_t kDefinitionHeadBytes = 24;

// What the fields of a record are relative to.
struct CodecState {
  std::int64_t time_ns = 0, gpu_time_ns = 0;
  std::uint64_t stream = 0;
  std::uint32_t correlation = 0, gpu_correlation = 0, context = 0;
  std::uint32_t gpu_device = 0, gpu_context = 0, gpu_stream = 0;
};

class Encoder {
 public:
  static constexpr bool kWrites = true;
  explicit Encoder(std::uint8_t* at) : at_(at) {}
  std::uint8_t* at() const { return at_; }

  void number(std::uint64_t value) {
    while (value >= 0x80) {
      *at_++ = static_cast<std::uint8_t>(value | 0x80);
      value >>= 7;
    }
    *at_++ = static_cast<std::uint8_t>(value);
  }
  void bytes(std::string_view bytes) {
    __builtin_memcpy(at_, bytes.data(), bytes.size());
    at_ += bytes.size();
  }

 private:
  std::uint8_t* at_;  // the caller provides room
};

// Trusts nothing: past the end, or a number too large for its field, `ok()` turns false and all that follows reads 0.
class Decoder {
 public:
  static constexpr bool kWrites = false;
  Decoder(const std::uint8_t* at, const std::uint8_t* end) : at_(at), end_(end) {}
  bool ok() const { return ok_; }
  bool at_end() const { return at_ == end_; }
  const std::uint8_t* at() const { return at_; }
  void fail() {
    ok_ = false;
    at_ = end_;
  }

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) break;
      const std::uint8_t byte = *at_++;
      if (shift == 63 && byte > 1) break;
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }
  std::string_view bytes(std::uint64_t length) {
    if (length > static_cast<std::uint64_t>(end_ - at_)) {
      fail();
      return {};
    }
    const auto* text = reinterpret_cast<const char*>(at_);
    at_ += length;
    return {text, static_cast<std::size_t>(length)};
  }

 private:
  const std::uint8_t *at_, *end_;
  bool ok_ = true;
};

// Small numbers of either sign stay short: 0, -1, 1, -2 ... become 0, 1, 2, 3 ...
constexpr std::uint64_t folded(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unfolded(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

template <class T>
void plain(Encoder& io, T& field) {
  io.number(static_cast<std::uint64_t>(field));
}
template <class T>
void plain(Decoder& io, T& field) {
  const std::uint64_t value = io.number();
  field = static_cast<T>(value);
  if (static_cast<std::uint64_t>(field) != value) io.fail();
}

// Differences wrap around, so that every value comes back, however far from the last.
template <class T>
void difference(Encoder& io, T& field, T base) {
  io.number(folded(static_cast<std::int64_t>(static_cast<std::uint64_t>(field) - static_cast<std::uint64_t>(base))));
}
template <class T>
void difference(Decoder& io, T& field, T base) {
  field = static_cast<T>(static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(unfolded(io.number())));
}
template <class Io, class T>
void to_last(Io& io, T& field, T& last) {
  difference(io, field, last);
  last = field;
}

// Present only when `flag`.
template <class Io, class T>
void optional(Io& io, bool flag, T& field) {
  if (flag) plain(io, field);
}
template <class Io, class T>
void sticky(Io& io, bool changed, T& field, T& last) {
  if (changed) {
    plain(io, field);
    last = field;
  } else if constexpr (!Io::kWrites) {
    field = last;
  }
}

inline std::uint32_t flags_of(const CallRecord& r, const CodecState& s) {
  return std::uint32_t{r.stream != s.stream} | std::uint32_t{r.copy_kind != 255} << 1 |
         std::uint32_t{r.bytes != 0} << 2 | std::uint32_t{r.handle != 0} << 3 | std::uint32_t{r.depth != 0} << 4 |
         std::uint32_t{r.stack != 0} << 5 | std::uint32_t{r.context != s.context} << 6 |
         std::uint32_t{r.result != 0} << 7;
}

template <class Io>
void transfer(Io& io, CallRecord& r, CodecState& s) {
  std::uint32_t flags = 0;
  if constexpr (Io::kWrites) flags = flags_of(r, s);
  plain(io, flags);
  std::uint32_t id = api_id(r.domain, r.callback_id);
  plain(io, id);
  if constexpr (!Io::kWrites) {
    r.domain = id % 4;
    r.callback_id = id / 4;
  }
  to_last(io, r.end_ns, s.time_ns);
  difference(io, r.begin_ns, r.end_ns);
  to_last(io, r.correlation, s.correlation);
  sticky(io, flags & 1, r.stream, s.stream);
  optional(io, flags & 2, r.copy_kind);
  optional(io, flags & 4, r.bytes);
  optional(io, flags & 8, r.handle);
  optional(io, flags & 16, r.depth);
  optional(io, flags & 32, r.stack);
  sticky(io, flags & 64, r.context, s.context);
  if (flags & 128) difference(io, r.result, std::int32_t{0});
}

inline bool same_place(const GpuRecord& r, const CodecState& s) {
  return r.device == s.gpu_device && r.context == s.gpu_context && r.stream == s.gpu_stream;
}

inline std::uint32_t flags_of(const GpuRecord& r, const CodecState& s) {
  return std::uint32_t{!same_place(r, s)} | std::uint32_t{r.name != 0} << 1 | std::uint32_t{r.bytes != 0} << 2 |
         std::uint32_t{(r.copy_kind | r.source_memory | r.target_memory) != 0} << 3 |
         std::uint32_t{(r.graph_node | r.graph) != 0} << 4 | std::uint32_t{r.flags != 0} << 5;
}

template <class Io>
void transfer(Io& io, GpuRecord& r, CodecState& s) {
  std::uint32_t flags = 0;
  if constexpr (Io::kWrites) flags = flags_of(r, s);
  plain(io, flags);
  plain(io, r.kind);
  to_last(io, r.begin_ns, s.gpu_time_ns);
  difference(io, r.end_ns, r.begin_ns);
  to_last(io, r.correlation, s.gpu_correlation);
  sticky(io, flags & 1, r.device, s.gpu_device);
  sticky(io, flags & 1, r.context, s.gpu_context);
  sticky(io, flags & 1, r.stream, s.gpu_stream);
  optional(io, flags & 2, r.name);
  optional(io, flags & 4, r.bytes);
  optional(io, flags & 8, r.copy_kind);
  optional(io, flags & 8, r.source_memory);
  optional(io, flags & 8, r.target_memory);
  optional(io, flags & 16, r.graph_node);
  optional(io, flags & 16, r.graph);
  optional(io, flags & 32, r.flags);
}

template <class Io>
void transfer(Io& io, MarkRecord& r, CodecState& s) {
  plain(io, r.kind);
  to_last(io, r.time_ns, s.time_ns);
  plain(io, r.range);
  plain(io, r.domain);
  plain(io, r.text);
}

template <class Io>
void transfer(Io& io, NoteRecord& r, CodecState& s) {
  plain(io, r.kind);
  to_last(io, r.time_ns, s.time_ns);
  plain(io, r.value);
  plain(io, r.text);
}

template <class Io>
void transfer(Io& io, OverheadRecord& r, CodecState& s) {
  plain(io, r.kind);
  to_last(io, r.begin_ns, s.gpu_time_ns);
  difference(io, r.end_ns, r.begin_ns);
  plain(io, r.thread);
  plain(io, r.correlation);
}

constexpr RecordKind kind_of(const CallRecord&) { return RecordKind::call; }
constexpr RecordKind kind_of(const GpuRecord&) { return RecordKind::gpu_op; }
constexpr RecordKind kind_of(const MarkRecord&) { return RecordKind::mark; }
constexpr RecordKind kind_of(const NoteRecord&) { return RecordKind::note; }
constexpr RecordKind kind_of(const OverheadRecord&) { return RecordKind::overhead; }

// Writes one record with its kind in front; needs room for kMostRecordBytes.
template <class Record>
void encode(Encoder& io, const Record& record, CodecState& state) {
  Record copy = record;
  auto kind = kind_of(record);
  plain(io, kind);
  transfer(io, copy, state);
}

// Needs room for kDefinitionHeadBytes and the bytes.
inline void encode_definition(Encoder& io, DefinitionKind kind, std::uint32_t id, std::string_view bytes) {
  io.number(static_cast<std::uint64_t>(RecordKind::definition));
  io.number(static_cast<std::uint64_t>(kind));
  io.number(id);
  io.number(bytes.size());
  io.bytes(bytes);
}

}  // namespace zerostall::format
