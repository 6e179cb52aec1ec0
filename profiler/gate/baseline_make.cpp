#include <algorithm>
#include <tuple>

#include "profiler/analyze/compare.h"
#include "profiler/gate/baseline_parts.h"

namespace zerostall {
namespace gate {
namespace {

// A count that is added up step by step.
struct Tally {
  BaselineCount count;
  std::int64_t steps = 0;  // in which it was looked at
  bool unknown = false;

  void add_step(const Count& value) {
    if (!value) unknown = true;
    const std::int64_t n = value.value_or(0);
    count.min = steps == 0 ? n : std::min(count.min, n);
    count.max = std::max(count.max, n);
    count.sum = add_up(count.sum, n);
    ++steps;
  }
  // Steps in which it was not looked at have none of it.
  BaselineCount over(std::int64_t judged) const {
    BaselineCount all = count;
    if (steps < judged) all.min = 0;
    return all;
  }
};

bool is_allowed(const AllowedWaits* allowed, std::size_t step, std::size_t wait) {
  return allowed != nullptr && step < allowed->by_step.size() && wait < allowed->by_step[step].size() &&
         allowed->by_step[step][wait].allowed();
}

// Figures of a step or a region of it without what is allowed.
class Figures {
 public:
  Figures(const StepRow& step, std::size_t position, const AllowedWaits* allowed) : step_(step) {
    for (std::size_t w = 0; w < step.waits.size(); ++w)
      if (is_allowed(allowed, position, w)) allowed_.push_back(&step.waits[w]);
  }
  Count of(Counter counter) const {
    Count value = step_.counters[counter];
    for (const WaitSeen* wait : allowed_) take(value, *wait, counter);
    return value;
  }
  Count of(const RegionRow& region, Counter counter) const {
    Count value = region.counters[counter];
    for (const WaitSeen* wait : allowed_)
      if (std::find(wait->regions.begin(), wait->regions.end(), region.name) != wait->regions.end())
        take(value, *wait, counter);
    return value;
  }

 private:
  static void take(Count& value, const WaitSeen& wait, Counter counter) {
    if (value) *value -= share_of(wait, counter).value_or(0);
  }
  const StepRow& step_;
  std::vector<const WaitSeen*> allowed_;
};

// Paths that depend on the machine are cut to the file's name.
std::string stable_place(const Site& site) {
  const auto name = [](const std::string& path) {
    return path.starts_with('/') ? path.substr(path.rfind('/') + 1) : path;
  };
  switch (site.from) {
    case SiteFrom::own_line:
    case SiteFrom::library_line:
      if (site.file.empty()) break;
      return name(site.file) + (site.function.empty() ? "" : " in " + site.function);
    case SiteFrom::native:  // where it was built says nothing
      return site.file.substr(site.file.rfind('/') + 1);
    case SiteFrom::region:
      return site.function;
    default:
      break;
  }
  return site.place;
}

using Tallies = std::map<std::string, Tally>;

BaselineCounts counts_of(const Tallies& tallies, std::int64_t judged) {
  BaselineCounts counts;
  for (const auto& [key, tally] : tallies)
    if (!tally.unknown) counts[key] = tally.over(judged);
  return counts;
}

// Waits of a step by place.
void add_sites(const RunSummary& run, std::size_t position, const AllowedWaits* allowed, Tallies& by_id) {
  std::map<std::string, std::int64_t> in_step;
  const auto& waits = run.steps[position].waits;
  for (std::size_t w = 0; w < waits.size(); ++w)
    if (waits[w].site < run.sites.size() && !is_allowed(allowed, position, w)) ++in_step[run.sites[waits[w].site].id];
  for (const auto& [id, n] : in_step) by_id[id].add_step(n);
}

std::vector<BaselineSite> sites_of(const RunSummary& run, const Tallies& by_id, std::int64_t judged) {
  std::map<std::string, const Site*> most;  // of one id that with most waits tells what they are
  for (const Site& site : run.sites) {
    const Site*& best = most[site.id];
    const auto key = [](const Site& s) { return std::tuple(-s.judged, s.place, s.what); };
    if (best == nullptr || key(site) < key(*best)) best = &site;
  }
  std::vector<BaselineSite> sites;
  for (const auto& [id, tally] : by_id) {
    const Site& site = *most.at(id);
    sites.push_back(
        {id, stable_place(site), std::string(info_of(site.cause.kind).slug), site.what, tally.over(judged)});
  }
  std::sort(sites.begin(), sites.end(), [](const BaselineSite& a, const BaselineSite& b) {
    return std::tie(a.place, a.cause, a.what, a.id) < std::tie(b.place, b.cause, b.what, b.id);
  });
  return sites;
}

std::optional<std::int64_t> median_kernels(const RunSummary& run, std::size_t end) {
  std::vector<Count> kernels;
  for (std::size_t s = 0; s < std::min(end, run.steps.size()); ++s)
    if (run.steps[s].judged) kernels.push_back(run.steps[s].kernels);
  const auto spread = spread_of(kernels);
  return spread ? std::optional(spread->median) : std::nullopt;
}

// By rank, then by content: their order in the recording means nothing.
void sort_processes(std::vector<BaselineProcess>& processes) {
  const auto content = [](const BaselineProcess& p) {
    std::vector<std::string> ids;
    std::vector<std::int64_t> numbers = {p.judged, p.kernels.value_or(-1)};
    for (const auto& [key, count] : p.counts) numbers.insert(numbers.end(), {count.max, count.sum, count.min});
    for (const BaselineSite& site : p.sites) {
      ids.push_back(site.id);
      numbers.insert(numbers.end(), {site.waits.max, site.waits.sum, site.waits.min});
    }
    return std::tuple(p.rank.value_or(std::numeric_limits<std::int64_t>::max()), std::move(numbers), std::move(ids));
  };
  std::sort(processes.begin(), processes.end(),
            [&](const BaselineProcess& a, const BaselineProcess& b) { return content(a) < content(b); });
}

}  // namespace

std::vector<const Metric*> baseline_metrics() {
  std::vector<const Metric*> exact;
  for (const Metric& metric : all_metrics())
    if (metric.kind == MetricKind::counter && is_exact(metric.counter)) exact.push_back(&metric);
  return exact;
}

BaselineProcess measured(const RunSummary& run, const AllowedWaits* allowed, std::size_t end) {
  BaselineProcess process;
  process.rank = rank_of(run.meta);
  const auto metrics = baseline_metrics();
  Tallies whole, by_id;
  std::map<std::string, Tallies> regions;
  for (std::size_t s = 0; s < std::min(end, run.steps.size()); ++s) {
    const StepRow& step = run.steps[s];
    if (!step.judged) continue;
    ++process.judged;
    const Figures figures(step, s, allowed);
    for (const Metric* metric : metrics) {
      const std::string key(metric->key);
      whole[key].add_step(figures.of(metric->counter));
      for (const RegionRow& region : step.regions)
        regions[region.name][key].add_step(figures.of(region, metric->counter));
    }
    add_sites(run, s, allowed, by_id);
  }
  process.counts = counts_of(whole, process.judged);
  for (const auto& [name, tallies] : regions) process.regions[name] = counts_of(tallies, process.judged);
  process.kernels = median_kernels(run, end);
  process.sites = sites_of(run, by_id, process.judged);
  return process;
}

}  // namespace gate

Baseline make_baseline(std::span<const CheckedRun> runs, std::int64_t fewest_steps, StepsWanted wanted) {
  Baseline made;
  if (runs.empty()) {
    made.doubt = "the program never used CUDA";
    return made;
  }
  std::vector<const RunSummary*> summaries;
  for (const CheckedRun& run : runs) {
    const Doubts doubts = doubts_of(*run.summary, fewest_steps, wanted);
    const auto& texts = doubts.hopeless.empty() ? doubts.partial : doubts.hopeless;
    if (made.doubt.empty() && !texts.empty())
      made.doubt = run.name.empty() ? texts.front() : run.name + ": " + texts.front();
    summaries.push_back(run.summary);
    made.processes.push_back(gate::measured(*run.summary, nullptr));
  }
  // What is of the recording is told by the process of the lowest rank.
  const RunSummary& first = **std::min_element(summaries.begin(), summaries.end(), [](const auto* a, const auto* b) {
    const auto key = [](const RunSummary* run) {
      return std::tuple(!rank_of(run->meta), rank_of(run->meta).value_or(0), run->meta.tool, run->meta.program);
    };
    return key(a) < key(b);
  });
  made.device = first.meta.device_name.empty() ? "unknown device" : first.meta.device_name;
  made.steps_from = name_of(first.steps_from);
  made.warmup = first.warmup;
  made.world_size = first.meta.world_size;
  if (!first.meta.tool.empty()) made.versions["tool"] = first.meta.tool;
  if (!first.meta.program.empty()) made.versions["program"] = first.meta.program;
  gate::sort_processes(made.processes);
  return made;
}

}  // namespace zerostall
