#include "profiler/gate/propose.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "profiler/base/strings.h"
#include "profiler/gate/allow.h"
#include "profiler/gate/doubts.h"
#include "profiler/gate/propose_text.h"

namespace zerostall {
namespace {

constexpr std::size_t kMostRegions = 30;
constexpr std::size_t kMostSites = 20;
constexpr std::size_t kLongExample = 200;  // bytes

// What a first policy limits, and what it only mentions where there is some: the same waits counted another way, or
// what depends on the model of a GPU.
constexpr auto kLimited = std::to_array<std::string_view>({"waits", "h2d_stalls"});
constexpr auto kMentioned =
    std::to_array<std::string_view>({"stream_syncs", "event_syncs", "device_syncs", "blocking_copies",
                                     "blocking_memsets", "implicit", "spins", "drains"});

// The most of one judged step, over all processes; nullopt = unknown in one of them.
struct Most {
  std::array<std::optional<std::int64_t>, kCounterCount> values;
  explicit Most() { values.fill(0); }
  void take(const CounterSpreads& spreads) {
    for (std::size_t i = 0; i < kCounterCount; ++i) {
      const auto& spread = spreads.values[i];
      values[i] = spread && values[i] ? std::optional(std::max(*values[i], spread->max)) : std::nullopt;
    }
  }
  const std::optional<std::int64_t>& operator[](Counter counter) const {
    return values[static_cast<std::size_t>(counter)];
  }
};

struct SeenRegion {
  std::string name;
  Most most;
  std::size_t processes = 0;  // that have it
};

// All that the proposal is made of.
struct Seen {
  Most most;
  std::vector<SeenRegion> regions;  // by first appearance
  std::size_t processes = 0;        // that have judged steps
  std::int64_t judged = 0;          // steps, of the process with fewest
  std::int64_t background = 0, outside = 0;
  bool waits_between = false;            // each time between two steps: without a limit on that no verdict is a pass
  std::int64_t unreal = 0;               // read-backs in judged steps
  const RunSummary* inferred = nullptr;  // a process whose steps are
  bool measured = false;
};

void add_regions(const RunSummary& run, std::vector<SeenRegion>& regions, std::map<std::string, std::size_t>& known) {
  for (const RegionSummary& region : run.regions) {
    if (region.name.starts_with(kAllowPrefix)) continue;  // made to hold waits: a limit on it would be none
    const auto [at, is_new] = known.try_emplace(region.name, regions.size());
    if (is_new) regions.push_back({region.name, Most(), 0});
    ++regions[at->second].processes;
    regions[at->second].most.take(region.per_step);
  }
}

std::optional<Seen> look_at(std::span<const CheckedRun> runs) {
  Seen seen;
  std::map<std::string, std::size_t> known;
  for (const CheckedRun& checked : runs) {
    const RunSummary& run = *checked.summary;
    if (run.judged() == 0) continue;
    seen.judged = seen.processes++ == 0 ? run.judged() : std::min(seen.judged, run.judged());
    seen.most.take(run.per_step);
    add_regions(run, seen.regions, known);
    seen.waits_between |= waits_each_time(run.between);
    seen.outside += run.outside[Counter::waits].value_or(0);
    for (const StepRow& step : run.steps)
      if (step.judged) seen.background = std::max(seen.background, step.background[Counter::waits].value_or(0));
    seen.unreal += run.unreal_readbacks.judged;
    if (is_inferred(run.steps_from)) seen.inferred = &run;
    seen.measured = run.meta.clock == Clock::measured;
  }
  return seen.judged == 0 ? std::nullopt : std::optional(std::move(seen));
}

std::string head(const ProposalSource& source, const std::optional<Seen>& seen) {
  std::string text = "# What this program may wait for: `zerostall check` fails when it waits more.\n";
  const std::string device = source.device.empty() ? "" : " on " + source.device;
  if (seen)
    text += toml_comment(
        fmt::format("Proposed by `zerostall init` from {}{}{}: the counts below are those of that run.",
                    counted(seen->judged, "judged step"),
                    seen->processes > 1 ? fmt::format(" of each of {} processes", seen->processes) : "", device));
  else
    text += toml_comment(fmt::format("Written by `zerostall init` after a run{} without steps to judge.", device));
  return text + "# All keys: zerostall init --help\n\n";
}

std::string key_line(bool active, std::string_view key, const std::string& value, std::string_view comment = "") {
  std::string line = fmt::format("{}{} = {}", active ? "" : "# ", key, value);
  if (!comment.empty())
    line += fmt::format("{}# {}", std::string(line.size() < 28 ? 28 - line.size() : 2, ' '), comment);
  return line + "\n";
}

std::string run_table(const ProposalSource& source, const std::optional<Seen>& seen) {
  const RunSettings& run = source.run;
  const std::string command = run.command.empty() ? "" : toml_texts(run.command);
  const bool runs_it = !command.empty();
  std::string text = "[run]\n";
  if (runs_it)
    text += key_line(true, "command", command);
  else
    text += key_line(false, "command", R"(["python", "train.py"])", "for `zerostall check` to run it");
  if (runs_it && run.device != "auto") text += key_line(true, "device", toml_text(run.device));
  if (run.gpus != 1) text += key_line(runs_it, "gpus", fmt::to_string(run.gpus));
  if (!run.sim_values.empty() && !toml_text(run.sim_values).empty())
    text += key_line(runs_it, "sim_values", toml_text(run.sim_values));
  if (run.seed) text += key_line(runs_it, "seed", fmt::to_string(*run.seed));
  text += key_line(true, "warmup", fmt::to_string(run.warmup), "first steps that are not judged");
  if (!run.step_pattern.empty() && !toml_text(run.step_pattern).empty())
    text += key_line(true, "step_pattern", toml_text(run.step_pattern));
  if (seen && seen->inferred != nullptr) {
    text += toml_comment(fmt::format("The steps were not marked but inferred ({}).", seen->inferred->steps_how));
    text += "# Mark them, torch.cuda.nvtx.mark(f\"step {i}\") at the start of each, and take this line out.\n";
    text += key_line(true, "steps", "\"inferred\"");
  }
  return text + "\n";
}

std::string metric_lines(const Most& most) {
  std::string text;
  for (const std::string_view key : kLimited) {
    const auto& value = most[find_metric(key)->counter];
    text += value ? key_line(true, key, fmt::to_string(*value)) : key_line(false, key, "0", "not known in this run");
  }
  for (const std::string_view key : kMentioned)
    if (const auto& value = most[find_metric(key)->counter]; value && *value > 0)
      text += key_line(false, key, fmt::to_string(*value));
  return text;
}

// Those with most waits, in the order of the program; of what not every process has no budget could hold for all.
std::vector<const SeenRegion*> regions_to_limit(const Seen& seen, std::size_t& left_out) {
  std::vector<const SeenRegion*> regions;
  for (const SeenRegion& region : seen.regions)
    if (!region.name.empty() && !toml_text(region.name).empty() && region.processes == seen.processes)
      regions.push_back(&region);
  left_out = seen.regions.size() - regions.size();
  if (regions.size() <= kMostRegions) return regions;
  auto by_waits = regions;
  std::stable_sort(by_waits.begin(), by_waits.end(), [](const SeenRegion* a, const SeenRegion* b) {
    return a->most[Counter::waits].value_or(0) > b->most[Counter::waits].value_or(0);
  });
  by_waits.resize(kMostRegions);
  left_out += regions.size() - kMostRegions;
  std::erase_if(regions, [&](const SeenRegion* region) {
    return std::find(by_waits.begin(), by_waits.end(), region) == by_waits.end();
  });
  return regions;
}

std::string budgets(const Seen& seen) {
  std::string text =
      "# At most so much in each judged step. Lower a number when a wait is gone. Lines behind # are not checked.\n"
      "[budget]                    # the whole step\n";
  text += metric_lines(seen.most);
  if (seen.measured) text += "# step_time = { slower = \"5 %\" }   # than before: a baseline trace, or --before\n";
  std::size_t left_out = 0;
  for (const SeenRegion* region : regions_to_limit(seen, left_out)) {
    const bool bare = !region->name.empty() && region->name.find_first_not_of(
                                                   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                   "0123456789_-") == std::string::npos;
    text += fmt::format("\n[budget.region.{}]\n{}", bare ? region->name : toml_text(region->name),
                        metric_lines(region->most));
  }
  if (left_out > 0)
    text += fmt::format("# and {} without a budget of their own: not in every process, or with few waits\n",
                        counted(std::int64_t(left_out), "region"));
  if (seen.background > 0)
    text += fmt::format("\n# Other threads (loaders, loggers), during a step:\n# [budget.background]\n# waits = {}\n",
                        seen.background);
  if (seen.waits_between)
    text += fmt::format(
        "\n# The program waits between its steps each time: the marks leave out a part of its loop. Better mark only "
        "where a\n"
        "# step begins, torch.cuda.nvtx.mark(f\"step {{i}}\"); until then, in the whole run:\n[budget.outside]\nwaits "
        "= {{ "
        "total = {} }}\n",
        seen.outside);
  else if (seen.outside > 0)
    text += fmt::format("\n# In no step, in the whole run:\n# [budget.outside]\n# waits = {{ total = {} }}\n",
                        seen.outside);
  return text + "\n";
}

struct SeenSite {
  const Site* site;
  std::int64_t most = 0;  // waits in one judged step
  bool in_each = true;    // judged step
};

// Of all processes, once each; most waits first.
std::vector<SeenSite> sites_of(std::span<const CheckedRun> runs) {
  std::map<std::string, SeenSite> by_id;
  for (const CheckedRun& run : runs)
    for (const Site& site : run.summary->sites) {
      if (site.judged == 0) continue;
      SeenSite& seen = by_id.try_emplace(site.id, SeenSite{&site}).first->second;
      seen.most = std::max(seen.most, site.per_step ? site.per_step->max : site.judged);
      seen.in_each = seen.in_each && site.per_step && site.per_step->min > 0;
    }
  std::vector<SeenSite> sites;
  for (auto& [id, site] : by_id) sites.push_back(site);
  std::stable_sort(sites.begin(), sites.end(), [](const SeenSite& a, const SeenSite& b) { return a.most > b.most; });
  return sites;
}

std::string sites_text(const std::vector<SeenSite>& sites) {
  if (sites.empty()) return "# No judged step waited.\n\n";
  std::string text = "# Where the steps wait (`zerostall explain CAUSE` says what to write instead):\n";
  for (std::size_t i = 0; i < std::min(sites.size(), kMostSites); ++i)
    text += toml_comment(fmt::format("{:>4} in {}  {}  ({})  {}", sites[i].most,
                                     sites[i].in_each ? "each step" : "some steps", sites[i].site->place,
                                     info_of(sites[i].site->cause.kind).slug, sites[i].site->what));
  if (std::any_of(sites.begin(), sites.end(), [](const SeenSite& site) { return !site.in_each; }))
    text +=
        "# A limit on each step does not see that what is in some steps comes more often: `zerostall baseline update` "
        "keeps "
        "that too.\n";
  if (sites.size() > kMostSites)
    text += fmt::format("#   and {}\n", counted(std::int64_t(sites.size() - kMostSites), "other place"));
  return text + "\n";
}

// What tells the first place that a source file is known of, one line.
std::string example_condition(const std::vector<SeenSite>& sites) {
  for (const SeenSite& seen : sites) {
    if (seen.site->file.empty() || seen.site->from == SiteFrom::native) continue;
    const std::string site = toml_text(site_key(*seen.site));
    if (!site.empty() && site.size() <= kLongExample) return site;
  }
  return "\"trainer.py:log_metrics\"";
}

std::string example_allowance(const std::vector<SeenSite>& sites) {
  return fmt::format(
      "# A wait that may stay, beside a budget of 0:\n"
      "# [[allow]]\n"
      "# site = {}\n"
      "# waits_per_step = 1\n"
      "# every = 50               # once in 50 steps\n"
      "# reason = \"why it may stay\"\n"
      "# expires = 2099-06-30     # from that day on it may not\n",
      example_condition(sites));
}

std::string doubts_text(std::span<const CheckedRun> runs, const ProposalSource& source) {
  std::string text;
  for (const CheckedRun& run : runs) {
    const Doubts doubts = doubts_of(*run.summary, source.run.fewest_steps, StepsWanted::inferred);
    for (const auto* list : {&doubts.hopeless, &doubts.partial})
      for (const std::string& doubt : *list)
        text += toml_comment(fmt::format("No verdict yet{}: {}", run.name.empty() ? "" : " on " + run.name, doubt));
  }
  if (runs.empty()) text += "# No verdict yet: the program made no CUDA call.\n";
  return text.empty() ? "" : text + "\n";
}

}  // namespace

std::string propose_policy(std::span<const CheckedRun> runs, const ProposalSource& source) {
  const std::optional<Seen> seen = look_at(runs);
  std::string text = head(source, seen) + doubts_text(runs, source);
  if (seen && seen->unreal > 0) {
    text += toml_comment(
        fmt::format("{} of judged steps had no real value, so a branch on one may go another way than on a GPU.",
                    counted(seen->unreal, "read-back")));
    text += "# To have no verdict then, rather than a note:\n# unreal_values = \"cannot-tell\"\n\n";
  }
  text += run_table(source, seen);
  if (!seen)
    return text +
           "# Once steps are marked, torch.cuda.nvtx.mark(f\"step {i}\") at the start of each:\n"
           "# [budget]\n# waits = 0\n";
  const auto sites = sites_of(runs);
  return text + budgets(*seen) + sites_text(sites) + example_allowance(sites);
}

}  // namespace zerostall
