// Writes the wire format of Protocol Buffers (protobuf.dev, "Encoding"): tags, varints, fixed64, and fields with a
// length.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace zerostall {

class ProtobufWriter {
 public:
  explicit ProtobufWriter(std::string& out) : out_(out) {}

  void number(std::uint32_t field, std::uint64_t value) {
    tag(field, kVarint);
    varint(value);
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    tag(field, kFixed64);
    for (int shift = 0; shift < 64; shift += 8) out_ += static_cast<char>(value >> shift & 0xff);
  }
  void bytes(std::uint32_t field, std::string_view value) {
    tag(field, kLength);
    varint(value.size());
    out_ += value;
  }
  // A message within the one under way: what `end` gets is what `begin` returned.
  std::size_t begin(std::uint32_t field) {
    tag(field, kLength);
    out_ += '\0';  // the length: one byte is enough for most
    return out_.size();
  }
  void end(std::size_t started) {
    std::size_t length = out_.size() - started;
    const std::size_t place = started - 1;
    if (length >= 0x80) out_.insert(place, bytes_of(length) - 1, '\0');
    for (std::size_t i = place;; ++i, length >>= 7) {
      out_[i] = static_cast<char>((length & 0x7f) | (length >= 0x80 ? 0x80 : 0));
      if (length < 0x80) return;
    }
  }

 private:
  static constexpr std::uint32_t kVarint = 0, kFixed64 = 1, kLength = 2;

  static std::size_t bytes_of(std::uint64_t value) {
    std::size_t n = 1;
    for (; value >= 0x80; value >>= 7) ++n;
    return n;
  }
  void tag(std::uint32_t field, std::uint32_t type) { varint(std::uint64_t{field} << 3 | type); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>((value & 0x7f) | 0x80);
    out_ += static_cast<char>(value);
  }

  std::string& out_;
};

}  // namespace zerostall
