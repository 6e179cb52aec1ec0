// Public traces whose steps are marked: inferred without the marks they are the same, or there are none.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "profiler/analyze/infer_steps.h"
#include "profiler/analyze/measure.h"
#include "profiler/trace/build_trace.h"
#include "profiler/trace/read_trace.h"
#include "tests/trace/import/expected.h"

namespace zerostall {
namespace {

using Figures = std::vector<std::array<Count, 3>>;  // per step

Figures figures(const Trace& trace, const Steps& steps) {
  Figures list;
  for (const StepStats& step : measure_steps(trace, steps, find_waits(trace)).steps)
    list.push_back(
        {step.counters[Counter::waits], step.counters[Counter::stream_syncs], step.counters[Counter::blocking_copies]});
  return list;
}

// A loop may be cut elsewhere than at its marks: the first and last step may have more or fewer waits than marked.
Figures without_ends(Figures list) {
  if (list.size() < 3) return {};
  return {list.begin() + 1, list.end() - 1};
}

void print(const std::string& name, std::size_t marked, const InferredSteps& found) {
  const bool none = found.steps.steps.empty();
  std::printf("%-44s %6zu %8zu  %-6s %-6s %s\n", name.c_str(), marked, found.steps.steps.size(),
              std::string(name_of(found.steps.from)).c_str(),
              none ? "" : std::string(name_of(found.confidence)).c_str(), found.how.c_str());
}

// Whether there are inferred steps that marked ones could be compared with.
bool compare(const std::string& name, const Trace& trace) {
  const Steps marked = split_steps(trace);
  const InferredSteps found = infer_steps(trace);
  print(name, marked.steps.size(), found);
  if (marked.steps.empty() || found.steps.steps.empty()) return false;
  EXPECT_EQ(found.steps.steps.size(), marked.steps.size()) << name;
  EXPECT_EQ(without_ends(figures(trace, found.steps)), without_ends(figures(trace, marked))) << name;
  if (figures(trace, found.steps) != figures(trace, marked)) std::printf("    the first or the last has others\n");
  return true;
}

std::size_t compare_all(const std::string& what, bool with_optimizer_ranges) {
  std::printf("%-44s marked inferred  from   confid. how\n", what.c_str());
  std::size_t compared = 0;
  for (const auto& [file, answers] : testing::corpus_files("")) {
    auto raws = read_trace(*testing::corpus_folder() / file);
    if (!raws) continue;  // some are no traces, to see how they are refused
    for (RawTrace& raw : *raws) {
      Trace trace = build_trace(std::move(raw));
      if (!with_optimizer_ranges)
        trace.ranges.erase(std::remove_if(trace.ranges.begin(), trace.ranges.end(),
                                          [&](const Range& r) { return trace.text(r.text).starts_with("Optimizer."); }),
                           trace.ranges.end());
      compared += compare(file, trace) ? 1 : 0;
    }
  }
  return compared;
}

TEST(InferStepsCorpus, EqualsTheMarksOrIsNone) {
  if (!testing::corpus_folder()) GTEST_SKIP() << "no folder of public traces (ZEROSTALL_TRACES)";
  EXPECT_GE(compare_all("as recorded", true), 12u);
}

TEST(InferStepsCorpus, EqualsTheMarksOrIsNoneByKernelsAlone) {
  if (!testing::corpus_folder()) GTEST_SKIP() << "no folder of public traces (ZEROSTALL_TRACES)";
  EXPECT_GE(compare_all("without the optimizers' ranges", false), 12u);
}

}  // namespace
}  // namespace zerostall
