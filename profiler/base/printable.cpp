#include "profiler/base/printable.h"

#include <fmt/format.h>

#include <cstdint>

namespace zerostall {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0 = not UTF-8
};

std::uint8_t byte_at(std::string_view text, std::size_t i) { return static_cast<std::uint8_t>(text[i]); }

// The first character of a text that is not empty. Overlong forms, surrogates and codes past the end are not UTF-8.
Character decode(std::string_view text) {
  const std::uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte_at(text, i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte_at(text, i) & 0x3fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kLeast[bytes] || code > 0x10ffff || is_surrogate ? Character{} : Character{code, bytes};
}

bool is_harmful(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

std::string escaped(std::uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  if (code == '\r') return "\\r";
  return code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
}

}  // namespace

std::size_t character_bytes(std::string_view text) { return decode(text).bytes; }

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const Character c = decode(text);
    if (c.bytes == 0) {
      shown += fmt::format("\\x{:02x}", byte_at(text, 0));
    } else if (is_harmful(c.code)) {
      shown += escaped(c.code);
    } else {
      shown += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes == 0 ? 1 : c.bytes);
  }
  return shown;
}

}  // namespace zerostall
