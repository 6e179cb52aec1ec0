// Summaries of make-believe programs: where each step waits, written down step by step.
#pragma once
#include <fmt/format.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "profiler/gate/baseline.h"

namespace zerostall::testing {

// A line of the program that waits.
struct WaitingLine {
  std::string file = "train.py";
  std::string function = "step";
  std::uint32_t line = 10;
  std::string source = "loss.item()";
  CauseKind cause = CauseKind::scalar_read;
  std::string what = "cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize";
  std::string region = "train";
  WaitKind kind = WaitKind::stream_sync;
  bool upload = false;
};

// Each step of a program, by its number: the lines that wait in it, once for each time.
using Program = std::function<std::vector<WaitingLine>(std::int64_t step)>;

struct RunShape {
  std::int64_t steps = 20, warmup = 2, first = 0;
  std::int64_t kernels = 100;
  std::optional<std::int64_t> rank{};
  std::string device = "simulated H200";
};

inline void add_wait(Counters& counters, const WaitSeen& wait) {
  for (const CounterInfo& info : all_counters()) counters.add(info.counter, share_of(wait, info.counter));
}

inline RunSummary run_of(const Program& program, const RunShape& shape = {}) {
  RunSummary run;
  run.meta.device_name = shape.device;
  run.meta.clock = Clock::modelled;
  run.meta.rank = shape.rank;
  run.meta.tool = "zerostall 0.1.0";
  run.meta.program = "python3.11";
  run.has_cuda_calls = true;
  run.steps_from = StepsFrom::marks;
  run.warmup = shape.warmup;
  std::map<std::string, std::uint32_t> site_of;
  for (std::int64_t i = 0; i < shape.steps; ++i) {
    StepRow step;
    step.number = shape.first + i;
    step.judged = i >= shape.warmup;
    step.kernels = shape.kernels;
    step.regions = {{"load", {}}, {"train", {}}};
    for (const WaitingLine& line : program(step.number)) {
      const std::string key = fmt::format("{}:{}:{}:{}", line.file, line.line, line.function, int(line.cause));
      const auto [at, is_new] = site_of.try_emplace(key, static_cast<std::uint32_t>(run.sites.size()));
      if (is_new) {
        Site site;
        site.from = SiteFrom::own_line;
        site.file = line.file;
        site.function = line.function;
        site.line = line.line;
        site.source = line.source;
        site.place = fmt::format("{}:{} in {}", line.file, line.line, line.function);
        site.what = line.what;
        site.cause.kind = line.cause;
        site.id = fmt::format("{}|{}|{}|{}", line.file, line.function, int(line.cause), line.source);
        run.sites.push_back(site);
      }
      run.sites[at->second].judged += step.judged;
      ++run.sites[at->second].count;
      WaitSeen wait{{line.region}, line.what, line.kind, line.upload};
      wait.drains = wait.idle = false;
      wait.site = at->second;
      add_wait(step.counters, wait);
      for (RegionRow& region : step.regions)
        if (region.name == line.region) add_wait(region.counters, wait);
      step.waits.push_back(wait);
    }
    run.steps.push_back(std::move(step));
  }
  return run;
}

inline Baseline baseline_of(const RunSummary& run) {
  const CheckedRun one[] = {{"", &run}};
  return make_baseline(one, 3, StepsWanted::marked);
}

inline CheckReport judged_against(const Baseline& baseline, const RunSummary& run, const Policy& policy = {},
                                  std::vector<AllowedWaits> allowed = {}) {
  const CheckedRun one[] = {{"", &run}};
  if (allowed.empty()) allowed.push_back(apply_allowances(run, policy.allow, {}));
  CheckReport report;
  judge_baseline(policy, baseline, one, allowed, report);
  return report;
}

// "baseline: TEXT\nimproved: ..." of all findings.
inline std::string told(const CheckReport& report) {
  std::string text;
  for (const Finding& finding : report.findings)
    text += fmt::format("{}{}: {}\n",
                        finding.kind == FindingKind::baseline   ? "baseline"
                        : finding.kind == FindingKind::improved ? "improved"
                                                                : "cannot-tell",
                        finding.level == Level::error ? "" : " (warn)", finding.text);
  return text;
}

}  // namespace zerostall::testing
