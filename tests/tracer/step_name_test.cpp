// The names the tracer takes for steps are those that the analysis takes for steps by default.
#include "profiler/tracer/step_name.h"

#include <gtest/gtest.h>

#include <regex>

#include "profiler/analyze/steps.h"
#include "profiler/tracer/window_spec.h"

namespace zerostall::tracer {
namespace {

constexpr const char* kTexts[] = {"step 7",
                                  "Step 7",
                                  "step_7",
                                  "step#7",
                                  "step:7",
                                  "step7",
                                  "iteration 12",
                                  "iter12",
                                  "batch 3",
                                  "epoch 1/iter_7",
                                  "train step",
                                  "Training_Batch",
                                  "step",
                                  "batch",
                                  "ProfilerStep#5",
                                  "ProfilerStep#5 rest",
                                  "ProfilerStep#",
                                  "forward",
                                  "stepper 7",
                                  "footstep 7",
                                  "my-step 7",
                                  "my step 7",
                                  "optimizer.step",
                                  "step 7 end",
                                  "7",
                                  "",
                                  "iter",
                                  "train_iter 9",
                                  "training step 9",
                                  "a/b:step-7",
                                  "step  # : 7",
                                  "batchnorm 1",
                                  "lr_step_7",
                                  "Stepper",
                                  "train",
                                  "profilerstep#12",
                                  "iteration",
                                  "step -1",
                                  "step 7.5"};

TEST(StepName, AgreesWithTheDefaultPattern) {
  const std::regex pattern(StepOptions{}.pattern, std::regex::ECMAScript | std::regex::icase);
  for (const std::string text : kTexts)
    EXPECT_EQ(step_name(text).has_value(), !text.empty() && std::regex_search(text, pattern)) << "'" << text << "'";
}

TEST(StepName, GivesTheNumber) {
  EXPECT_EQ(step_name("step 17").value().number, 17);
  EXPECT_EQ(step_name("ProfilerStep#5").value().number, 5);
  EXPECT_EQ(step_name("epoch 1/iter_7").value().number, 7);
  EXPECT_EQ(step_name("train step").value().number, std::nullopt);
  EXPECT_EQ(step_name("step 99999999999999999999").value().number, std::nullopt);
}

TEST(ParseWindow, ReadsWhatRecordWrites) {
  Window window;
  EXPECT_TRUE(parse_window("", &window));
  EXPECT_EQ(window.kind, Window::Kind::always);
  EXPECT_TRUE(parse_window("steps:10:50", &window));
  EXPECT_EQ(window.kind, Window::Kind::steps);
  EXPECT_EQ(window.first, 10);
  EXPECT_EQ(window.end, 50);
  EXPECT_TRUE(parse_window("seconds:0:5", &window));
  EXPECT_TRUE(parse_window("profiler", &window));
  EXPECT_TRUE(parse_window("signal:12", &window));
  EXPECT_EQ(window.signal, 12);
  for (const char* bad : {"steps", "steps:", "steps:5:5", "steps:9:3", "steps:-1:3", "steps:1:2:3", "seconds:a:b",
                          "signal:0", "signal:9", "signal:11", "signal:99", "signal:x", "profiler2", "steps:1"})
    EXPECT_FALSE(parse_window(bad, &window)) << bad;
}

}  // namespace
}  // namespace zerostall::tracer
