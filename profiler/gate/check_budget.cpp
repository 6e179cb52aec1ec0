// One budget on one process.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "profiler/gate/check_parts.h"

namespace zerostall::gate {
namespace {

bool is_meant(const RunSummary& run, const Scope& scope) {
  if (scope.rank && rank_of(run.meta) != scope.rank) return false;
  // A part of the name is enough: "H200" is "simulated H200" too.
  return scope.device.empty() || glob_matches("*" + scope.device + "*", run.meta.device_name);
}

bool is_by_wait(const Scope& scope) { return !scope.cause.empty() || !scope.site.empty(); }

const RegionRow* region_of(const StepRow& step, const std::string& name) {
  const auto found =
      std::find_if(step.regions.begin(), step.regions.end(), [&](const RegionRow& row) { return row.name == name; });
  return found == step.regions.end() ? nullptr : &*found;
}

// Of the whole step or region; regions that a step does not have count 0.
Count whole_figure(const StepRow& step, const Budget& budget) {
  const Metric& metric = *budget.metric;
  if (metric.kind == MetricKind::step_time) return step.end_ns - step.begin_ns;
  if (metric.kind == MetricKind::avoidable_idle)
    return step.gpu_idle ? Count(step.gpu_idle->avoidable_ns) : std::nullopt;
  if (budget.scope.part == Scope::Part::background) return step.background[metric.counter];
  if (budget.scope.region.empty()) return step.counters[metric.counter];
  const RegionRow* row = region_of(step, budget.scope.region);
  return row == nullptr ? Count(0) : row->counters[metric.counter];
}

// Waits of the scope, all of them or those alone that are allowed.
Count sum_of_waits(const JudgedRun& run, const Budget& budget, std::size_t step, bool allowed) {
  const auto& waits = run.summary().steps[step].waits;
  Count sum = 0;
  for (std::size_t w = 0; w < waits.size() && sum; ++w) {
    if (run.allowed.by_step[step][w].allowed() != allowed || !counts_in(run, budget.scope, step, w)) continue;
    const Count share = share_of(waits[w], budget.metric->counter);
    sum = share ? Count(*sum + *share) : std::nullopt;
  }
  return sum;
}

Count figure_of(const JudgedRun& run, const Budget& budget, std::size_t step) {
  if (is_by_wait(budget.scope)) return sum_of_waits(run, budget, step, false);
  const Count whole = whole_figure(run.summary().steps[step], budget);
  if (budget.metric->kind != MetricKind::counter || budget.scope.part != Scope::Part::steps) return whole;
  const Count allowed = sum_of_waits(run, budget, step, true);
  // A sync that began in the step before its wait's copy did can be missing here: never below nothing.
  return whole && allowed ? Count(std::max<std::int64_t>(0, *whole - *allowed)) : std::nullopt;
}

std::string unknown_region(const RunSummary& run, const std::string& region) {
  std::vector<std::string> names;
  for (const RegionSummary& row : run.regions) names.push_back(row.name);
  return fmt::format("no judged step has a region `{}`{}", region,
                     names.empty() ? "; no region is marked inside the steps" : "; there are: " + join(names, ", "));
}

struct Broken {
  std::int64_t actual = 0;
  std::vector<std::size_t> at;  // positions of the figures that break it
};

// Unknown figures cannot break it: they count as nothing here.
std::int64_t known(const Count& count) { return count.value_or(0); }

Broken worst_step(const std::vector<Count>& values) {
  Broken worst;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (worst.at.empty() || known(values[i]) > worst.actual) worst = {known(values[i]), {i}};
  return worst;
}

Broken worst_window(const std::vector<Count>& values, std::size_t steps) {
  Broken worst;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += known(values[i]);
    if (i >= steps) sum -= known(values[i - steps]);
    if (!worst.at.empty() && sum <= worst.actual) continue;
    const std::size_t first = i + 1 > steps ? i + 1 - steps : 0;
    worst.actual = sum;
    worst.at.resize(i + 1 - first);
    std::iota(worst.at.begin(), worst.at.end(), first);
  }
  return worst;
}

Broken all_steps(const std::vector<Count>& values, std::int64_t actual) {
  Broken all{actual, std::vector<std::size_t>(values.size())};
  std::iota(all.at.begin(), all.at.end(), std::size_t{0});
  return all;
}

Broken figure_limited(const std::vector<Count>& values, const Limit& limit) {
  switch (limit.of) {
    case Statistic::max:
      return worst_step(values);
    case Statistic::window:
      return worst_window(values, static_cast<std::size_t>(std::max<std::int64_t>(1, limit.steps)));
    case Statistic::total: {
      std::int64_t sum = 0;
      for (const Count& value : values) sum += known(value);
      return all_steps(values, sum);
    }
    case Statistic::median:
    case Statistic::p95:
      break;
  }
  std::vector<Count> samples;
  for (const Count& value : values) samples.push_back(known(value));
  const auto spread = spread_of(samples);
  return all_steps(values, !spread ? 0 : limit.of == Statistic::median ? spread->median : spread->p95);
}

// Whether what is missing could only make it more.
bool is_certain_in_part(Statistic of) { return of != Statistic::median && of != Statistic::p95; }

void judge_count(const JudgedRun& run, const Budget& budget, BudgetResult& result) {
  const StepFigures figures = figures_of(run, budget);
  const Broken broken = figure_limited(figures.values, budget.limit);
  const bool all_known =
      std::all_of(figures.values.begin(), figures.values.end(), [](auto& v) { return v.has_value(); });
  const bool whole = all_known && run.doubts.partial.empty();
  if (all_known) result.actual = broken.actual;
  if (broken.actual > budget.limit.at_most && (whole || is_certain_in_part(budget.limit.of))) {
    result.verdict = Verdict::violation;
    result.actual = broken.actual;
    std::vector<std::size_t> positions;
    for (const std::size_t i : broken.at) positions.push_back(figures.positions[i]);
    if (budget.limit.of == Statistic::max || budget.limit.of == Statistic::window)
      result.step = figures.steps[broken.at.front()]->number;
    if (budget.limit.of == Statistic::max)
      result.steps_over = std::count_if(figures.values.begin(), figures.values.end(),
                                        [&](const Count& v) { return known(v) > budget.limit.at_most; });
    result.sites = sites_at_fault(run, budget, positions);
    return;
  }
  if (whole && budget.limit.of == Statistic::window && std::ssize(figures.values) < budget.limit.steps) {
    result.verdict = Verdict::cannot_tell;
    result.why = fmt::format("{} judged, {} are needed for a limit on every {} steps: run more steps",
                             counted(std::ssize(figures.values), "step"), budget.limit.steps, budget.limit.steps);
    return;
  }
  if (whole) return;
  result.verdict = Verdict::cannot_tell;
  result.why = run.doubts.partial.empty() ? fmt::format("{} is not known of every judged step", budget.metric->key)
                                          : run.doubts.partial.front();
}

// Of all that lies in no step: counted in calls, which no step is needed for.
void judge_outside(const JudgedRun& run, const Budget& budget, BudgetResult& result) {
  const Count value = run.summary().outside[budget.metric->counter];
  result.actual = value;
  if (known(value) > budget.limit.at_most) {
    result.verdict = Verdict::violation;
  } else if (!value || !run.doubts.partial.empty()) {
    result.verdict = Verdict::cannot_tell;
    result.why = value ? run.doubts.partial.front() : fmt::format("{} is not known", budget.metric->key);
  }
}

}  // namespace

bool counts_in(const JudgedRun& run, const Scope& scope, std::size_t step, std::size_t wait) {
  const WaitSeen& seen = run.summary().steps[step].waits[wait];
  if (!scope.region.empty() && std::find(seen.regions.begin(), seen.regions.end(), scope.region) == seen.regions.end())
    return false;
  if (!is_by_wait(scope)) return true;
  if (seen.site >= run.summary().sites.size()) return false;
  const Site& site = run.summary().sites[seen.site];
  if (!scope.cause.empty() && scope.cause != info_of(site.cause.kind).slug) return false;
  return scope.site.empty() || is_at(site, scope.site);
}

StepFigures figures_of(const JudgedRun& run, const Budget& budget) {
  StepFigures figures;
  const auto& steps = run.summary().steps;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (!steps[s].judged) continue;
    figures.values.push_back(figure_of(run, budget, s));
    figures.steps.push_back(&steps[s]);
    figures.positions.push_back(s);
  }
  return figures;
}

std::vector<SiteAtFault> sites_at_fault(const JudgedRun& run, const Budget& budget,
                                        std::span<const std::size_t> steps) {
  std::map<std::uint32_t, std::int64_t> waits;  // by site
  if (budget.scope.part != Scope::Part::steps) return {};
  for (const std::size_t s : steps)
    for (std::size_t w = 0; w < run.summary().steps[s].waits.size(); ++w) {
      const WaitSeen& wait = run.summary().steps[s].waits[w];
      const bool takes_part = share_of(wait, budget.metric->counter).value_or(1) > 0;
      if (takes_part && !run.allowed.by_step[s][w].allowed() && counts_in(run, budget.scope, s, w)) ++waits[wait.site];
    }
  std::vector<SiteAtFault> sites;
  for (const auto& [site, count] : waits)
    if (site < run.summary().sites.size()) sites.push_back(at_fault(run.summary().sites[site], count));
  std::stable_sort(sites.begin(), sites.end(), [](auto& a, auto& b) { return a.waits > b.waits; });
  return sites;
}

SiteAtFault at_fault(const Site& site, std::int64_t waits) {
  return {site.id, site.place, site.file, site.line, site.function, site.what, site.cause.kind, waits};
}

BudgetResult judge_budget(const JudgedRun& run, const Budget& budget, const SameProcess& same, Nanos least_effect) {
  BudgetResult result;
  result.budget = budget;
  result.run = run.run.name;
  const RunSummary& summary = run.summary();
  const bool told_by_first = budget.metric->is_time && same.now.front() != &run;
  result.applies = is_meant(summary, budget.scope) && budget.level != Level::off && !told_by_first;
  if (!result.applies) return result;
  const auto cannot_tell = [&](std::string why) {
    result.verdict = Verdict::cannot_tell;
    result.why = std::move(why);
    return result;
  };
  if (budget.scope.part == Scope::Part::outside && summary.has_cuda_calls) {
    judge_outside(run, budget, result);
    return result;
  }
  if (!run.doubts.hopeless.empty()) return cannot_tell(run.doubts.hopeless.front());
  const auto has_region = [&](const RegionSummary& row) { return row.name == budget.scope.region; };
  if (!budget.scope.region.empty() && std::none_of(summary.regions.begin(), summary.regions.end(), has_region))
    return cannot_tell(unknown_region(summary, budget.scope.region));
  if (budget.metric->is_time)
    judge_time(same, budget, least_effect, result);
  else
    judge_count(run, budget, result);
  return result;
}

}  // namespace zerostall::gate
