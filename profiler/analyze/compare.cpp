#include "profiler/analyze/compare.h"

#include <algorithm>
#include <array>

#include "profiler/analyze/compare_parts.h"

namespace zerostall {
namespace {

using namespace compare;

bool has_judged_steps(Side side) {
  return !side.empty() && std::all_of(side.begin(), side.end(), [](const RunSummary& run) { return run.judged() > 0; });
}

bool is_modelled(const RunSummary& run) { return run.meta.clock == Clock::modelled; }

// `value` gives the count of a judged step, and of a whole run.
template <class OfStep, class OfRun>
std::optional<CountFigure> count(Side side, Basis basis, const OfStep& of_step, const OfRun& of_run) {
  std::vector<Count> values;
  for (const RunSummary& run : side) {
    if (basis == Basis::run) values.push_back(of_run(run));
    if (basis == Basis::run) continue;
    for (const StepRow& step : run.steps)
      if (step.judged) values.push_back(of_step(step));
  }
  CountFigure figure{static_cast<std::int64_t>(values.size()), 0, spread_of(values)};
  for (const Count& value : values) {
    if (!value) return std::nullopt;
    figure.sum = add_up(figure.sum, *value);
  }
  return figure.samples == 0 ? std::nullopt : std::optional(figure);
}

template <class OfStep, class OfRun>
CounterChange change(Side a, Side b, Basis basis, const OfStep& of_step, const OfRun& of_run) {
  CounterChange change;
  change.a = count(a, basis, of_step, of_run);
  change.b = count(b, basis, of_step, of_run);
  if (change.a && change.b) change.same = same(*change.a, *change.b);
  return change;
}

CounterChange change_of(Counter counter, Side a, Side b, Basis basis) {
  CounterChange found = change(
      a, b, basis, [&](const StepRow& step) { return step.counters[counter]; },
      [&](const RunSummary& run) { return run.totals[counter]; });
  found.counter = counter;
  return found;
}

// Waits of whole runs, whatever the basis.
CounterChange waits_apart(Side a, Side b, Counters RunSummary::*place) {
  return change(
      a, b, Basis::run, [](const StepRow&) { return Count(); },
      [&](const RunSummary& run) { return (run.*place)[Counter::waits]; });
}

CountsVerdict verdict_of(const Comparison& comparison) {
  bool unknown = false;
  for (const CounterChange& row : comparison.counters) {
    if (!is_exact(row.counter)) continue;
    if (row.same == false) return CountsVerdict::differ;
    unknown |= !row.same;
    if (row.counter == Counter::unknown_waits) unknown |= row.a && row.a->sum > 0;
  }
  const Changes& waits = comparison.waits;
  if (!waits.gone.empty() || !waits.added.empty() || !waits.changed.empty()) return CountsVerdict::differ;
  return unknown ? CountsVerdict::cannot_tell : CountsVerdict::equal;
}

std::optional<double> per_1000(const std::optional<CountFigure>& waits, const std::optional<CountFigure>& kernels) {
  if (!waits || !kernels || kernels->sum == 0) return std::nullopt;
  return 1000.0 * static_cast<double>(waits->sum) / static_cast<double>(kernels->sum);
}

// A copy whose change is that of the waits it is part of need not be told twice.
void drop_what_waits_tell(const Changes& waits, Changes& copies) {
  const auto is_told = [&](const ItemChange& copy) {
    const std::string start = copy.what.substr(0, copy.what.rfind(", "));
    std::int64_t a = 0, b = 0;
    for (const auto* rows : {&waits.gone, &waits.added, &waits.changed, &waits.resized, &waits.same})
      for (const ItemChange& wait : *rows) {
        if (!wait.what.starts_with(start)) continue;
        a += wait.a.sum;
        b += wait.b.sum;
      }
    return a == copy.a.sum && b == copy.b.sum;
  };
  for (auto* rows : {&copies.gone, &copies.added, &copies.changed, &copies.resized}) std::erase_if(*rows, is_told);
}

}  // namespace

std::string_view name_of(Basis basis) { return basis == Basis::step ? "step" : "run"; }

std::string_view name_of(Places places) {
  constexpr std::array<std::string_view, 4> kNames = {"none", "operators", "functions", "lines"};
  return kNames[static_cast<std::size_t>(places)];
}

std::string_view name_of(TimeVerdict verdict) {
  constexpr std::array<std::string_view, 4> kNames = {"cannot-tell", "no-difference", "shorter", "longer"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string_view name_of(CountsVerdict verdict) {
  constexpr std::array<std::string_view, 3> kNames = {"equal", "differ", "cannot-tell"};
  return kNames[static_cast<std::size_t>(verdict)];
}

bool is_exact(Counter counter) {
  switch (counter) {
    case Counter::waits:
    case Counter::stream_syncs:
    case Counter::event_syncs:
    case Counter::device_syncs:
    case Counter::blocking_copies:
    case Counter::blocking_memsets:
    case Counter::h2d_stalls:
    case Counter::unknown_copies:
    case Counter::unknown_waits:
    case Counter::failed:
      return true;
    default:
      return false;
  }
}

Comparison compare_runs(Side a, Side b, const SideWords& words) {
  Comparison all;
  all.basis = has_judged_steps(a) && has_judged_steps(b) ? Basis::step : Basis::run;
  const auto modelled_a = std::count_if(a.begin(), a.end(), is_modelled);
  const auto modelled_b = std::count_if(b.begin(), b.end(), is_modelled);
  all.simulated_against_measured = (modelled_a > 0) != (modelled_b > 0);
  for (const CounterInfo& info : all_counters()) all.counters.push_back(change_of(info.counter, a, b, all.basis));
  all.kernels = change(
      a, b, all.basis, [](const StepRow& step) { return step.kernels; },
      [](const RunSummary& run) { return run.gpu_work.kernels; });
  const CounterChange& waits = all.counters[static_cast<std::size_t>(Counter::waits)];
  all.waits_per_1000_kernels_a = per_1000(waits.a, all.kernels.a);
  all.waits_per_1000_kernels_b = per_1000(waits.b, all.kernels.b);
  all.outside = waits_apart(a, b, &RunSummary::outside);
  all.background = waits_apart(a, b, &RunSummary::background);
  all.places = places_of(a, b);
  all.waits = compare_waits(a, b, all.basis, all.places);
  all.copies = compare_copies(a, b, all.basis);
  drop_what_waits_tell(all.waits, all.copies);
  all.verdict = verdict_of(all);
  say_why(a, b, words, all);
  all.times = compare_times(a, b, all);
  return all;
}

}  // namespace zerostall
