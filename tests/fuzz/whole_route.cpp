#include "tests/fuzz/whole_route.h"

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "profiler/analyze/summary.h"
#include "reports/stacks_text.h"
#include "reports/stat_json.h"
#include "reports/stat_text.h"

namespace zerostall::fuzz {
namespace {

// Of the kind that the default has, and quicker to compile: that is done anew with each input.
const StepOptions kSteps{R"(^ProfilerStep#\d+|^(step|iteration) ?\d+$)"};

void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

void check(const RunSummary& run, std::int64_t calls) {
  std::int64_t counted = 0;
  for (const CallRow& row : run.calls) counted += row.count;
  require(counted == calls, "every call is counted");
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    require(run.steps[i].begin_ns <= run.steps[i].end_ns, "a step does not end before it begins");
    require(i == 0 || run.steps[i - 1].end_ns <= run.steps[i].begin_ns, "steps are in order and do not overlap");
  }
  Counters sum;
  for (const StepRow& step : run.steps) sum.add(step.counters);
  for (const Counters& part : {run.background, run.unclosed, run.outside}) sum.add(part);
  require(sum == run.totals, "totals are the sum of steps, background, unclosed and outside");
  for (const CounterInfo& info : all_counters())
    require(run.totals[info.counter].value_or(0) >= 0, "no counter is below 0");
}

void show(const RunSummary& run) {
  require(render_stat_text(run).ends_with('\n'), "text ends in a newline");
  render_stacks_text(run.stacks);
  const std::string json = render_stat_json(run, {}, {}, true);
  require(nlohmann::json::accept(json), "JSON is valid");
}

}  // namespace

void follow(Result<std::vector<RawTrace>> traces) {
  if (!traces) {
    const std::string& message = traces.error().message;
    return require(!message.empty() && message.find('\n') == message.npos, "an error is one line");
  }
  for (RawTrace& raw : *traces) {
    const auto calls = static_cast<std::int64_t>(raw.calls.size());
    SummaryOptions options{"fuzz", 1};
    options.corrected = calls % 2 == 1;  // both ways are to be seen
    const RunSummary run = analyze(std::move(raw), options, kSteps);
    check(run, calls);
    show(run);
  }
}

}  // namespace zerostall::fuzz
