#include "profiler/gate/doubts.h"

#include <fmt/format.h>

#include <algorithm>

namespace zerostall {
namespace {

// Of a judged step; empty = none. One example is enough: the first such step speaks for all.
std::vector<std::string> doubts_about(const StepRow& step) {
  std::vector<std::string> found;
  if (!step.unsupported.empty())
    found.push_back(fmt::format("step {} called {}, which the simulated GPU does not support", step.number,
                                step.unsupported.begin()->first));
  if (!step.unknown.empty())
    found.push_back(fmt::format("step {} called {}, of which this version of zerostall cannot tell whether it waits",
                                step.number, step.unknown.begin()->first));
  const Count unknown = step.counters[Counter::unknown_waits];
  if (unknown.value_or(1) > 0)
    found.push_back(fmt::format(
        "{} in step {} with host memory of unknown kind",
        unknown == 1 ? "1 async copy" : fmt::format("{} async copies", unknown ? fmt::to_string(*unknown) : "some"),
        step.number));
  return found;
}

std::string why_no_steps(const RunSummary& run) {
  if (is_inferred(run.steps_from))
    return fmt::format("no step is marked: {}; or accept the {} inferred steps: steps = \"inferred\" in [run]",
                       how_to_mark_steps(run.meta), run.steps.size());
  if (!run.other_step_names.empty())
    return fmt::format("no step is marked: {}; or say with --step-pattern that ranges called '{}' are steps",
                       how_to_mark_steps(run.meta), run.other_step_names.front());
  return fmt::format("no step is marked, and none can be inferred: {}", how_to_mark_steps(run.meta));
}

}  // namespace

Doubts doubts_of(const RunSummary& run, std::int64_t fewest_steps, StepsWanted wanted) {
  Doubts doubts;
  if (!run.has_cuda_calls) {
    doubts.hopeless.push_back(run.truncated ? fmt::format("the trace is {} before any CUDA call", describe(run.end))
                                            : "the program never used CUDA");
    return doubts;
  }
  if (run.truncated) doubts.partial.push_back(fmt::format("the trace is {}", describe(run.end)));
  if (run.lost > 0) doubts.partial.push_back(fmt::format("{} of GPU work lost", counted(run.lost, "record")));
  if (run.steps_from == StepsFrom::none || (is_inferred(run.steps_from) && wanted == StepsWanted::marked))
    doubts.hopeless.push_back(why_no_steps(run));
  else if (run.judged() < fewest_steps)
    // What is too much in the steps that are enough for anybody is too much, whatever more a policy asks for.
    (run.judged() < kFewestJudgedSteps ? doubts.hopeless : doubts.partial)
        .push_back(fmt::format("{} in the trace to judge after {} of warm-up, at least {} are needed",
                               counted(run.judged(), "step"), run.warmup, fewest_steps));
  if (const auto clock = run.oddities.find("clock_steps"); clock != run.oddities.end())
    doubts.partial.push_back("the clock was set during the recording: which call belongs to which step is not certain");
  for (const StepRow& step : run.steps) {
    if (!step.judged) continue;
    auto found = doubts_about(step);
    doubts.partial.insert(doubts.partial.end(), found.begin(), found.end());
    if (!found.empty()) break;
  }
  return doubts;
}

}  // namespace zerostall
