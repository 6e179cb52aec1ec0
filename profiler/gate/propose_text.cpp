#include "profiler/gate/propose_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/base/printable.h"
#include "profiler/base/strings.h"

namespace zerostall {
namespace {

constexpr std::size_t kLongLine = 100;
constexpr std::size_t kMostComment = 160;  // bytes
constexpr std::ptrdiff_t kMostDots = 50;   // a line with many is refused when it is read (policy_file_toml.cpp)

// Everything that TOML or an editor could trip over.
bool must_escape(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  return lead < 0x20 || lead == 0x7f || character == "\"" || character == "\\";
}

// Of a character that is_harmful (printable.cpp), a code point.
std::string escaped(std::string_view character) {
  if (character == "\"" || character == "\\") return "\\" + std::string(character);
  return fmt::format("\\u{:04X}", static_cast<unsigned char>(character.front()));
}

}  // namespace

std::string toml_text(std::string_view text) {
  const bool many_dots = std::count(text.begin(), text.end(), '.') > kMostDots;
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    if (bytes == 0) return {};
    const std::string_view character = text.substr(0, bytes);
    if (must_escape(character) || (many_dots && character == "."))
      quoted += escaped(character);
    else
      quoted += character;
    text.remove_prefix(bytes);
  }
  return quoted + "\"";
}

std::string toml_texts(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  std::size_t length = 0;
  for (const std::string& text : texts) {
    quoted.push_back(toml_text(text));
    if (quoted.back().empty()) return {};
    length += quoted.back().size() + 2;
  }
  if (length <= kLongLine) return fmt::format("[{}]", join(quoted, ", "));
  return fmt::format("[\n  {},\n]", join(quoted, ",\n  "));
}

std::string toml_comment(std::string_view text) {
  std::string shown = printable(text);
  if (shown.size() > kMostComment) {
    std::size_t end = kMostComment;
    while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xc0) == 0x80) --end;
    shown = shown.substr(0, end) + "...";
  }
  return shown.empty() ? "#\n" : fmt::format("# {}\n", shown);
}

}  // namespace zerostall
