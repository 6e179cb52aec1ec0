#include "profiler/gate/policy_file_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "profiler/base/printable.h"
#include "profiler/base/strings.h"
#include "profiler/gate/policy_file_keys.h"

namespace zerostall {
namespace {

constexpr std::size_t kMostShown = 80;  // bytes of a text of the user's in a message
constexpr double kMostNanos = 7.0 * 24 * 3600 * 1e9;

// Cut between characters.
std::string cut(std::string_view text) {
  if (text.size() <= kMostShown) return std::string(text);
  std::size_t end = kMostShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

void wrong_kind(const TomlEntry& entry, std::string_view wanted, PolicyProblems& problems) {
  problems.add(entry.value.place,
               fmt::format("{} is {}, and must be {}", quoted(entry.key), name_of(entry.value.kind), wanted));
}

// Where an unknown key belongs, in words for its message; "" = nowhere.
std::string belongs_to(std::string_view key, std::string_view path) {
  for (const std::string_view table : {"", "run", "allow", "rule", "budget"}) {
    const auto known = known_keys(table);
    if (table == path || std::find(known.begin(), known.end(), key) == known.end()) continue;
    if (table.empty()) return "at the top of the file, in front of the first [table]";
    const bool is_list = table == "allow" || table == "rule";
    return is_list ? fmt::format("in [[{}]]", table) : fmt::format("in [{}]", table);
  }
  return {};
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// "1.5 s" -> 1.5 and "s".
std::optional<std::pair<double, std::string_view>> parse_amount(std::string_view text) {
  text = trimmed(text);
  double amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(amount) || amount < 0 || std::signbit(amount)) return std::nullopt;
  return std::pair(amount, trimmed(text.substr(static_cast<std::size_t>(end - text.data()))));
}

std::optional<Date> parse_date(std::string_view text) {
  std::array<int, 3> parts{};
  constexpr std::array<std::pair<std::size_t, std::size_t>, 3> kPlaces = {{{0, 4}, {5, 2}, {8, 2}}};
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view digits = text.substr(kPlaces[i].first, kPlaces[i].second);
    if (digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    std::from_chars(digits.data(), digits.data() + digits.size(), parts[i]);
  }
  const Date date(std::chrono::year(parts[0]), std::chrono::month(static_cast<unsigned>(parts[1])),
                  std::chrono::day(static_cast<unsigned>(parts[2])));
  return date.ok() ? std::optional(date) : std::nullopt;
}

}  // namespace

Error PolicyProblems::error(const std::string& file) const {
  const auto first =
      std::min_element(found_.begin(), found_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string what = first->second;
  if (found_.size() > 1)
    what += fmt::format(" (and {})", counted(static_cast<std::int64_t>(found_.size()) - 1, "more problem"));
  return toml_error(file, first->first, what);
}

std::string quoted(std::string_view text) { return fmt::format("`{}`", printable(cut(text))); }

std::string unknown(std::string_view kind, std::string_view name, std::span<const std::string_view> known) {
  // Not of a text that is no name: the distance takes time with the length.
  if (const auto meant = name.size() <= kMostShown ? closest_name(name, known) : std::nullopt)
    return fmt::format("unknown {} {}, did you mean `{}`?", kind, quoted(name), *meant);
  return fmt::format("unknown {} {}; known: {}", kind, quoted(name), join(known, ", "));
}

void refuse_unknown_keys(const TomlValue& table, std::string_view path, PolicyProblems& problems) {
  const auto known = known_keys(path);
  for (const TomlEntry& entry : table.entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    const std::string elsewhere = belongs_to(entry.key, path);
    problems.add(entry.place, elsewhere.empty()
                                  ? unknown("key", entry.key, known)
                                  : fmt::format("unknown key {} here: it belongs {}", quoted(entry.key), elsewhere));
  }
}

const TomlEntry* find_entry(const TomlValue& table, std::string_view key) {
  const auto found =
      std::find_if(table.entries.begin(), table.entries.end(), [&](const TomlEntry& e) { return e.key == key; });
  return found == table.entries.end() ? nullptr : &*found;
}

std::optional<std::string> read_text(const TomlEntry& entry, PolicyProblems& problems) {
  if (entry.value.kind != TomlKind::text) {
    wrong_kind(entry, "a text in quotes", problems);
    return std::nullopt;
  }
  const std::string& text = entry.value.text;
  if (text.find('\0') != std::string::npos) {
    problems.add(entry.value.place, fmt::format("{} holds a NUL character", quoted(entry.key)));
    return std::nullopt;
  }
  if (text.find_first_not_of(" \t\r\n") != std::string::npos) return text;
  problems.add(entry.value.place, fmt::format("{} is empty: write a text, or leave the key out", quoted(entry.key)));
  return std::nullopt;
}

std::optional<std::int64_t> read_number(const TomlEntry& entry, std::int64_t least, std::int64_t most,
                                        PolicyProblems& problems) {
  if (entry.value.kind != TomlKind::whole) {
    wrong_kind(entry, "a whole number", problems);
    return std::nullopt;
  }
  if (entry.value.whole >= least && entry.value.whole <= most) return entry.value.whole;
  problems.add(entry.value.place, fmt::format("{} is {}, and must be {}", quoted(entry.key), entry.value.whole,
                                              entry.value.whole < least ? fmt::format("{} or more", least)
                                                                        : fmt::format("at most {}", most)));
  return std::nullopt;
}

std::optional<Nanos> read_time(const TomlEntry& entry, PolicyProblems& problems) {
  constexpr std::string_view kWanted = "a time with its unit in quotes, such as \"2 ms\" or \"150 us\"";
  if (entry.value.kind != TomlKind::text) {
    wrong_kind(entry, kWanted, problems);
    return std::nullopt;
  }
  if (const auto time = parse_time(entry.value.text)) return time;
  problems.add(entry.value.place,
               fmt::format("{} is {}, and must be {}", quoted(entry.key), quoted(entry.value.text), kWanted));
  return std::nullopt;
}

std::optional<double> read_percentage(const TomlEntry& entry, PolicyProblems& problems) {
  constexpr std::string_view kWanted = "a percentage in quotes, such as \"5 %\"";
  if (entry.value.kind != TomlKind::text) {
    wrong_kind(entry, kWanted, problems);
    return std::nullopt;
  }
  const auto amount = parse_amount(entry.value.text);
  if (amount && amount->second == "%" && amount->first > 0 && amount->first <= 1000) return amount->first / 100;
  problems.add(entry.value.place, fmt::format("{} is {}, and must be {}, more than 0 and at most 1000 %",
                                              quoted(entry.key), quoted(entry.value.text), kWanted));
  return std::nullopt;
}

std::optional<Date> read_date(const TomlEntry& entry, PolicyProblems& problems) {
  if (entry.value.kind == TomlKind::date) return entry.value.date;
  if (entry.value.kind != TomlKind::text) {
    wrong_kind(entry, "a date, such as 2027-06-30", problems);
    return std::nullopt;
  }
  if (const auto date = parse_date(entry.value.text)) return date;
  problems.add(entry.value.place, fmt::format("{} is {}, and must be a date, such as 2027-06-30", quoted(entry.key),
                                              quoted(entry.value.text)));
  return std::nullopt;
}

std::vector<const TomlValue*> read_tables(const TomlEntry& entry, PolicyProblems& problems) {
  std::vector<const TomlValue*> tables;
  if (entry.value.kind == TomlKind::table) return {&entry.value};
  bool all = entry.value.kind == TomlKind::list;
  for (const TomlValue& item : entry.value.items) {
    all = all && item.kind == TomlKind::table;
    if (item.kind == TomlKind::table) tables.push_back(&item);
  }
  if (!all) wrong_kind(entry, fmt::format("written as [[{}]] tables", printable(cut(entry.key))), problems);
  return tables;
}

bool is_table(const TomlEntry& entry, PolicyProblems& problems) {
  if (entry.value.kind == TomlKind::table) return true;
  wrong_kind(entry, "a table", problems);
  return false;
}

std::optional<std::size_t> read_word(const TomlEntry& entry, std::span<const std::string_view> words,
                                     PolicyProblems& problems) {
  if (entry.value.kind != TomlKind::text) {
    wrong_kind(entry, fmt::format("one of the texts {}", join(words, ", ")), problems);
    return std::nullopt;
  }
  const auto found = std::find(words.begin(), words.end(), entry.value.text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  problems.add(entry.value.place, unknown(fmt::format("value of {}:", quoted(entry.key)), entry.value.text, words));
  return std::nullopt;
}

std::optional<Nanos> parse_time(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 6> kUnits = {
      {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"μs", 1e3}, {"ms", 1e6}, {"s", 1e9}}};  // two characters look like µ
  const auto amount = parse_amount(text);
  if (!amount) return std::nullopt;
  for (const auto& [unit, nanos] : kUnits)
    if (amount->second == unit && amount->first * nanos <= kMostNanos)
      return static_cast<Nanos>(std::llround(amount->first * nanos));
  return std::nullopt;
}

}  // namespace zerostall
