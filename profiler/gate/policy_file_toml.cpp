#include "profiler/gate/policy_file_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiler/base/printable.h"

// The only file that includes this library. It must not recurse deeper than a stack allows: a policy nests five values.
#define TOML_EXCEPTIONS 0
#define TOML_MAX_NESTED_VALUES 16
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_UNRELEASED_FEATURES 0
#include <toml++/toml.h>

namespace zerostall {
namespace {

// Keys of one line: `a.b.c` is three tables deep, and the library limits values alone.
constexpr std::ptrdiff_t kMostDotsInALine = 200;

TomlPlace place_of(const toml::source_position& position) {
  return {std::max<std::uint32_t>(position.line, 1), std::max<std::uint32_t>(position.column, 1)};
}

// An invisible mark that editors of some systems put in front.
std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
}

// The place of the first byte that is no character of a text, or of one that no text file holds; nullopt: all is well.
std::optional<std::pair<TomlPlace, std::string_view>> find_binary(std::string_view text) {
  TomlPlace at;
  while (!text.empty()) {
    if (text.front() == '\0') return std::pair(at, "a NUL byte: this is no text file");
    const std::size_t bytes = character_bytes(text);
    if (bytes == 0) return std::pair(at, "bytes that are not UTF-8: a policy is written in UTF-8");
    ++at.column;
    if (text.front() == '\n') at = {at.line + 1, 1};
    text.remove_prefix(bytes);
  }
  return std::nullopt;
}

std::optional<TomlPlace> find_too_deep(std::string_view text) {
  for (std::uint32_t line = 1; !text.empty(); ++line) {
    const std::string_view row = text.substr(0, text.find('\n'));
    if (std::count(row.begin(), row.end(), '.') > kMostDotsInALine) return TomlPlace{line, 1};
    text.remove_prefix(std::min(row.size() + 1, text.size()));
  }
  return std::nullopt;
}

// "Error while parsing key-value pair: cannot redefine existing integer 'waits'" in our words.
std::string in_our_words(std::string_view problem) {
  constexpr std::string_view kBegin = "Error while parsing ";
  if (!problem.starts_with(kBegin)) return fmt::format("not valid TOML: {}", printable(problem));
  return fmt::format("not valid TOML: in a {}", printable(problem.substr(kBegin.size())));
}

TomlValue convert(const toml::node& node);

TomlValue convert_table(const toml::table& table) {
  TomlValue value;
  for (const auto& [key, node] : table)
    value.entries.push_back({std::string(key.str()), place_of(key.source().begin), convert(node)});
  std::stable_sort(value.entries.begin(), value.entries.end(),
                   [](const TomlEntry& a, const TomlEntry& b) { return a.place < b.place; });
  return value;
}

TomlValue convert_date(const toml::date& date) {
  TomlValue value;
  value.kind = TomlKind::date;
  value.date = Date(std::chrono::year(date.year), std::chrono::month(date.month), std::chrono::day(date.day));
  return value;
}

TomlValue convert_any(const toml::node& node) {
  if (const auto* table = node.as_table()) return convert_table(*table);
  TomlValue value;
  value.kind = TomlKind::time;
  if (const auto* list = node.as_array()) {
    value.kind = TomlKind::list;
    for (const toml::node& item : *list) value.items.push_back(convert(item));
  } else if (const auto* text = node.as_string()) {
    value.kind = TomlKind::text;
    value.text = text->get();
  } else if (const auto* whole = node.as_integer()) {
    value.kind = TomlKind::whole;
    value.whole = whole->get();
  } else if (const auto* real = node.as_floating_point()) {
    value.kind = TomlKind::real;
    value.real = real->get();
  } else if (const auto* truth = node.as_boolean()) {
    value.kind = TomlKind::truth;
    value.truth = truth->get();
  } else if (const auto* date = node.as_date()) {
    value = convert_date(date->get());
  }
  return value;
}

TomlValue convert(const toml::node& node) {
  TomlValue value = convert_any(node);
  value.place = place_of(node.source().begin);
  return value;
}

}  // namespace

std::string_view name_of(TomlKind kind) {
  switch (kind) {
    case TomlKind::text:
      return "a text";
    case TomlKind::whole:
      return "a whole number";
    case TomlKind::real:
      return "a number with a fraction";
    case TomlKind::truth:
      return "true or false";
    case TomlKind::date:
      return "a date";
    case TomlKind::time:
      return "a time of day";
    case TomlKind::list:
      return "a list";
    case TomlKind::table:
      break;
  }
  return "a table";
}

Error toml_error(const std::string& file, TomlPlace place, std::string_view what) {
  return Error{fmt::format("{}:{}:{}: {}", printable(file), place.line, place.column, what)};
}

Result<TomlValue> read_toml(std::string_view text, const std::string& file) {
  text = without_byte_order_mark(text);
  if (text.size() > kMostPolicyBytes)
    return toml_error(file, {}, fmt::format("larger than {} MiB: this is no policy", kMostPolicyBytes >> 20));
  if (const auto binary = find_binary(text)) return toml_error(file, binary->first, binary->second);
  if (const auto deep = find_too_deep(text))
    return toml_error(file, *deep, fmt::format("more than {} dots in one line: no key is that deep", kMostDotsInALine));
  const toml::parse_result parsed = toml::parse(text);
  if (parsed) return convert(parsed.table());
  const toml::parse_error& error = parsed.error();
  return toml_error(file, place_of(error.source().begin), in_our_words(error.description()));
}

}  // namespace zerostall
