// Values of a policy, each checked where it is read. Whatever is wrong becomes a finding, and reading goes on.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/gate/policy_file_toml.h"

namespace zerostall {

// What is wrong with a policy.
class PolicyProblems {
 public:
  void add(TomlPlace place, std::string what) { found_.emplace_back(place, std::move(what)); }
  bool any() const { return !found_.empty(); }
  // The first in the file, and how many more there are; there is at least one.
  Error error(const std::string& file) const;

 private:
  std::vector<std::pair<TomlPlace, std::string>> found_;
};

// "`waits`", printable and not too long.
std::string quoted(std::string_view text);

// "unknown key `wait`, did you mean `waits`?" Names whatever is near, else all there are.
std::string unknown(std::string_view kind, std::string_view name, std::span<const std::string_view> known);

// Each key that the table of this path (policy_file_keys.h) does not know.
void refuse_unknown_keys(const TomlValue& table, std::string_view path, PolicyProblems& problems);

// Null: it is not there.
const TomlEntry* find_entry(const TomlValue& table, std::string_view key);

// Nullopt: it is something else, which is a problem now.
std::optional<std::string> read_text(const TomlEntry& entry, PolicyProblems& problems);  // not blank, without NUL
std::optional<std::int64_t> read_number(const TomlEntry& entry, std::int64_t least, std::int64_t most,
                                        PolicyProblems& problems);
std::optional<Nanos> read_time(const TomlEntry& entry, PolicyProblems& problems);
std::optional<double> read_percentage(const TomlEntry& entry, PolicyProblems& problems);  // "5 %" = 0.05
std::optional<Date> read_date(const TomlEntry& entry, PolicyProblems& problems);          // or a text YYYY-MM-DD
// The tables of a list of tables; a single table counts as a list of one.
std::vector<const TomlValue*> read_tables(const TomlEntry& entry, PolicyProblems& problems);
bool is_table(const TomlEntry& entry, PolicyProblems& problems);

// Position of the word.
std::optional<std::size_t> read_word(const TomlEntry& entry, std::span<const std::string_view> words,
                                     PolicyProblems& problems);

inline constexpr std::int64_t kMostCount = 1'000'000'000'000;

// "2 ms", "150us", "1.5 s"; nullopt: no such time, or a negative one, or more than a week.
std::optional<Nanos> parse_time(std::string_view text);

}  // namespace zerostall
