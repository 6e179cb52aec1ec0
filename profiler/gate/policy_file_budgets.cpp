#include "profiler/gate/policy_file_budgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "profiler/gate/policy_file_keys.h"

namespace zerostall {
namespace {

constexpr std::int64_t kMostSteps = 1'000'000;
constexpr std::int64_t kMostRank = 1'000'000;

constexpr auto kLevels = std::to_array<std::string_view>({"error", "warn", "off"});           // in the order of Level
constexpr auto kParts = std::to_array<std::string_view>({"steps", "background", "outside"});  // of Scope::Part

Level read_level(const TomlValue& table, Level otherwise, PolicyProblems& problems) {
  const TomlEntry* entry = find_entry(table, "level");
  if (entry == nullptr) return otherwise;
  const auto word = read_word(*entry, kLevels, problems);
  return word ? static_cast<Level>(*word) : otherwise;
}

// Counted beside the waits: they have neither a place nor a cause.
bool is_no_wait(Counter counter) {
  return counter == Counter::implicit || counter == Counter::spins || counter == Counter::queue_full;
}

std::string why_not_there(const Scope& scope, const Metric& metric) {
  const bool by_wait = !scope.site.empty() || !scope.cause.empty();
  const bool in_part = scope.part != Scope::Part::steps;
  if (in_part && (by_wait || !scope.region.empty()))
    return "what happens on other threads and outside of steps is counted as a whole, not by region, cause or site";
  if (metric.kind == MetricKind::step_time && (by_wait || in_part || !scope.region.empty()))
    return "step_time is that of whole steps: put it into [budget]";
  if (metric.kind == MetricKind::avoidable_idle && (by_wait || in_part || !scope.region.empty()))
    return "avoidable_idle_time is known of whole steps: put it into [budget]";
  if (by_wait && metric.kind == MetricKind::counter && is_no_wait(metric.counter))
    return fmt::format("{} are no host waits, so they have neither site nor cause: limit them in [budget] or a region",
                       metric.key);
  return {};
}

std::string why_not_so(const Scope& scope, const Metric& metric, const Limit& limit) {
  if (metric.is_time && scope.part == Scope::Part::outside)
    return fmt::format("{} is limited in steps: outside of them there is nothing to compare it with", metric.key);
  if (metric.is_time && !limit.slower && (limit.of == Statistic::max || limit.of == Statistic::total))
    return fmt::format("one slow step is noise: limit the median or p95 of {}", metric.key);
  if (scope.part == Scope::Part::outside && (limit.of != Statistic::total || limit.slower))
    return fmt::format("outside of steps there is only the sum of the whole run: write {} = {{ total = {} }}",
                       metric.key, 4);
  if (metric.is_time && limit.of == Statistic::window)
    return "at_most and every are for counts; times are compared as distributions: use median or p95";
  if (!metric.is_time && limit.slower)
    return "slower is for times; counts are compared exactly: use max, or a baseline";
  return {};
}

}  // namespace

std::string why_not(const Scope& scope, const Metric& metric, const Limit& limit) {
  std::string why = why_not_there(scope, metric);
  return why.empty() ? why_not_so(scope, metric, limit) : why;
}

std::string unknown_metric(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Metric& metric : all_metrics()) known.push_back(metric.key);
  return unknown("metric", name, known);
}

void BudgetReader::read_budget(const TomlEntry& entry) {
  if (!is_table(entry, problems_)) return;
  refuse_unknown_keys(entry.value, "budget", problems_);
  read_metrics(entry.value, {}, Level::error);
  struct Group {
    std::string_view key, path;
    bool (BudgetReader::*set)(const TomlEntry&, Scope&);
  };
  constexpr auto kGroups = std::to_array<Group>({{"region", "budget.region.NAME", &BudgetReader::set_region},
                                                 {"cause", "budget.cause.SLUG", &BudgetReader::set_cause},
                                                 {"site", "budget.site.GLOB", &BudgetReader::set_site},
                                                 {"device", "budget.device.GLOB", &BudgetReader::set_device},
                                                 {"rank", "budget.rank.N", &BudgetReader::set_rank}});
  for (const Group& group : kGroups)
    if (const TomlEntry* found = find_entry(entry.value, group.key)) read_named(*found, group.path, group.set);
  for (const std::size_t part : {1u, 2u}) {
    const TomlEntry* found = find_entry(entry.value, kParts[part]);
    if (found == nullptr || !is_table(*found, problems_)) continue;
    const std::string path = fmt::format("budget.{}", kParts[part]);
    refuse_unknown_keys(found->value, path, problems_);
    read_metrics(found->value, {.part = static_cast<Scope::Part>(part)}, Level::error);
  }
}

// Tables by name: [budget.region.train], [budget.region.load] ...
void BudgetReader::read_named(const TomlEntry& group, std::string_view path,
                              bool (BudgetReader::*set)(const TomlEntry&, Scope&)) {
  if (!is_table(group, problems_)) return;
  for (const TomlEntry& named : group.value.entries) {
    if (named.value.kind != TomlKind::table) {
      problems_.add(named.place,
                    fmt::format("{} needs a name in front of it: [budget.{}.NAME], or [budget.{}.\"a name\"]",
                                quoted(named.key), group.key, group.key));
      continue;
    }
    refuse_unknown_keys(named.value, path, problems_);
    Scope scope;
    if ((this->*set)(named, scope)) read_metrics(named.value, scope, Level::error);
  }
}

void BudgetReader::read_metrics(const TomlValue& table, const Scope& scope, Level level) {
  for (const TomlEntry& entry : table.entries)
    if (const Metric* metric = find_metric(entry.key)) read_limits(entry, scope, *metric, level);
}

// A name of a table that is empty says nothing, whatever it names.
bool BudgetReader::set_region(const TomlEntry& entry, Scope& scope) {
  if (entry.key.empty()) problems_.add(entry.place, "the name of a region is empty: [budget] is for the whole step");
  scope.region = entry.key;
  return !entry.key.empty();
}

bool BudgetReader::set_cause(const TomlEntry& entry, Scope& scope) {
  const auto slugs = cause_slugs();
  if (std::find(slugs.begin(), slugs.end(), entry.key) == slugs.end()) {
    problems_.add(entry.place, unknown("cause", entry.key, slugs));
    return false;
  }
  scope.cause = entry.key;
  return true;
}

bool BudgetReader::set_site(const TomlEntry& entry, Scope& scope) {
  if (entry.key.empty()) problems_.add(entry.place, "the glob of a site is empty: write \"train.py:step\", or \"*\"");
  if (const auto why = why_no_place(entry.key); !why.empty()) problems_.add(entry.place, why);
  scope.site = entry.key;
  return !entry.key.empty();
}

bool BudgetReader::set_device(const TomlEntry& entry, Scope& scope) {
  if (entry.key.empty()) problems_.add(entry.place, "the glob of a device is empty: write \"*H200*\", or \"*\"");
  scope.device = entry.key;
  return !entry.key.empty();
}

bool BudgetReader::set_rank(const TomlEntry& entry, Scope& scope) {
  std::int64_t rank = -1;
  const char* end = entry.key.data() + entry.key.size();
  const auto parsed = std::from_chars(entry.key.data(), end, rank);
  if (parsed.ec != std::errc{} || parsed.ptr != end || rank < 0 || rank > kMostRank) {
    problems_.add(entry.place, fmt::format("{} is no rank: write a number, [budget.rank.0]", quoted(entry.key)));
    return false;
  }
  scope.rank = rank;
  return true;
}

void BudgetReader::read_limits(const TomlEntry& entry, const Scope& scope, const Metric& metric, Level level) {
  if (entry.value.kind == TomlKind::table) return read_table(entry, scope, metric, level);
  Budget budget{scope, &metric, {usual_statistic(metric)}, level, entry.place.line};
  if (const auto amount = read_amount(entry, metric)) {
    budget.limit.at_most = *amount;
    add(entry.place, std::move(budget));
  }
}

void BudgetReader::read_table(const TomlEntry& entry, const Scope& scope, const Metric& metric, Level level) {
  const TomlValue& table = entry.value;
  refuse_unknown_keys(table, "budget.METRIC", problems_);
  Budget budget{scope, &metric, {}, read_level(table, level, problems_), entry.place.line};
  read_window(entry, budget);
  for (const Statistic of : {Statistic::max, Statistic::median, Statistic::p95, Statistic::total}) {
    const TomlEntry* found = find_entry(table, name_of(of));
    if (found == nullptr) continue;
    const auto amount = read_amount(*found, metric);
    budget.line = found->place.line;
    budget.limit = {of, amount.value_or(0)};
    if (amount) add(found->place, budget);
  }
  if (const TomlEntry* slower = find_entry(table, "slower")) {
    budget.line = slower->place.line;
    budget.limit = {Statistic::median, 0, 0, read_percentage(*slower, problems_)};
    if (budget.limit.slower) add(slower->place, budget);
  }
  // An unknown key was meant to be one.
  if (std::all_of(table.entries.begin(), table.entries.end(), [](const TomlEntry& e) { return e.key == "level"; }))
    problems_.add(table.place, fmt::format("{} has no limit: write {} = {}, or one of max, median, p95, total, at_most "
                                           "with every{}",
                                           quoted(entry.key), entry.key, metric.is_time ? "\"2 ms\"" : "0",
                                           metric.is_time ? ", slower" : ""));
}

// "at_most = 1, every = 50".
void BudgetReader::read_window(const TomlEntry& entry, const Budget& common) {
  const TomlEntry* at_most = find_entry(entry.value, "at_most");
  const TomlEntry* every = find_entry(entry.value, "every");
  if (at_most == nullptr && every == nullptr) return;
  if (at_most == nullptr || every == nullptr) {
    problems_.add((at_most != nullptr ? at_most : every)->place,
                  "at_most and every belong together: { at_most = 1, every = 50 } is at most 1 in any 50 steps");
    return;
  }
  Budget budget = common;
  budget.line = at_most->place.line;
  const auto amount = read_amount(*at_most, *budget.metric);
  const auto steps = read_number(*every, 1, kMostSteps, problems_);
  if (!amount || !steps) return;
  budget.limit = {Statistic::window, *amount, *steps};
  add(at_most->place, std::move(budget));
}

std::optional<std::int64_t> BudgetReader::read_amount(const TomlEntry& entry, const Metric& metric) {
  return metric.is_time ? read_time(entry, problems_) : read_number(entry, 0, kMostCount, problems_);
}

void BudgetReader::add(TomlPlace place, Budget budget) {
  if (const std::string why = why_not(budget.scope, *budget.metric, budget.limit); !why.empty()) {
    problems_.add(place, why);
    return;
  }
  const Scope& scope = budget.scope;
  const auto [known, is_new] = lines_.try_emplace(
      Key(budget.metric->key, scope.part, scope.region, scope.cause, scope.site, scope.device, scope.rank,
          budget.limit.of, budget.limit.steps, budget.limit.slower.has_value(), budget.level),
      place.line);
  if (!is_new) {
    problems_.add(place, fmt::format("the same limit ({}) stands in line {} already", describe(budget), known->second));
    return;
  }
  budgets_.emplace_back(place, std::move(budget));
}

void BudgetReader::read_rules(const TomlEntry& entry) {
  for (const TomlValue* rule : read_tables(entry, problems_)) read_rule(*rule);
}

void BudgetReader::read_rule(const TomlValue& rule) {
  refuse_unknown_keys(rule, "rule", problems_);
  Scope scope;
  bool fine = true;
  const auto set_text = [&](std::string_view key, bool (BudgetReader::*set)(const TomlEntry&, Scope&)) {
    const TomlEntry* entry = find_entry(rule, key);
    if (entry == nullptr) return;
    auto text = read_text(*entry, problems_);
    fine = text && (this->*set)({std::move(*text), entry->value.place, {}}, scope) && fine;
  };
  set_text("region", &BudgetReader::set_region);
  set_text("cause", &BudgetReader::set_cause);
  set_text("site", &BudgetReader::set_site);
  set_text("device", &BudgetReader::set_device);
  if (const TomlEntry* rank = find_entry(rule, "rank")) {
    scope.rank = read_number(*rank, 0, kMostRank, problems_);
    fine = fine && scope.rank;
  }
  if (const TomlEntry* part = find_entry(rule, "part")) {
    const auto word = read_word(*part, kParts, problems_);
    if (word) scope.part = static_cast<Scope::Part>(*word);
    fine = fine && word;
  }
  const bool limits = std::any_of(rule.entries.begin(), rule.entries.end(),
                                  [](const TomlEntry& entry) { return find_metric(entry.key) != nullptr; });
  if (!limits) problems_.add(rule.place, "this [[rule]] limits nothing: add a metric, such as waits = 0");
  if (fine) read_metrics(rule, scope, read_level(rule, Level::error, problems_));
}

void BudgetReader::refuse_times(std::string_view device) {
  for (const auto& [place, budget] : budgets_)
    if (budget.metric->is_time && budget.level != Level::off)
      problems_.add(place,
                    fmt::format("a limit on {} needs measured times, and device = \"{}\" in [run] models them: take "
                                "the limit out, or measure on a GPU (device = \"gpu\")",
                                budget.metric->key, device));
}

std::vector<Budget> BudgetReader::take() {
  std::stable_sort(budgets_.begin(), budgets_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Budget> budgets;
  for (auto& [place, budget] : budgets_) budgets.push_back(std::move(budget));
  return budgets;
}

}  // namespace zerostall
