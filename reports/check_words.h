// What the writers of `zerostall check` share: the verdict in one line, and texts of the program under test made
// harmless for whatever shows them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/gate/check.h"

namespace zerostall {

// Lists of a report are cut, and say so: what nobody reads must not make a comment, a log or an upload fail.
inline constexpr std::size_t kMostFindings = 1000;   // in files for machines
inline constexpr std::size_t kMostSuggested = 20;    // allowances ready to copy
inline constexpr std::size_t kMostCharacters = 240;  // of one text of the program under test
inline constexpr std::size_t kMostSentence = 600;    // of a sentence that holds several

// A text for people: printable (printable.h), in one line, of at most `most` characters with "..." for the rest, and
// without "##[", which the log of a GitHub job would take for a command.
std::string inert(std::string_view text, std::size_t most = kMostSentence);

// "pass: 3 budgets held in 18 judged steps (simulated H200), 0 waits per step"; with a baseline "waits per step 0 → 2".
std::string headline(const CheckReport& report);

// "2 more warnings: ...": how many of `all` are left out where `shown` are shown; "" = none.
std::string left_out(std::size_t all, std::size_t shown, std::string_view noun);

// "rank0: 18 of 20 steps judged (marks, 2 of warm-up); 3 waits allowed, 10 outside of steps, 0 on other threads".
std::string describe(const CheckedFacts& facts);

// What became of a budget of this report: "found 2 in step 7, 12 judged steps over the limit", "found 1.25 ms
// (modelled)", "off", "for another device or rank", "cannot tell: ...".
std::string describe(const CheckReport& report, const BudgetResult& result);

// "rank0: waits per step: 0 → 2".
std::string describe(const BeforeAfter& row);

// The reasons why it cannot be told, but for a single one that the headline says already.
std::vector<std::string> doubts_in(const CheckReport& report);

// What of the recording would have to be different for a verdict, as far as the facts tell; "" = the reasons say it.
std::string what_to_do(const CheckReport& report);

// A policy's [[allow]] tables, to be completed with reasons; "" for none. Texts that TOML or a glob cannot hold as they
// are come as globs that match them.
std::string allow_toml(std::span<const Allowance> allowances);

// A file as stored, where it is a path inside a repository that a CI system could link to: relative, without "..".
std::optional<std::string> repository_path(std::string_view file);
// A name of a file that a user typed, for documents that leave the machine: as it is where it is relative and goes
// nowhere else, otherwise its last part.
std::string name_without_folders(const std::string& file);

// Where a finding is shown: at its site, else in the policy. Nullopt: there is no file to show.
struct Location {
  std::string file;
  std::uint32_t line = 0;  // 0 = not known
};
std::optional<Location> location_of(const CheckReport& report, const Finding& finding);

// 16 hex digits that stay the same for the same finding in another run: of kind, process, rule and site; neither of
// line numbers nor of counts.
std::string fingerprint(const CheckReport& report, const Finding& finding);

// Whether a finding says the same as the one before it, but for the place.
bool differs_in_place_alone(const Finding& finding, const Finding& before);

// "rank0: 2 waits per step, ...": never empty.
std::string sentence(const Finding& finding);

// What is broken: the slug of the site's cause, else the kind of the finding.
std::string rule_of(const Finding& finding);

}  // namespace zerostall
