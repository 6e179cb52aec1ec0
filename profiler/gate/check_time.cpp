// Limits on times: they fail only for what is significantly more, never for noise.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "profiler/analyze/statistics.h"
#include "profiler/gate/check_parts.h"

namespace zerostall::gate {
namespace {

constexpr std::int64_t kFewestSteady = 5;  // metrics.md, "Runs"
constexpr double kSignificant = 0.01;      // a gate is asked on every commit: stricter than a look at two runs
constexpr double kHalf = 0.5, kTail = 0.05;

std::vector<Nanos> steady_times(const RunSummary& run, std::span<const Count> values) {
  std::vector<Nanos> times;
  std::size_t i = 0;
  for (const StepRow& step : run.steps) {
    if (!step.judged) continue;
    const Count& value = values[i++];
    if (!step.unsteady && value) times.push_back(*value);
  }
  return times;
}

// P(X >= hits) for X of a binomial distribution: the sign test of a quantile. Sums in logarithms: n may be large.
double chance_of(std::int64_t hits, std::int64_t n, double p) {
  double chance = 0;
  for (std::int64_t k = hits; k <= n; ++k)
    chance += std::exp(std::lgamma(double(n) + 1) - std::lgamma(double(k) + 1) - std::lgamma(double(n - k) + 1) +
                       double(k) * std::log(p) + double(n - k) * std::log1p(-p));
  return std::min(1.0, chance);
}

std::string in_ms(Nanos time) { return fmt::format("{:.3g} ms", static_cast<double>(time) / 1e6); }

// Against a fixed limit: so many steps above it are no chance, if the median (95th percentile) were at the limit.
void judge_absolute(std::span<const Nanos> times, const Budget& budget, Nanos least_effect, BudgetResult& result) {
  const bool of_median = budget.limit.of == Statistic::median;
  const auto spread = spread_of_times(times);
  const Nanos actual = of_median ? spread->median : spread->p95;
  result.actual = actual;
  const auto above =
      std::count_if(times.begin(), times.end(), [&](Nanos time) { return time > budget.limit.at_most + least_effect; });
  const double chance = chance_of(above, std::ssize(times), of_median ? kHalf : kTail);
  if (actual > budget.limit.at_most + least_effect && chance < kSignificant)
    result.verdict = Verdict::violation;
  else if (actual > budget.limit.at_most) {
    result.why = fmt::format("{} is above the limit, not significantly", in_ms(actual));
    result.more_runs_help = true;
  }
}

// Of the runs to compare with; a text: why they cannot be.
std::variant<std::vector<Nanos>, std::string> times_before(const SameProcess& runs, const Budget& budget) {
  const RunSummary& now = runs.now.front()->summary();
  std::vector<Nanos> times;
  for (const RunSummary* before : runs.before) {
    if (before->meta.clock != now.meta.clock || before->meta.device_name != now.meta.device_name)
      return fmt::format("{} and {} cannot be compared in their times", before->meta.device_name, now.meta.device_name);
    const AllowedWaits none = apply_allowances(*before, {}, Date{});
    const CheckedRun of_before{"", before};
    const Doubts no_doubts;
    const auto of_run = steady_times(*before, figures_of({of_before, none, no_doubts}, budget).values);
    times.insert(times.end(), of_run.begin(), of_run.end());
  }
  return times;
}

void judge_relative(std::span<const Nanos> times, const SameProcess& runs, const Budget& budget, Nanos least_effect,
                    BudgetResult& result) {
  const auto cannot_tell = [&](std::string why) {
    result.verdict = Verdict::cannot_tell;
    result.why = std::move(why);
  };
  const auto found = times_before(runs, budget);
  if (const auto* why = std::get_if<std::string>(&found)) return cannot_tell(*why);
  const auto& old = std::get<std::vector<Nanos>>(found);
  if (runs.before.empty())
    return cannot_tell("a limit on what got slower needs a run to compare with: --before, or a trace as --baseline");
  result.more_runs_help = std::ssize(old) < kFewestSteady;
  if (result.more_runs_help)
    return cannot_tell(fmt::format("{} before, at least {} are needed to compare times",
                                   counted(std::ssize(old), "steady step"), kFewestSteady));
  const auto a = spread_of_times(old), b = spread_of_times(times);
  result.actual = b->median;
  const auto test = mann_whitney(old, times);
  const double more = static_cast<double>(b->median - a->median);
  const bool is_more =
      more > *budget.limit.slower * static_cast<double>(a->median) && more > static_cast<double>(least_effect);
  if (!is_more) return;
  const bool significant = test->p < kSignificant;
  if (significant) result.verdict = Verdict::violation;
  result.more_runs_help = !significant;
  result.why = fmt::format("{} → {}{} (p = {:.2g})", in_ms(a->median), in_ms(b->median),
                           significant ? "" : ": more, not significantly", test->p);
}

}  // namespace

void judge_time(const SameProcess& runs, const Budget& budget, Nanos least_effect, BudgetResult& result) {
  const auto cannot_tell = [&](std::string why) {
    result.verdict = Verdict::cannot_tell;
    result.why = std::move(why);
  };
  if (budget.limit.of != Statistic::median && budget.limit.of != Statistic::p95)
    return cannot_tell("a limit on a time is one on its median or p95: one slow step is noise");
  std::vector<Nanos> times;
  for (const JudgedRun* run : runs.now) {
    if (run->summary().meta.clock == Clock::modelled)
      return cannot_tell("times of the simulated GPU are modelled: limits on times need a real one");
    if (!run->doubts.partial.empty()) return cannot_tell(run->doubts.partial.front());
    const auto of_run = steady_times(run->summary(), figures_of(*run, budget).values);
    times.insert(times.end(), of_run.begin(), of_run.end());
  }
  result.more_runs_help = std::ssize(times) < kFewestSteady;
  if (result.more_runs_help)
    return cannot_tell(fmt::format("{}, at least {} are needed to judge times",
                                   counted(std::ssize(times), "steady step"), kFewestSteady));
  if (budget.limit.slower)
    judge_relative(times, runs, budget, least_effect, result);
  else
    judge_absolute(times, budget, least_effect, result);
  if (result.verdict == Verdict::violation && budget.metric->kind == MetricKind::counter)
    result.sites = sites_at_fault(*runs.now.front(), budget, figures_of(*runs.now.front(), budget).positions);
}

}  // namespace zerostall::gate
