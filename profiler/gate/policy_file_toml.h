// A TOML text as a tree of our own: what reads a policy need not know the library that parses TOML, which takes long to
// compile.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/gate/policy.h"

namespace zerostall {

// Counted from 1; columns in characters.
struct TomlPlace {
  std::uint32_t line = 1, column = 1;
  auto operator<=>(const TomlPlace&) const = default;
};

enum class TomlKind : std::uint8_t { text, whole, real, truth, date, time, list, table };
// With its article: "a text", "a whole number".
std::string_view name_of(TomlKind kind);

struct TomlEntry;
struct TomlValue {
  TomlKind kind = TomlKind::table;
  TomlPlace place;
  std::string text;  // of kind `text`: valid UTF-8, any characters
  std::int64_t whole = 0;
  double real = 0;
  bool truth = false;
  Date date{};                     // valid
  std::vector<TomlValue> items;    // of a list
  std::vector<TomlEntry> entries;  // of a table, by place
};

struct TomlEntry {
  std::string key;
  TomlPlace place;  // of the key
  TomlValue value;
};

// "FILE:LINE:COLUMN: WHAT".
Error toml_error(const std::string& file, TomlPlace place, std::string_view what);

// Fails for what is no TOML, for more than kMostPolicyBytes, and for what is nested deeper than any policy is. Errors
// are those of `toml_error`, in one line.
Result<TomlValue> read_toml(std::string_view toml, const std::string& file);

inline constexpr std::size_t kMostPolicyBytes = std::size_t{4} << 20;

}  // namespace zerostall
