#include "profiler/gate/policy_file.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <tuple>
#include <utility>

#include "profiler/base/printable.h"
#include "profiler/gate/policy_file_budgets.h"
#include "profiler/gate/policy_file_run.h"

namespace zerostall {
namespace {

// "waits.p95" -> "waits" and "p95"; of a region whose name holds dots the last parts count.
std::pair<std::string_view, std::string_view> split_at_last_dot(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) return {"", text};
  return {text.substr(0, dot), text.substr(dot + 1)};
}

std::optional<Statistic> statistic_of(std::string_view name) {
  for (const Statistic of : {Statistic::max, Statistic::median, Statistic::p95, Statistic::total})
    if (name == name_of(of)) return of;
  return std::nullopt;
}

// What stands in front of the `=`: REGION.METRIC.STATISTIC, the first and the last may be left out.
Result<Budget> parse_limited(std::string_view text) {
  Budget budget;
  auto [region, metric] = split_at_last_dot(text);
  if (const auto of = statistic_of(metric); of && !region.empty()) {
    budget.limit.of = *of;
    std::tie(region, metric) = split_at_last_dot(region);
    budget.metric = find_metric(metric);
  } else if ((budget.metric = find_metric(metric)) != nullptr) {
    budget.limit.of = usual_statistic(*budget.metric);
  }
  if (budget.metric == nullptr) {
    const auto [rest, before] = split_at_last_dot(region);
    if (find_metric(before) != nullptr)
      return Error{fmt::format(
          "{}: {}", printable(text),
          unknown("statistic", metric, std::to_array<std::string_view>({"max", "median", "p95", "total"})))};
    return Error{fmt::format("{}: {}", printable(text), unknown_metric(metric))};
  }
  if (region.empty() && text.front() == '.')
    return Error{fmt::format("{}: the name of the region in front of the dot is empty", printable(text))};
  budget.scope.region = region;
  return budget;
}

Result<std::int64_t> parse_limit(std::string_view text, const Metric& metric) {
  if (metric.is_time) {
    if (const auto time = parse_time(text)) return *time;
    return Error{fmt::format("{} is no time for {}: write {}=2ms or {}=150us", quoted(text), metric.key, metric.key,
                             metric.key)};
  }
  std::int64_t count = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), count);
  if (parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size() && count >= 0 && count <= kMostCount)
    return count;
  return Error{fmt::format("{} is no count for {}: write a whole number, {}=0", quoted(text), metric.key, metric.key)};
}

}  // namespace

Result<Policy> parse_policy(std::string_view toml, const std::string& file) {
  const auto read = read_toml(toml, file);
  if (!read) return read.error();
  PolicyProblems problems;
  Policy policy;
  policy.file = file;
  refuse_unknown_keys(*read, "", problems);
  read_top(*read, policy, problems);
  if (const TomlEntry* run = find_entry(*read, "run")) read_run(*run, policy.run, problems);
  BudgetReader budgets(problems);
  if (const TomlEntry* budget = find_entry(*read, "budget")) budgets.read_budget(*budget);
  if (const TomlEntry* rules = find_entry(*read, "rule")) budgets.read_rules(*rules);
  if (policy.run.device.starts_with("sim")) budgets.refuse_times(policy.run.device);
  policy.budgets = budgets.take();
  if (const TomlEntry* allow = find_entry(*read, "allow")) read_allow(*allow, policy.allow, problems);
  if (problems.any()) return problems.error(file);
  return policy;
}

Result<Budget> parse_max(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0)
    return Error{fmt::format("{} is no limit: write METRIC=N or REGION.METRIC=N, such as waits=0", quoted(text))};
  const auto trim = [](std::string_view part) {
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    return part;
  };
  const std::string_view name = trim(text.substr(0, equals));
  if (name.empty()) return Error{fmt::format("{} names no metric: write waits=0", quoted(text))};
  auto budget = parse_limited(name);
  if (!budget) return budget.error();
  const auto amount = parse_limit(trim(text.substr(equals + 1)), *budget->metric);
  if (!amount) return amount.error();
  budget->limit.at_most = *amount;
  if (const std::string why = why_not(budget->scope, *budget->metric, budget->limit); !why.empty())
    return Error{fmt::format("{}: {}", printable(text), why)};
  return budget;
}

}  // namespace zerostall
