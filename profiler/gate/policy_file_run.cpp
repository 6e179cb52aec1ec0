#include "profiler/gate/policy_file_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiler/base/strings.h"
#include "profiler/gate/policy_file_keys.h"
#include "profiler/gate/verify.h"

namespace zerostall {
namespace {

constexpr std::int64_t kMost = 1'000'000;
constexpr std::int64_t kMostGpus = 64;  // of the simulated kind

// Reads the value of a key where it is there.
template <class Value, class Read>
void read_into(const TomlValue& table, std::string_view key, Value& value, const Read& read) {
  if (const TomlEntry* entry = find_entry(table, key))
    if (auto given = read(*entry)) value = *given;
}

// Options of a table, one line each.
struct Reader {
  const TomlValue& table;
  PolicyProblems& problems;

  void text(std::string_view key, std::string& value) const {
    read_into(table, key, value, [&](const TomlEntry& entry) { return read_text(entry, problems); });
  }
  template <class Number>
  void number(std::string_view key, Number& value, std::int64_t least, std::int64_t most) const {
    read_into(table, key, value, [&](const TomlEntry& entry) { return read_number(entry, least, most, problems); });
  }
  // Whether the value is the second of two words; the first is the default.
  bool second(std::string_view key, std::array<std::string_view, 2> words) const {
    const TomlEntry* entry = find_entry(table, key);
    return entry != nullptr && read_word(*entry, words, problems) == 1;
  }
};

// A single text is what most people write first; which words a shell would make of it cannot be known here.
void refuse_single_text(const TomlEntry& entry, PolicyProblems& problems) {
  std::string words;
  std::string_view rest = entry.value.text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (end > 0) words += fmt::format("{}\"{}\"", words.empty() ? "" : ", ", rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const bool is_plain = !words.empty() && words.size() < 200 &&
                        entry.value.text.find_first_of("\"'\\$|&;<>(){}`*?~#\n\t") == std::string::npos;
  problems.add(entry.value.place, fmt::format("`command` is one text, and must be a list of them: {}",
                                              is_plain ? fmt::format("[{}]", words)
                                                       : R"(["sh", "-c", "..."] for what a shell is to read)"));
}

void read_command(const TomlEntry& entry, std::vector<std::string>& command, PolicyProblems& problems) {
  if (entry.value.kind == TomlKind::text) return refuse_single_text(entry, problems);
  if (entry.value.kind != TomlKind::list || entry.value.items.empty()) {
    problems.add(entry.value.place,
                 fmt::format("`command` is {}, and must be a list of texts: [\"python\", \"train.py\"]",
                             entry.value.kind == TomlKind::list ? "an empty list" : name_of(entry.value.kind)));
    return;
  }
  for (const TomlValue& word : entry.value.items) {
    const bool is_name = &word == &entry.value.items.front();
    std::string problem;
    if (word.kind != TomlKind::text)
      problem = fmt::format("{} in `command`, which holds texts alone: put it in quotes", name_of(word.kind));
    else if (word.text.find('\0') != std::string::npos)
      problem = "a NUL character in `command`, which no argument can hold";
    else if (is_name && word.text.empty())
      problem = "the name of the program in `command` is empty";
    if (!problem.empty()) problems.add(word.place, problem);
    command.push_back(word.text);
  }
}

void read_device(const TomlEntry& entry, std::string& device, PolicyProblems& problems) {
  constexpr auto kDevices = std::to_array<std::string_view>({"auto", "gpu", "sim"});
  auto text = read_text(entry, problems);
  if (!text) return;
  const bool has_model = text->starts_with("sim:") && text->size() > 4;  // which models there are `check` knows
  if (!has_model && std::find(kDevices.begin(), kDevices.end(), *text) == kDevices.end())
    problems.add(entry.value.place,
                 unknown("device", *text, std::to_array<std::string_view>({"auto", "gpu", "sim", "sim:h200"})));
  device = std::move(*text);
}

void refuse_simulator_keys(const TomlValue& table, PolicyProblems& problems) {
  for (const std::string_view key : {"gpus", "sim_values", "seed"})
    if (const TomlEntry* entry = find_entry(table, key))
      problems.add(entry->place,
                   fmt::format("`{}` is for the simulated GPU, and device is \"gpu\": leave it out", key));
}

void read_one_allowance(const TomlValue& table, std::vector<Allowance>& allow, PolicyProblems& problems) {
  refuse_unknown_keys(table, "allow", problems);
  Allowance allowance;
  allowance.line = table.place.line;
  const Reader read{table, problems};
  read.text("site", allowance.site);
  if (const TomlEntry* site = find_entry(table, "site"))
    if (const auto why = why_no_place(allowance.site); !why.empty()) problems.add(site->place, why);
  read.text("cause", allowance.cause);
  read.text("kernel", allowance.kernel);
  read.text("region", allowance.region);
  read.text("reason", allowance.reason);
  read.number("waits_per_step", allowance.waits_per_step, 1, kMostCount);
  read.number("every", allowance.every, 1, kMost);
  read_into(table, "expires", allowance.expires, [&](const TomlEntry& entry) { return read_date(entry, problems); });
  if (find_entry(table, "reason") == nullptr)
    problems.add(table.place, "this [[allow]] has no reason: say why these waits may stay, reason = \"...\"");
  const auto matches = [&](std::string_view key) { return find_entry(table, key) != nullptr; };
  if (!matches("site") && !matches("cause") && !matches("kernel") && !matches("region"))
    problems.add(table.place, "this [[allow]] says of no wait: add site, cause, kernel or region");
  if (const auto slugs = cause_slugs();
      !allowance.cause.empty() && std::find(slugs.begin(), slugs.end(), allowance.cause) == slugs.end())
    problems.add(find_entry(table, "cause")->value.place, unknown("cause", allowance.cause, slugs));
  allow.push_back(std::move(allowance));
}

}  // namespace

void read_run(const TomlEntry& entry, RunSettings& run, PolicyProblems& problems) {
  if (!is_table(entry, problems)) return;
  const TomlValue& table = entry.value;
  refuse_unknown_keys(table, "run", problems);
  const Reader read{table, problems};
  if (const TomlEntry* command = find_entry(table, "command")) read_command(*command, run.command, problems);
  if (const TomlEntry* device = find_entry(table, "device")) read_device(*device, run.device, problems);
  read.number("gpus", run.gpus, 1, kMostGpus);
  read.text("sim_values", run.sim_values);
  read.number("seed", run.seed, 0, kMostCount);
  read.number("warmup", run.warmup, 0, kMost);
  read.number("fewest_steps", run.fewest_steps, kFewestJudgedSteps, kMost);
  if (read.second("steps", {"marks", "inferred"})) run.steps = StepsWanted::inferred;
  read.text("step_pattern", run.step_pattern);
  if (!run.step_pattern.empty() && !is_valid_pattern(run.step_pattern))
    problems.add(find_entry(table, "step_pattern")->value.place,
                 fmt::format("`step_pattern` is {}, which is no regular expression", quoted(run.step_pattern)));
  if (run.device == "gpu") refuse_simulator_keys(table, problems);
}

void read_allow(const TomlEntry& entry, std::vector<Allowance>& allow, PolicyProblems& problems) {
  for (const TomlValue* table : read_tables(entry, problems)) read_one_allowance(*table, allow, problems);
}

void read_top(const TomlValue& top, Policy& policy, PolicyProblems& problems) {
  const Reader read{top, problems};
  if (const TomlEntry* version = find_entry(top, "version"))
    if (const auto number = read_number(*version, 1, kMost, problems); number && *number != 1)
      problems.add(version->value.place,
                   fmt::format("this file is of version {}, and this zerostall reads version 1", *number));
  read.text("baseline", policy.baseline);
  if (read.second("cannot_tell", {"error", "warn"})) policy.cannot_tell = Level::warn;
  policy.unreal_is_cannot_tell = read.second("unreal_values", {"warn", "cannot-tell"});
  policy.improved_is_violation = read.second("improved", {"note", "violation"});
  read_into(top, "least_effect", policy.least_effect_ns,
            [&](const TomlEntry& entry) { return read_time(entry, problems); });
}

}  // namespace zerostall
