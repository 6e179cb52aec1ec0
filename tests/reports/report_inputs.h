// What pages are made of in tests: runs of a make-believe step, on both clocks, whole and damaged, with any names.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fixes/catalog.h"
#include "reports/html_report.h"
#include "tests/gate/verify_runs.h"

namespace zerostall::testing {

inline constexpr const char* kMeasuredMeta =
    R"({"tool": "test 1.0", "clock": "measured", "device": {"name": "NVIDIA H200"}})";

inline RunSummary report_run(StepShape shape, bool measured = false, int steps = 12) {
  return make_run(
             {}, [=](int) { return shape; }, steps,
             [&](TraceBuilder& t) {
               if (measured) t.meta = kMeasuredMeta;
             })
      .summary;
}

// Owns what a ReportInput points to.
struct ReportCase {
  std::vector<RunSummary> before, after;
  std::optional<CheckReport> check{};
  std::optional<VerifyReport> verify{};
  std::optional<Comparison> comparison{};
  std::vector<FixText> fixes{};

  ReportInput input() {
    ReportInput input;
    for (const RunSummary& run : before) input.before.push_back({"", &run});
    for (const RunSummary& run : after) input.after.push_back({"", &run});
    if (!before.empty()) {
      comparison = compare_runs(before, after, kBeforeAndAfter);
      input.comparison = &*comparison;
    }
    if (check) input.check = &*check;
    if (verify) input.verify = &*verify;
    input.fixes = fixes;
    return input;
  }
};

inline ReportCase verify_case() {
  ReportCase made;
  made.verify = VerifyReport{make_plan(), good_runs(), {}};
  made.verify->judgement = judge_verify(made.verify->plan, made.verify->runs);
  made.before = {made.verify->runs.front().summary};
  made.after = {made.verify->runs.back().summary};
  for (const fixes::Fix& fix : fixes::all())
    if (fix.is_default) made.fixes.push_back({fix.name, fix.title, fix.cause, fix.explanation});
  return made;
}

// Every text of a run that a program or a user chose is this one.
inline RunSummary called(RunSummary run, const std::string& name) {
  run.path = run.meta.tool = run.meta.device_name = run.meta.program = run.meta.script = name;
  for (Site& site : run.sites)
    site.place = site.what = site.file = site.function = site.via = site.kernel = site.cause.evidence = site.id = name;
  for (StepRow& step : run.steps)
    for (RegionRow& region : step.regions) region.name = name;
  for (RegionSummary& region : run.regions) region.name = name;
  run.tool_problems = run.warnings = run.other_step_names = {name};
  run.unsupported = run.unknown = {{name, 3}};
  WaitStack stack;
  stack.id = 1;
  stack.waits = {{name, 1, 1, Spread{1, 1, 1, 1}}};
  stack.python = {{name, name, 0, false}};
  run.stacks = {stack};
  return run;
}

}  // namespace zerostall::testing
