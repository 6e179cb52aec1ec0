#include "profiler/analyze/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "profiler/base/strings.h"

namespace zerostall {
namespace {

constexpr std::int64_t kFewestSteady = 5;  // metrics.md, "Runs"
constexpr double kLeastShare = 0.05;
constexpr Nanos kTimesNoise = 3;  // deviations

bool is_steady(const StepRow& step) { return step.judged && !step.unsteady; }

template <class Value>
std::optional<TimeSpread> over_steady(const RunSummary& run, const Value& value) {
  std::vector<Nanos> times;
  for (const StepRow& step : run.steps) {
    if (!is_steady(step)) continue;
    const std::optional<Nanos> time = value(step);
    if (!time) return std::nullopt;
    times.push_back(*time);
  }
  return spread_of_times(times);
}

// Of a step in which the host never waits, launches may wait for the GPU unseen; where it polls or the launch queue is
// full it waits and no wait says how long.
std::optional<Nanos> host_own(const StepRow& step) {
  const bool tells = step.counters[Counter::waits].value_or(0) > 0 && step.counters[Counter::queue_full] == 0 &&
                     step.counters[Counter::spins] == 0 && step.counters[Counter::unknown_waits] == 0;
  if (!tells || !step.effective_ns) return std::nullopt;
  return step.end_ns - step.begin_ns - *step.effective_ns;
}

RankRow make_row(const RunSummary& run) {
  RankRow row;
  row.steady = std::count_if(run.steps.begin(), run.steps.end(), is_steady);
  if (const auto& waits = run.per_step[Counter::waits]) row.waits = waits->median;
  if (const auto& blocked = run.per_step[Counter::blocked_ns]) row.blocked_ns = blocked->median;
  if (const auto step = over_steady(run, [](const StepRow& s) { return std::optional(s.end_ns - s.begin_ns); }))
    row.step_ns = step->median;
  row.gpu_own = over_steady(run, [](const StepRow& s) { return s.own_gpu_ns; });
  row.host_own = over_steady(run, host_own);
  return row;
}

using Program = std::tuple<std::string, std::string>;
Program program_of(const RunSummary& run) { return {run.meta.program, run.meta.script}; }

// What most of the processes with judged steps run; of equals the first by name.
Program usual_program(std::span<const RankRun> runs) {
  std::map<Program, int> programs;
  for (const RankRun& r : runs)
    if (r.run->judged() > 0) ++programs[program_of(*r.run)];
  const auto most = std::max_element(programs.begin(), programs.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == programs.end() ? Program{} : most->first;
}

template <class Value>
std::optional<Spread> over_ranks(const Ranks& ranks, const Value& value) {
  std::vector<Count> medians;
  for (const RankRow& row : ranks.rows)
    if (row.compared) medians.push_back(value(row));
  return spread_of(medians);
}

Nanos middle(std::vector<Nanos> times) { return spread_of_times(times)->median; }

using Own = std::optional<TimeSpread> RankRow::*;

// Whether this rank's own time is longer than that of the others, by more than steps vary.
std::optional<Straggler> judge(const Ranks& ranks, std::size_t process, Own own) {
  std::vector<Nanos> medians, deviations;
  for (std::size_t i = 0; i < ranks.rows.size(); ++i) {
    const RankRow& row = ranks.rows[i];
    if (!row.compared || i == process) continue;
    medians.push_back((row.*own)->median);
    deviations.push_back((row.*own)->mad);
  }
  const TimeSpread& mine = *(ranks.rows[process].*own);
  const Straggler found{process, mine.median, middle(medians)};
  const Nanos slower = found.own_ns - found.others_ns;
  const Nanos noise = kTimesNoise * std::max(mine.mad, middle(deviations));
  if (slower <= noise || double(slower) <= kLeastShare * double(found.others_ns)) return std::nullopt;
  return found;
}

OwnTimes compare_own(const Ranks& ranks, Own own, const std::string& unknown) {
  OwnTimes times;
  std::vector<Count> medians;
  for (const RankRow& row : ranks.rows) {
    if (!row.compared) continue;
    if (row.steady < kFewestSteady)
      times.why_not = fmt::format("a rank has fewer than {} steady steps", kFewestSteady);
    else if (!(row.*own) && times.why_not.empty())
      times.why_not = unknown;
    medians.push_back((row.*own) ? Count((row.*own)->median) : std::nullopt);
  }
  if (!times.why_not.empty()) return times;
  times.own_ns = spread_of(medians);
  for (std::size_t i = 0; i < ranks.rows.size(); ++i)
    if (ranks.rows[i].compared)
      if (const auto straggler = judge(ranks, i, own)) times.stragglers.push_back(*straggler);
  std::stable_sort(times.stragglers.begin(), times.stragglers.end(),
                   [](const Straggler& a, const Straggler& b) { return a.own_ns > b.own_ns; });
  return times;
}

// The same place, whatever its cause was taken to be.
using Place = std::tuple<std::string, std::string, std::string>;
Place place_of(const Site& site) {
  const bool named = !site.file.empty() || !site.function.empty();
  return named ? Place{site.file, site.function, site.source} : Place{"", "", site.place};
}

struct Found {
  const Site* site = nullptr;
  std::map<std::size_t, Spread> per_step;  // by position of the run
};

std::map<std::string, Found> sites_by_id(std::span<const RankRun> runs, const Ranks& ranks) {
  std::map<std::string, Found> all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!ranks.rows[i].compared) continue;
    for (const Site& site : runs[i].run->sites) {
      if (site.judged == 0 || !site.per_step) continue;
      Found& found = all[site.id];
      // Of a place with several lines the one that comes first by text stands for all, whatever the order of ranks.
      if (found.site == nullptr || std::tie(site.place, site.what) < std::tie(found.site->place, found.site->what))
        found.site = &site;
      Spread& sum = found.per_step[i];
      sum = {sum.min + site.per_step->min, sum.median + site.per_step->median, sum.p95 + site.per_step->p95,
             sum.max + site.per_step->max};
    }
  }
  return all;
}

bool are_apart(const Found& a, const Found& b) {
  return std::none_of(a.per_step.begin(), a.per_step.end(),
                      [&](const auto& of) { return b.per_step.contains(of.first); });
}

SiteOfSome describe(const Found& found) {
  const Site& site = *found.site;
  SiteOfSome some{site.id, shown_place(site), site.what, site.cause.kind, {}, std::nullopt};
  std::vector<Count> medians, p95s;
  Spread all{std::numeric_limits<std::int64_t>::max(), 0, 0, 0};
  for (const auto& [process, spread] : found.per_step) {
    some.processes.push_back(process);
    medians.push_back(spread.median);
    all.min = std::min(all.min, spread.min);
    all.p95 = std::max(all.p95, spread.p95);
    all.max = std::max(all.max, spread.max);
  }
  all.median = spread_of(medians)->median;
  some.per_step = all;
  return some;
}

// A place that one rank's waits are taken to have for one cause, and another's for another, is a place of both.
std::vector<SiteOfSome> sites_of_some(std::span<const RankRun> runs, const Ranks& ranks) {
  const auto all = sites_by_id(runs, ranks);
  std::map<Place, std::vector<const Found*>> by_place;
  for (const auto& [id, found] : all) by_place[place_of(*found.site)].push_back(&found);
  std::vector<SiteOfSome> sites;
  for (const auto& [id, found] : all) {
    std::set<std::size_t> having;
    for (const Found* other : by_place[place_of(*found.site)])
      if (other == &found || are_apart(*other, found))
        for (const auto& [process, spread] : other->per_step) having.insert(process);
    if (having.size() < ranks.compared) sites.push_back(describe(found));
  }
  const auto order = [](const SiteOfSome& s) {
    return std::tuple(s.processes.size(), -s.per_step->max, -s.per_step->median, std::tie(s.place, s.id));
  };
  std::sort(sites.begin(), sites.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
  return sites;
}

std::string few(std::vector<std::string> names) {
  constexpr std::size_t kMost = 4;
  std::sort(names.begin(), names.end());
  const std::size_t more = names.size() > kMost ? names.size() - kMost : 0;
  names.resize(names.size() - more);
  return join(names, ", ") + (more > 0 ? fmt::format(" and {} more", more) : "");
}

// "3, 17, 20, 21 and 5 more": ranks of so many that were not seen.
std::string absent(const std::map<std::int64_t, int>& seen, std::int64_t ranks) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> names;
  for (std::int64_t rank = 0; rank < ranks && names.size() < kMost; ++rank)
    if (!seen.contains(rank)) names.push_back(std::to_string(rank));
  const auto more = ranks - std::ssize(seen) - std::ssize(names);
  return join(names, ", ") + (more > 0 ? fmt::format(" and {} more", more) : "");
}

// The names of the runs of which something holds; "" = of none.
template <class Holds>
std::string names_where(std::span<const RankRun> runs, const Holds& holds) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (holds(i)) names.push_back(runs[i].name);
  return few(std::move(names));
}

std::vector<std::string> notes_on(std::span<const RankRun> runs, const Ranks& ranks) {
  std::vector<std::string> notes;
  const auto add = [&](const std::string& names, const char* text) {
    if (!names.empty()) notes.push_back(names + ": " + text);
  };
  const auto& rows = ranks.rows;
  if (ranks.compared >= 2)
    add(names_where(runs, [&](auto i) { return !rows[i].compared && runs[i].run->judged() > 0; }),
        "another program than most of them run: not compared");
  add(names_where(runs, [&](auto i) { return rows[i].compared && !runs[i].run->complete(); }),
      "not complete: what they seem not to wait for may be in the rest");
  // One that was cut off before its first step is here, too, and not compared.
  const Program usual = usual_program(runs);
  std::map<std::int64_t, int> seen;
  std::set<std::int64_t> sizes;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const TraceMeta& meta = runs[i].run->meta;
    if (!rows[i].compared && program_of(*runs[i].run) != usual) continue;
    if (meta.rank) ++seen[*meta.rank];
    if (meta.world_size) sizes.insert(*meta.world_size);
  }
  for (const auto& [rank, times] : seen)
    if (times > 1) {
      notes.push_back(fmt::format("{} processes are rank {}: these may be several jobs", times, rank));
      return notes;
    }
  if (sizes.size() > 1) notes.push_back("they do not agree on how many ranks there are: these may be several jobs");
  if (sizes.size() == 1 && std::ssize(seen) < *sizes.begin() && !seen.empty())
    notes.push_back(
        fmt::format("{} of {} ranks are here, not {}", seen.size(), *sizes.begin(), absent(seen, *sizes.begin())));
  return notes;
}

bool are_clocks_alike(std::span<const RankRun> runs, const Ranks& ranks) {
  std::set<Clock> clocks;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (ranks.rows[i].compared) clocks.insert(runs[i].run->meta.clock);
  return clocks.size() < 2;
}

}  // namespace

Ranks compare_ranks(std::span<const RankRun> runs) {
  Ranks ranks;
  const Program usual = usual_program(runs);
  for (const RankRun& r : runs) {
    RankRow row = make_row(*r.run);
    row.compared = r.run->judged() > 0 && program_of(*r.run) == usual;
    ranks.compared += row.compared;
    ranks.modelled = ranks.modelled || r.run->meta.clock == Clock::modelled;
    ranks.rows.push_back(row);
  }
  ranks.notes = notes_on(runs, ranks);
  if (ranks.compared < 2) {
    ranks.gpu.why_not = ranks.host.why_not = "fewer than two processes with judged steps";
    return ranks;
  }
  ranks.waits = over_ranks(ranks, [](const RankRow& row) { return row.waits; });
  ranks.sites = sites_of_some(runs, ranks);
  if (!are_clocks_alike(runs, ranks)) {
    ranks.gpu.why_not = ranks.host.why_not = "times of some are modelled, of others measured";
    return ranks;
  }
  ranks.blocked_ns = over_ranks(ranks, [](const RankRow& row) { return row.blocked_ns; });
  ranks.step_ns = over_ranks(ranks, [](const RankRow& row) { return row.step_ns; });
  ranks.gpu = compare_own(ranks, &RankRow::gpu_own, "not every rank has a record of all GPU work of its steady steps");
  ranks.host = compare_own(ranks, &RankRow::host_own, "not every rank has waits of known length in every steady step");
  return ranks;
}

}  // namespace zerostall
