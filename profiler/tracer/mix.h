// A 64-bit hash, fast for short texts: two stacks are the same if it is.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zerostall::tracer {

// The high and low half of a product, folded: each bit of both numbers reaches all bits of the result.
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a ^ 0x9e37'79b9'7f4a'7c15u) * (b ^ 0xd6e8'feb8'6659'fd93u);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t mix_bytes(std::uint64_t hash, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const unsigned char*>(data);
  hash = mix(hash, bytes);
  for (; bytes >= 8; bytes -= 8, at += 8) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    hash = mix(hash, word);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, at, bytes);
  return mix(hash, rest);
}

}  // namespace zerostall::tracer
