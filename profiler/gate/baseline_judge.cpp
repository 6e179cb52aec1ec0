#include <fmt/format.h>

#include <algorithm>

#include "profiler/base/strings.h"
#include "profiler/gate/baseline_pair.h"

namespace zerostall {
namespace {

using namespace gate;

// Why this process is not compared; "" = it is.
std::string why_not(const Baseline& baseline, const BaselineProcess& before, const BaselineProcess& now,
                    bool incomplete) {
  // Lost records are no sign that there was less to do.
  if (!other_sizes(before.kernels, now.kernels) || (incomplete && *now.kernels < *before.kernels)) return "";
  return fmt::format("{} is of {} kernels per step, this run of {}: other sizes wait otherwise; {}",
                     baseline_words(baseline), *before.kernels, *now.kernels, what_to_do(baseline));
}

Doubts doubts_in(const Policy& policy, const RunSummary& run) {
  return doubts_of(run, std::max(policy.run.fewest_steps, kFewestJudgedSteps), policy.run.steps);
}

void note_versions(const Baseline& baseline, const Baseline& now, CheckReport& report) {
  std::vector<std::string> changed;
  for (const auto& [name, version] : baseline.versions)
    if (const auto found = now.versions.find(name); found != now.versions.end() && found->second != version)
      changed.push_back(fmt::format("{} → {}", version, found->second));
  if (!changed.empty())
    report.notes.push_back("changed since the baseline as well, and perhaps the reason: " + join(changed, ", "));
}

void judge_pair(const Policy& policy, const Baseline& baseline, const BaselineProcess& before, const CheckedRun& run,
                const AllowedWaits& allowed, const Doubts& doubts, CheckReport& report) {
  const RunSummary& summary = *run.summary;
  if (!doubts.hopeless.empty()) return;  // `check` says so
  Pair pair{policy, baseline, before, run, measured(summary, &allowed), {}, measured(summary, nullptr), {}};
  pair.incomplete = !doubts.partial.empty();
  if (std::string why = why_not(baseline, before, pair.all, pair.incomplete); !why.empty()) {
    add_finding(report, FindingKind::cannot_tell, run.name, std::move(why));
    return;
  }
  pair.by_step = !is_inferred(summary.steps_from);
  pair.covered = measured(summary, &allowed, static_cast<std::size_t>(baseline.warmup + before.judged));
  pair.matches = match_sites(before.sites, pair.now.sites);
  judge_more(pair, report);
  judge_fewer(pair, report);
  add_rows(pair, report);
  add_notes(pair, report);
}

std::string missing(const Baseline& baseline, const std::optional<std::int64_t>& rank, bool in_run) {
  const std::string who = process_words(rank);
  return in_run ? fmt::format("{} is not in {}: record as many processes, or update it", who, baseline_words(baseline))
                : fmt::format("{} of {} is not in this recording: record as many processes, or update it", who,
                              baseline_words(baseline));
}

}  // namespace

void judge_baseline(const Policy& policy, const Baseline& baseline, std::span<const CheckedRun> runs,
                    std::span<const AllowedWaits> allowed, CheckReport& report) {
  report.baseline = baseline.file;
  std::vector<Doubts> doubts;
  std::vector<CheckedRun> usable;
  for (const CheckedRun& run : runs) {
    doubts.push_back(doubts_in(policy, *run.summary));
    if (doubts.back().hopeless.empty()) usable.push_back(run);
  }
  if (usable.empty()) return;
  std::string why =
      baseline.doubt.empty() ? "" : fmt::format("{} is no measure: {}", baseline_words(baseline), baseline.doubt);
  const Baseline of_runs = make_baseline(usable, policy.run.fewest_steps, policy.run.steps);
  if (why.empty()) why = other_recording(baseline, of_runs);
  if (!why.empty()) {
    add_finding(report, FindingKind::cannot_tell, "", std::move(why));
    return;
  }
  std::vector<std::optional<std::int64_t>> before, now;
  for (const BaselineProcess& process : baseline.processes) before.push_back(process.rank);
  for (const CheckedRun& run : runs) now.push_back(rank_of(run.summary->meta));
  const PairedProcesses paired = pair_processes(before, now);
  if (paired.ambiguous) {
    add_finding(report, FindingKind::cannot_tell, "",
                fmt::format("which process is which in {} cannot be told: several have no rank, or the same; torchrun "
                            "sets RANK",
                            baseline_words(baseline)));
    return;
  }
  const std::size_t findings = report.findings.size();
  for (const auto& [old, current] : paired.pairs) {
    if (current == kNone)
      add_finding(report, FindingKind::cannot_tell, "", missing(baseline, before[old], false));
    else if (old == kNone)
      add_finding(report, FindingKind::cannot_tell, runs[current].name, missing(baseline, now[current], true));
    else
      judge_pair(policy, baseline, baseline.processes[old], runs[current], allowed[current], doubts[current], report);
  }
  const auto added = report.findings.begin() + static_cast<std::ptrdiff_t>(findings);
  if (std::any_of(added, report.findings.end(), [](const Finding& f) { return f.kind != FindingKind::cannot_tell; }))
    note_versions(baseline, of_runs, report);
}

}  // namespace zerostall
