// Traces that were recorded in windows: what lies outside is unknown.
#include <gtest/gtest.h>

#include "profiler/analyze/own_cost.h"
#include "profiler/analyze/summary.h"
#include "profiler/trace/read_native.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using format::NoteKind;
using zerostall::testing::TraceBuilder;

TEST(Windows, StepsRecordedInPartAreLeftOut) {
  TraceBuilder t;
  t.note(NoteKind::window_close, "", 1);  // off from the start
  t.note(NoteKind::window_open, "");
  t.step(3, [&] { t.item(); });
  t.mark(format::MarkKind::push, "step 4", "zerostall");  // the window ends inside, and the next one begins inside 9
  t.item();
  t.note(NoteKind::window_close, "");
  t.note(NoteKind::window_open, "");
  t.mark(format::MarkKind::pop, "", "zerostall");
  t.step(10, [&] { t.item(), t.item(); });
  t.note(NoteKind::window_close, "");
  const Trace trace = t.trace();
  ASSERT_TRUE(trace.windows);
  EXPECT_EQ(trace.windows->size(), 2u);
  const Steps steps = split_steps(trace);
  ASSERT_EQ(steps.steps.size(), 2u);
  EXPECT_EQ(steps.steps[0].number, 3);
  EXPECT_EQ(steps.steps[1].number, 10);
  EXPECT_EQ(steps.outside_windows, 1);
}

// An instant mark ends the step before it only within one window.
TEST(Windows, AStepByInstantMarksDoesNotReachOverAGap) {
  TraceBuilder t;
  const auto mark = [&](int n) { t.mark(format::MarkKind::instant, "step " + std::to_string(n)); };
  t.note(NoteKind::window_close, "", 1);
  t.note(NoteKind::window_open, "");
  mark(5), t.item(), mark(6);
  t.note(NoteKind::window_close, "");
  t.note(NoteKind::window_open, "");
  mark(20), t.item(), mark(21);
  t.note(NoteKind::window_close, "");
  const Steps steps = split_steps(t.trace());
  ASSERT_EQ(steps.steps.size(), 2u);
  EXPECT_EQ(steps.steps[0].number, 5);
  EXPECT_EQ(steps.steps[1].number, 20);
}

// The program ended inside its last window, and inside a step.
TEST(Windows, AStepThatIsNeverClosedInOneThatIsNotEither) {
  TraceBuilder t;
  t.note(NoteKind::window_close, "", 1);
  t.note(NoteKind::window_open, "");
  t.step(3, [&] { t.item(); });
  t.mark(format::MarkKind::push, "step 4", "zerostall");
  t.item();
  const Steps steps = split_steps(t.trace());
  ASSERT_EQ(steps.steps.size(), 1u);
  EXPECT_EQ(steps.unclosed, 1);
  EXPECT_EQ(steps.open.size(), 1u);
  EXPECT_EQ(steps.outside_windows, 0);
}

TEST(Windows, ATraceWithoutThemIsRecordedAllTheTime) {
  TraceBuilder t;
  t.step(0, [&] { t.item(); });
  EXPECT_FALSE(t.trace().windows);
}

TEST(Windows, WorkOfCallsOutsideIsLeftOut) {
  TraceBuilder t;
  t.note(NoteKind::window_close, "", 1);
  t.note(NoteKind::window_open, "");
  t.step(0, [&] { t.launch(); });
  t.gpu_ops.push_back(t.gpu_ops.back());
  t.gpu_ops.back().correlation = 4711;
  const Trace trace = t.trace();
  EXPECT_EQ(trace.gpu_ops.size(), 1u);
  EXPECT_EQ(trace.oddities.at("outside_window_gpu_ops"), 1);
}

// --counts-only: no record of GPU work is no statement about GPU work.
TEST(CountsOnly, LeavesGpuWorkUnknown) {
  TraceBuilder t;
  t.meta = R"({"tool": "test", "gpu_records": false})";
  t.step(0, [&] { t.sync(); });
  const std::string file = t.bytes();
  const RunSummary run = analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t", 0});
  EXPECT_EQ(run.gpu_work.kernels, std::nullopt);
  EXPECT_EQ(run.gpu_work.copies, std::nullopt);
}

TEST(OwnCost, IsThatOfTheStepsMarkingThread) {
  TraceBuilder t;
  t.meta = R"({"tool": "test", "own_cost": {"launch": {"samples": 6, "ns": 600}, "copy": {"samples": 3, "ns": 9000}}})";
  t.step(0, [&] {
    t.launch(), t.launch(), t.item();
    t.on_thread(101).launch();
    t.on_thread(100);
  });
  const Trace trace = t.trace();
  const OwnCosts costs(trace.meta);
  ASSERT_TRUE(costs.known());
  EXPECT_EQ(costs.of(ApiKind::launch), 100);
  EXPECT_EQ(costs.of(ApiKind::stream_sync), 9600 / 9);  // never measured: what the others take
  const auto taken = own_cost_of_steps(trace, split_steps(trace), costs);
  EXPECT_EQ(taken.at(0), 100 + 100 + 3000 + 1066);
}

TEST(OwnCost, IsTakenFromWaitsOfTwoCalls) {
  TraceBuilder t;
  t.meta = R"({"tool": "test", "clock": "measured", "own_cost": {"copy": {"samples": 8, "ns": 24000}}})";
  t.step(0, [&] { t.launch(), t.item(), t.sync(); });
  const std::string file = t.bytes();
  const auto blocked = [&](bool corrected) {
    return analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t", 0, corrected});
  };
  EXPECT_EQ(*blocked(false).steps.at(0).counters[Counter::blocked_ns] - 3000,
            *blocked(true).steps.at(0).counters[Counter::blocked_ns]);
  EXPECT_TRUE(blocked(true).corrected);
  EXPECT_FALSE(blocked(false).corrected);
}

// So that simulated runs stay the same to the byte.
TEST(OwnCost, OfASimulatedRunIsToldOnRequest) {
  TraceBuilder t;
  t.meta = R"({"tool": "test", "clock": "modelled", "own_cost": {"copy": {"samples": 8, "ns": 24000}}})";
  t.step(0, [&] { t.item(); });
  const std::string file = t.bytes();
  const auto told = [&](bool asked) {
    return analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t", 0, false, asked});
  };
  EXPECT_TRUE(told(false).meta.own_cost.empty());
  EXPECT_EQ(told(false).steps.at(0).own_cost_ns, std::nullopt);
  EXPECT_EQ(told(true).steps.at(0).own_cost_ns, 6000);
}

TEST(OwnCost, IsUnknownWhereTheTraceDoesNotTell) {
  TraceBuilder t;
  t.step(0, [&] { t.item(); });
  const std::string file = t.bytes();
  const RunSummary run = analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t", 0, true});
  EXPECT_EQ(run.steps.at(0).own_cost_ns, std::nullopt);
  EXPECT_FALSE(run.corrected);
}

}  // namespace
}  // namespace zerostall
