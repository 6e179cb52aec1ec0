// Every writer of `zerostall check`, to be put to the same tests.
#pragma once
#include <string>
#include <vector>

#include "reports/check_bencher.h"
#include "reports/check_github.h"
#include "reports/check_gitlab.h"
#include "reports/check_json.h"
#include "reports/check_junit.h"
#include "reports/check_markdown.h"
#include "reports/check_sarif.h"
#include "reports/check_text.h"

namespace zerostall::testing {

// Counts of a run that is judged: Bencher's format takes them from there.
inline RunSummary make_counted_run() {
  RunSummary run;
  run.meta.clock = Clock::modelled;
  for (int n = 0; n < 3; ++n) {
    StepRow step;
    step.number = n;
    step.judged = true;
    step.counters[Counter::waits] = n;
    step.counters[Counter::drains] = std::nullopt;
    step.counters[Counter::blocked_ns] = 1000 * n;
    run.steps.push_back(step);
  }
  std::vector<Counters> counters;
  for (const StepRow& step : run.steps) counters.push_back(step.counters);
  run.per_step = spreads_of(counters);
  return run;
}

struct CheckFormat {
  std::string name;  // as --out has it
  std::string file;  // how a file of it ends
  std::string (*render)(const CheckReport&);
};

inline const std::vector<CheckFormat>& check_formats() {
  static const std::vector<CheckFormat> formats = {
      {"text", "txt", [](const CheckReport& report) { return render_check_text(report); }},
      {"md", "md", render_check_markdown},
      {"github", "github.txt", render_check_github},
      {"gitlab", "gitlab.json", render_check_gitlab},
      {"junit", "junit.xml", render_check_junit},
      {"sarif", "sarif", render_check_sarif},
      {"json", "json", render_check_json},
      {"bencher", "bencher.json",
       [](const CheckReport& report) {
         const RunSummary run = make_counted_run();
         std::vector<CheckedRun> runs;
         for (const CheckedFacts& facts : report.checked) runs.push_back({facts.name, &run});
         return render_check_bencher(runs);
       }},
  };
  return formats;
}

}  // namespace zerostall::testing
