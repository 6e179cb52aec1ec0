// Ranges of several names that all look like steps.
#include "profiler/analyze/step_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/analyze/infer_steps.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TraceBuilder;

TEST(StepNames, AStepIsTrustedMoreThanTheBatchThatIsLoadedBeforeIt) {
  TraceBuilder t;
  for (int n = 0; n < 5; ++n) {
    t.range(
        "load batch " + std::to_string(n), [&] { t.upload(4096), t.upload(4096), t.upload(4096); }, "");
    t.range(
        "train_step", [&] { t.launch(); }, "");
  }
  const Trace trace = t.trace();
  const Steps steps = split_steps(trace);
  EXPECT_EQ(steps.steps.size(), 5u);
  EXPECT_EQ(steps.overlapping, 0);
  EXPECT_EQ(steps.steps[0].begin_ns, trace.ranges[1].begin_ns);
  EXPECT_THAT(steps.other_names, ElementsAre("load batch #"));
}

// It has a mark of its own for steps: a batch that a program tells it of may be anything.
TEST(StepNames, OfPyTorchsProfilerABatchIsNoStep) {
  for (const auto& [name, steps] : {std::pair("process batch ", 0u), std::pair("train step ", 4u)}) {
    TraceBuilder t;
    for (int n = 0; n < 4; ++n)
      t.range(
          name + std::to_string(n), [&] { t.launch(); }, "");
    Trace trace = t.trace();
    EXPECT_EQ(split_steps(trace).steps.size(), 4u);
    trace.meta.format = "kineto";
    EXPECT_EQ(split_steps(trace).steps.size(), steps) << name;
    EXPECT_EQ(split_steps(trace).other_names.empty(), steps > 0) << name;
    EXPECT_EQ(split_steps(trace, {"batch|step", true}).steps.size(), 4u) << name;
  }
}

TEST(StepNames, WhatIsInsideAnotherIsNoStep) {
  TraceBuilder t;
  for (int n = 0; n < 4; ++n)
    t.range(
        "batch " + std::to_string(n),
        [&] {
          t.range(
              "micro step 0", [&] { t.launch(); }, "");
          t.range(
              "micro step 1", [&] { t.launch(); }, "");
        },
        "");
  const Trace trace = t.trace();
  const Steps steps = split_steps(trace);
  EXPECT_EQ(steps.steps.size(), 4u);
  EXPECT_EQ(steps.overlapping, 0) << "they are no steps that were dropped";
  EXPECT_THAT(steps.other_names, ElementsAre("micro step #"));
}

TEST(StepNames, TheProfilersOwnStepsAreTrustedMost) {
  TraceBuilder t;
  for (int n = 0; n < 4; ++n)
    t.range(
        "train step " + std::to_string(n),
        [&] {
          t.range(
              "ProfilerStep#" + std::to_string(n), [&] { t.launch(); }, ""),
              t.launch();
        },
        "");
  const Trace trace = t.trace();
  const Steps steps = split_steps(trace);
  ASSERT_EQ(steps.steps.size(), 4u);
  EXPECT_EQ(steps.steps[0].begin_ns, trace.ranges[1].begin_ns);
}

TEST(StepNames, NumbersMakeNoOtherName) {
  TraceBuilder t;
  for (int n = 8; n < 12; ++n)
    t.range(
        "epoch 1 step " + std::to_string(n), [&] { t.launch(); }, "");
  const Trace trace = t.trace();
  EXPECT_EQ(split_steps(trace).steps.size(), 4u);
  EXPECT_THAT(split_steps(trace).other_names, IsEmpty());
}

TEST(StepNames, APatternThatWasGivenTakesAllThatMatch) {
  TraceBuilder t;
  for (int n = 0; n < 3; ++n) {
    t.range(
        "load", [&] { t.launch(); }, "");
    t.range(
        "train", [&] { t.launch(); }, "");
  }
  const Trace trace = t.trace();
  EXPECT_EQ(split_steps(trace, {"^(load|train)$", true}).steps.size(), 6u);
  EXPECT_EQ(split_steps(trace, {"^(load|train)$", true}).other_names.size(), 0u);
}

TEST(StepNames, APatternThatWasGivenAndMatchesNothingInfersNothing) {
  TraceBuilder t;
  for (int n = 0; n < 6; ++n) t.launch(), t.item(), t.launch(7, "multi_tensor_apply_kernel");
  const Trace trace = t.trace();
  EXPECT_EQ(find_steps(trace).steps.from, StepsFrom::anchor);
  EXPECT_EQ(find_steps(trace, {"^epoch", true}).steps.from, StepsFrom::none);
  EXPECT_TRUE(find_steps(trace, {"^epoch", true}).steps.steps.empty());
}

}  // namespace
}  // namespace zerostall
