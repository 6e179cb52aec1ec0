// Times of two sides, where they can be compared at all.
#include <fmt/format.h>

#include <algorithm>

#include "profiler/analyze/compare_parts.h"

namespace zerostall::compare {
namespace {

constexpr std::int64_t kFewestSteady = 5;  // metrics.md
constexpr double kSignificant = 0.05;

template <class Value>
Runs steady(Side side, const Value& value) {
  Runs runs;
  for (const RunSummary& run : side) {
    auto& of_run = runs.emplace_back();
    for (const StepRow& step : run.steps)
      if (step.judged && !step.unsteady)
        if (const Count time = value(step)) of_run.push_back(*time);
  }
  return runs;
}

std::vector<Nanos> all_of(const Runs& runs) {
  std::vector<Nanos> all;
  for (const auto& run : runs) all.insert(all.end(), run.begin(), run.end());
  return all;
}

// A difference is claimed where both the test and the interval say so.
TimeVerdict verdict_of(const TimeChange& row) {
  if (!row.test || !row.interval) return TimeVerdict::cannot_tell;
  const bool significant = row.test->p < kSignificant && (row.interval->low > 0 || row.interval->high < 0);
  if (!significant) return TimeVerdict::no_difference;
  return row.interval->low > 0 ? TimeVerdict::longer : TimeVerdict::shorter;
}

bool is_known(const Runs& runs, Side side) {
  std::int64_t known = 0, all = 0;
  for (const auto& run : runs) known += std::ssize(run);
  for (const RunSummary& run : side)
    for (const StepRow& step : run.steps) all += step.judged && !step.unsteady;
  return known == all;
}

template <class Value>
TimeChange compare(Side a, Side b, std::string_view key, bool with_test, const Value& value) {
  const Runs runs_a = steady(a, value), runs_b = steady(b, value);
  const auto all_a = all_of(runs_a), all_b = all_of(runs_b);
  TimeChange row;
  row.key = key;
  if (is_known(runs_a, a)) row.a = spread_of_times(all_a);
  if (is_known(runs_b, b)) row.b = spread_of_times(all_b);
  if (!row.a || !row.b || !with_test) return row;
  row.difference = row.b->median - row.a->median;
  if (std::min(row.a->samples, row.b->samples) < kFewestSteady) return row;
  row.test = mann_whitney(all_a, all_b);
  row.interval = median_difference(runs_a, runs_b);
  row.verdict = verdict_of(row);
  return row;
}

std::set<std::string> devices_of(Side side) {
  std::set<std::string> devices;
  for (const RunSummary& run : side) devices.insert(run.meta.device_name);
  return devices;
}

std::int64_t fewest_steady(Side a, Side b) {
  const auto step_time = [](const StepRow& step) { return Count(step.end_ns - step.begin_ns); };
  return std::min(std::ssize(all_of(steady(a, step_time))), std::ssize(all_of(steady(b, step_time))));
}

}  // namespace

Times compare_times(Side a, Side b, const Comparison& so_far) {
  Times times;
  times.modelled = std::any_of(a.begin(), a.end(), [](auto& run) { return run.meta.clock == Clock::modelled; });
  const auto mixed = [](Side side) {
    return std::any_of(side.begin(), side.end(),
                       [&](const RunSummary& run) { return run.meta.clock != side.front().meta.clock; });
  };
  if (so_far.simulated_against_measured || mixed(a) || mixed(b)) {
    times.why_not = "simulated against measured";
    return times;
  }
  if (so_far.basis == Basis::run) {
    times.why_not = "a side has no steps";
    return times;
  }
  if (devices_of(a) != devices_of(b)) {
    times.why_not = "different devices";
  } else if (const std::int64_t fewest = fewest_steady(a, b); fewest < kFewestSteady) {
    times.why_not = fmt::format("{} steady steps on a side, {} are needed", fewest, kFewestSteady);
  }
  const bool test = times.why_not.empty();
  times.rows.push_back(
      compare(a, b, "step_ns", test, [](const StepRow& step) { return Count(step.end_ns - step.begin_ns); }));
  times.rows.push_back(
      compare(a, b, "blocked_ns", test, [](const StepRow& step) { return step.counters[Counter::blocked_ns]; }));
  times.rows.push_back(compare(a, b, "avoidable_idle_ns", test, avoidable_idle));
  return times;
}

}  // namespace zerostall::compare

namespace zerostall {

Count avoidable_idle(const StepRow& step) {
  Nanos sum = 0;
  for (const WaitSeen& wait : step.waits) {
    if (!wait.avoidable_ns) return std::nullopt;
    sum += *wait.avoidable_ns;
  }
  return sum;
}

}  // namespace zerostall
