// The before/after table.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "profiler/base/strings.h"
#include "reports/report_model.h"
#include "reports/words.h"

namespace zerostall::report {
namespace {

struct CountRow {
  Counter counter;
  std::string_view title;
  bool always = false;  // shown where it is 0 throughout
};
constexpr auto kCounts = std::to_array<CountRow>({{Counter::waits, "host waits", true},
                                                  {Counter::stream_syncs, "stream syncs", true},
                                                  {Counter::event_syncs, "event syncs"},
                                                  {Counter::device_syncs, "device syncs"},
                                                  {Counter::blocking_copies, "blocking copies"},
                                                  {Counter::h2d_stalls, "H2D stalls", true},
                                                  {Counter::failed, "failed waits"}});

std::string key_of(Counter counter) { return std::string(all_counters()[static_cast<std::size_t>(counter)].key); }

std::optional<FigureSide> side_of(const std::optional<Spread>& spread) {
  if (!spread) return std::nullopt;
  return FigureSide{spread->median, spread->p95, spread->min, spread->max, show_spread(*spread)};
}

std::optional<FigureSide> side_of(const std::optional<CountFigure>& figure) {
  if (!figure) return std::nullopt;
  if (figure->spread) return side_of(figure->spread);
  const auto mean = static_cast<double>(figure->sum) / static_cast<double>(std::max<std::int64_t>(figure->samples, 1));
  return FigureSide{std::llround(mean), std::llround(mean), {}, {}, fmt::format("mean {:.3g}", mean)};
}

std::optional<FigureSide> side_of(const std::optional<TimeSpread>& spread) {
  if (!spread) return std::nullopt;
  const std::string median = show_duration(spread->median), p95 = show_duration(spread->p95);
  return FigureSide{spread->median, spread->p95, {}, {}, median == p95 ? median : median + ", p95 " + p95};
}

std::string signed_time(Nanos time) { return (time > 0 ? "+" : time < 0 ? "−" : "") + show_duration(std::abs(time)); }

std::string change_of(const Figure& row) {
  if (!row.before || !row.after) return "unknown";
  const std::int64_t difference = row.after->median - row.before->median;
  if (row.is_time) {
    if (difference == 0) return row.before->text == row.after->text ? "same" : "differs";
    if (row.before->median == 0) return signed_time(difference);
    const double part = 100.0 * static_cast<double>(difference) / static_cast<double>(row.before->median);
    return fmt::format("{} ({}{:.1f} %)", signed_time(difference), part < 0 ? "−" : "+", std::abs(part));
  }
  if (difference != 0) return fmt::format("{}{}", difference < 0 ? "−" : "+", std::abs(difference));
  const bool same = row.before->min == row.after->min && row.before->max == row.after->max &&
                    row.before->p95 == row.after->p95 && row.before->text == row.after->text;
  return same ? "same" : "differs";
}

bool is_zero(const std::optional<FigureSide>& side) {
  return !side || (side->median == 0 && side->max.value_or(0) == 0);
}

// Of counts that follow from the calls alone.
Figure count_figure(const CountRow& row, std::optional<FigureSide> before, std::optional<FigureSide> after, bool two) {
  Figure figure{key_of(row.counter), std::string(row.title), false, std::move(before), std::move(after), {}, {}, {}};
  const bool known = figure.after && (!two || figure.before);
  figure.sure = known ? Sure::exact : Sure::cannot_tell;
  if (!known) figure.why = "the traces do not tell";
  if (two) figure.change = change_of(figure);
  return figure;
}

FigureGroup counts_of(const CounterSpreads* before, const CounterSpreads& after, std::string title) {
  FigureGroup group{std::move(title), false, {}};
  for (const CountRow& row : kCounts) {
    auto one = before != nullptr ? side_of((*before)[row.counter]) : std::nullopt;
    auto other = side_of(after[row.counter]);
    if (row.always || !is_zero(one) || !is_zero(other))
      group.rows.push_back(count_figure(row, std::move(one), std::move(other), before != nullptr));
  }
  return group;
}

FigureGroup counts_of(const Comparison& all) {
  FigureGroup group{all.basis == Basis::step ? "per judged step" : "whole run", false, {}};
  for (const CountRow& row : kCounts) {
    const CounterChange& change = all.counters[static_cast<std::size_t>(row.counter)];
    auto one = side_of(change.a), other = side_of(change.b);
    if (!row.always && is_zero(one) && is_zero(other)) continue;
    Figure figure = count_figure(row, std::move(one), std::move(other), true);
    // Medians may agree where not every step does.
    if (change.same && !*change.same && figure.change == "same") figure.change = "differs";
    if (!change.same) figure.change = "unknown", figure.sure = Sure::cannot_tell;
    group.rows.push_back(std::move(figure));
  }
  return group;
}

// Counts of a run without judged steps.
FigureGroup totals_of(const RunSummary& run) {
  FigureGroup group{"whole run", false, {}};
  for (const CountRow& row : kCounts) {
    const Count& total = run.totals[row.counter];
    std::optional<FigureSide> side;
    if (total) side = FigureSide{*total, *total, *total, *total, show(total)};
    if (row.always || !is_zero(side)) group.rows.push_back(count_figure(row, std::nullopt, std::move(side), false));
  }
  return group;
}

std::optional<TimeSpread> step_times(const RunSummary& run) {
  std::vector<Nanos> times;
  for (const StepRow* step : steady_steps(run)) times.push_back(step->end_ns - step->begin_ns);
  return spread_of_times(times);
}

template <class Value>
std::optional<TimeSpread> times_of(const RunSummary& run, const Value& value) {
  std::vector<Nanos> times;
  for (const StepRow* step : steady_steps(run)) {
    const Count time = value(*step);
    if (!time) return std::nullopt;
    times.push_back(*time);
  }
  return spread_of_times(times);
}

Count blocked_in(const StepRow& step) { return step.counters[Counter::blocked_ns]; }

std::string title_of(std::string_view key) {
  return key == "step_ns" ? "step time" : key == "blocked_ns" ? "blocked in waits" : "avoidable idle of the GPU";
}

Figure time_figure(std::string key, const std::optional<TimeSpread>& before, const std::optional<TimeSpread>& after,
                   bool two, bool modelled) {
  std::string title = title_of(key);
  Figure figure{std::move(key), std::move(title), true, side_of(before), side_of(after), {}, {}, {}};
  const bool known = figure.after && (!two || figure.before);
  figure.sure = !known ? Sure::cannot_tell : modelled ? Sure::modelled : Sure::not_tested;
  if (!known) figure.why = "not known of every steady step";
  if (two) figure.change = change_of(figure);
  return figure;
}

// What a test over steady steps says.
Figure tested_figure(const TimeChange& row, const Times& times) {
  Figure figure = time_figure(std::string(row.key), row.a, row.b, true, times.modelled);
  if (times.modelled || !row.a || !row.b) return figure;
  figure.sure = row.verdict == TimeVerdict::cannot_tell     ? Sure::cannot_tell
                : row.verdict == TimeVerdict::no_difference ? Sure::not_significant
                                                            : Sure::significant;
  figure.why = figure.sure == Sure::cannot_tell ? times.why_not : "";
  if (row.test && row.interval)
    figure.why = fmt::format("{}; 95 % interval {} to {}",
                             row.test->p < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", row.test->p),
                             signed_time(row.interval->low), signed_time(row.interval->high));
  return figure;
}

Figure drains_figure(const RunSummary* before, const RunSummary& after) {
  Figure figure{
      "drains", "waits after which the GPU ran dry", false, {}, side_of(after.per_step[Counter::drains]), {}, {}, {}};
  if (before != nullptr) figure.before = side_of(before->per_step[Counter::drains]);
  const bool known = figure.after && (before == nullptr || figure.before);
  figure.sure = !known ? Sure::cannot_tell : is_modelled(after) ? Sure::modelled : Sure::not_tested;
  if (!known) figure.why = "not without records of all GPU work";
  if (before != nullptr) figure.change = change_of(figure);
  return figure;
}

// Of runs without judged steps.
FigureGroup blocked_in_all(const RunSummary* before, const RunSummary& after) {
  const auto side = [](const RunSummary* run) -> std::optional<FigureSide> {
    if (run == nullptr || !run->totals[Counter::blocked_ns]) return std::nullopt;
    const Nanos time = *run->totals[Counter::blocked_ns];
    return FigureSide{time, time, {}, {}, show_duration(time)};
  };
  FigureGroup group{is_modelled(after) ? "whole run, modelled" : "whole run, times", is_modelled(after), {}};
  Figure figure{"blocked_ns", "blocked in waits", true, side(before), side(&after), {}, {}, {}};
  const bool known = figure.after && (before == nullptr || figure.before);
  figure.sure = !known ? Sure::cannot_tell : group.modelled ? Sure::modelled : Sure::not_tested;
  if (before != nullptr) figure.change = change_of(figure);
  group.rows.push_back(std::move(figure));
  return group;
}

FigureGroup times_group(const ReportInput& input) {
  const RunSummary& after = *input.after.front().summary;
  const RunSummary* before = input.before.empty() ? nullptr : input.before.front().summary;
  const bool modelled = is_modelled(after), two = before != nullptr;
  FigureGroup group{modelled ? "per steady step, modelled" : "per steady step", modelled, {}};
  if (two && (is_modelled(*before) != modelled)) return group;
  if (after.judged() == 0 || (two && before->judged() == 0)) return blocked_in_all(before, after);
  if (input.comparison != nullptr && two) {
    for (const TimeChange& row : input.comparison->times.rows)
      group.rows.push_back(tested_figure(row, input.comparison->times));
  } else {
    const auto side = [&](auto value) { return two ? times_of(*before, value) : std::nullopt; };
    group.rows.push_back(
        time_figure("step_ns", two ? step_times(*before) : std::nullopt, step_times(after), two, modelled));
    group.rows.push_back(time_figure("blocked_ns", side(blocked_in), times_of(after, blocked_in), two, modelled));
    group.rows.push_back(
        time_figure("avoidable_idle_ns", side(avoidable_idle), times_of(after, avoidable_idle), two, modelled));
  }
  if (steady_steps(after).empty() || (two && steady_steps(*before).empty()))
    for (Figure& row : group.rows) row.why = "no steady steps";
  group.rows.push_back(drains_figure(before, after));
  return group;
}

const CounterSpreads* region_of(const RunSummary& run, std::string_view name) {
  for (const RegionSummary& region : run.regions)
    if (region.name == name) return &region.per_step;
  return nullptr;
}

}  // namespace

std::string_view name_of(Sure sure) {
  constexpr std::array<std::string_view, 6> kNames = {"exact",      "significant", "not-significant",
                                                      "not-tested", "modelled",    "cannot-tell"};
  return kNames[static_cast<std::size_t>(sure)];
}

std::string_view words_of(Sure sure) {
  constexpr std::array<std::string_view, 6> kWords = {
      "exact", "significant", "no significant difference", "measured, no test", "modelled", "cannot tell"};
  return kWords[static_cast<std::size_t>(sure)];
}

std::string show_spread(const Spread& spread) {
  if (spread.min == spread.max) return fmt::format("{}", spread.min);
  return fmt::format("{}–{}, median {}", spread.min, spread.max, spread.median);
}

std::string show_bounds(const std::optional<Spread>& spread) {
  if (!spread) return "unknown";
  return spread->min == spread->max ? fmt::format("{}", spread->min) : fmt::format("{}–{}", spread->min, spread->max);
}

std::string spread_in_words(const Spread& spread) {
  if (spread.min == spread.max) return fmt::format("{}", spread.min);
  return fmt::format("{} to {} (median {})", spread.min, spread.max, spread.median);
}

std::string show_duration(const Count& nanos) {
  if (!nanos) return "unknown";
  const double size = static_cast<double>(std::abs(*nanos));
  if (size == 0) return "0";
  const auto& [scale, unit] = size < 999.5         ? std::pair(1.0, "ns")
                              : size < 999.5 * 1e3 ? std::pair(1e3, "µs")
                              : size < 999.5 * 1e6 ? std::pair(1e6, "ms")
                                                   : std::pair(1e9, "s");
  const double value = static_cast<double>(*nanos) / scale;
  const int digits = scale == 1 || std::abs(value) >= 99.95 ? 0 : std::abs(value) >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, digits, unit);
}

std::vector<const StepRow*> steady_steps(const RunSummary& run) {
  std::vector<const StepRow*> steps;
  for (const StepRow& step : run.steps)
    if (step.judged && !step.unsteady) steps.push_back(&step);
  return steps;
}

std::vector<FigureGroup> figures_of(const ReportInput& input) {
  std::vector<FigureGroup> groups;
  if (input.after.empty()) return groups;
  const RunSummary& after = *input.after.front().summary;
  const RunSummary* before = input.before.empty() ? nullptr : input.before.front().summary;
  if (input.verify != nullptr && before != nullptr) {
    const std::string& region = input.verify->plan.region;
    const CounterSpreads *one = region_of(*before, region), *other = region_of(after, region);
    if (one != nullptr && other != nullptr)
      groups.push_back(counts_of(one, *other, fmt::format("per judged step, inside {}", region)));
  }
  if (before == nullptr)
    groups.push_back(after.judged() > 0 ? counts_of(nullptr, after.per_step, "per judged step") : totals_of(after));
  else if (input.comparison != nullptr)
    groups.push_back(counts_of(*input.comparison));
  else
    groups.push_back(counts_of(&before->per_step, after.per_step, "per judged step"));
  if (groups.size() > 1) groups.back().title += ", all of it";
  if (FigureGroup times = times_group(input); !times.rows.empty()) groups.push_back(std::move(times));
  return groups;
}

}  // namespace zerostall::report
