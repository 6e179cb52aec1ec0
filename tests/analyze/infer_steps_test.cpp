#include "profiler/analyze/infer_steps.h"

#include <gtest/gtest.h>

#include "profiler/analyze/measure.h"
#include "tests/analyze/training_program.h"

namespace zerostall {
namespace {

using zerostall::testing::TrainingProgram;

std::vector<std::int64_t> waits_of(const Trace& trace, const Steps& steps) {
  std::vector<std::int64_t> list;
  const Measured measured = measure_steps(trace, steps, find_waits(trace));
  for (const StepStats& step : measured.steps) list.push_back(step.counters[Counter::waits].value_or(-1));
  return list;
}

// Waits per inferred step; empty: no steps.
std::vector<std::int64_t> waits_of(TrainingProgram& p) {
  const Trace trace = p.t.trace();
  return waits_of(trace, infer_steps(trace).steps);
}

InferredSteps infer(TrainingProgram& p) { return infer_steps(p.t.trace()); }

std::vector<std::int64_t> times(std::size_t count, std::int64_t value) {
  return std::vector<std::int64_t>(count, value);
}

TEST(InferSteps, FindsALoopByItsOptimizer) {
  TrainingProgram p;
  for (int n = 0; n < 6; ++n) p.step();
  const InferredSteps found = infer(p);
  EXPECT_EQ(found.steps.from, StepsFrom::anchor);
  EXPECT_EQ(found.confidence, Confidence::high);
  EXPECT_EQ(found.how, "each with multi_tensor_apply_kernel; 6 of 6 are the same 22 launches");
  EXPECT_EQ(waits_of(p), times(6, 1));  // the batch
}

TEST(InferSteps, FindsTheStepsThatMarksShow) {
  TrainingProgram p;
  p.initialise();
  for (int n = 0; n < 5; ++n)
    p.t.step(n, [&] {
      p.step();
      p.t.item();
    });
  const Trace trace = p.t.trace();
  EXPECT_EQ(waits_of(trace, infer_steps(trace).steps), waits_of(trace, split_steps(trace)));
}

TEST(InferSteps, TakesNoMicroStepForAStep) {
  TrainingProgram p;
  for (int n = 0; n < 5; ++n) {
    for (int micro = 0; micro < 4; ++micro) p.micro_step();
    p.update();
  }
  EXPECT_EQ(waits_of(p), times(5, 4));
}

TEST(InferSteps, TakesNoMicroStepForAStepOfAnUnknownOptimizer) {
  TrainingProgram p;
  for (int n = 0; n < 5; ++n) {
    for (int micro = 0; micro < 4; ++micro) p.micro_step();
    p.unknown_update();
  }
  EXPECT_EQ(infer(p).steps.from, StepsFrom::none);  // as well ten steps and a line of a log
}

TEST(InferSteps, IsNotLedAstrayByRareReads) {
  TrainingProgram p;
  for (int n = 0; n < 120; ++n) {
    p.step();
    if (n % 50 == 49) p.t.item();
  }
  auto expected = times(120, 1);
  expected[49] = expected[99] = 2;
  EXPECT_EQ(waits_of(p), expected);
}

TEST(InferSteps, CountsStepsAndNotLinesOfALog) {
  TrainingProgram p;
  for (int n = 0; n < 40; ++n) {
    p.step();
    if (n % 12 == 11) p.t.launch(7, "mean_of_losses");
  }
  EXPECT_EQ(waits_of(p), times(40, 1));
}

TEST(InferSteps, FollowsChangingShapes) {
  TrainingProgram p;
  for (int n = 0; n < 8; ++n) {
    p.tile = std::to_string(32 * (n + 1)) + "x64";
    p.step();
  }
  const InferredSteps found = infer(p);
  EXPECT_EQ(found.confidence, Confidence::medium);
  EXPECT_EQ(found.how, "each with multi_tensor_apply_kernel, and nearly the same kinds of kernels; shapes change");
  EXPECT_EQ(waits_of(p), times(8, 1));
}

TEST(InferSteps, TakesInAWarmUpWithMoreLaunches) {
  TrainingProgram p;
  p.initialise();
  p.micro_step();
  for (int i = 0; i < 6; ++i) p.t.launch(7, "zeros_for_state");
  p.update();
  for (int n = 1; n < 7; ++n) p.step();
  EXPECT_EQ(waits_of(p), times(7, 1));
}

TEST(InferSteps, TakesInAutotuning) {
  TrainingProgram p;
  p.batch();
  p.t.launch(7, "embedding");
  for (int i = 0; i < 50; ++i) p.t.launch(7, "try_" + std::to_string(i));
  p.forward();
  p.backward();
  p.update();
  for (int n = 1; n < 8; ++n) p.step();
  auto found = waits_of(p);
  ASSERT_EQ(found.size(), 8u);
  found.erase(found.begin());  // its batch came before the trials, which look like no step
  EXPECT_EQ(found, times(7, 1));
}

TEST(InferSteps, LeavesEvaluationOut) {
  TrainingProgram p;
  for (int n = 0; n < 12; ++n) {
    if (n % 4 == 3) p.evaluate();
    p.step();
  }
  EXPECT_EQ(waits_of(p), times(12, 1));
}

TEST(InferSteps, KnowsLaunchesBehindTheOptimizer) {
  TrainingProgram p;
  p.initialise();
  for (int n = 0; n < 6; ++n) {
    p.step();
    p.t.launch(7, "clear_gradients");
    p.t.item();
  }
  EXPECT_EQ(waits_of(p), times(6, 2));
}

TEST(InferSteps, CountsBothOptimizersOfAGanOnce) {
  TrainingProgram p;
  for (int n = 0; n < 6; ++n) {
    p.step();
    p.t.launch(7, "discriminator");
    p.t.launch(7, "discriminator_backward");
    p.t.item();
    p.update();
  }
  EXPECT_EQ(waits_of(p), times(6, 2));
}

TEST(InferSteps, LooksAtTheThreadThatRunsTheLoop) {
  TrainingProgram p;
  for (int n = 0; n < 6; ++n) {
    p.batch();
    p.forward();
    p.t.on_thread(200);
    for (int i = 0; i < 2; ++i) p.backward();
    p.t.item();
    p.t.on_thread(100);
    p.update();
  }
  const Trace trace = p.t.trace();
  const InferredSteps found = infer_steps(trace);
  EXPECT_EQ(trace.threads[found.steps.steps.at(0).thread].id, 100u);
  EXPECT_EQ(waits_of(trace, found.steps), times(6, 2));
}

TEST(InferSteps, FindsLaunchesOfOneGraph) {
  TrainingProgram p;
  for (int n = 0; n < 6; ++n) {
    p.batch();
    p.t.launch_graph(0x5000);
    p.t.item();
  }
  EXPECT_EQ(infer(p).steps.from, StepsFrom::anchor);
  EXPECT_EQ(waits_of(p), times(6, 2));
}

TEST(InferSteps, TakesNoGraphOfAMicroStepForAStep) {
  TrainingProgram p;
  for (int n = 0; n < 15; ++n) {
    p.batch();
    p.t.launch_graph(0x5000);
    if (n % 3 == 2) p.t.launch_graph(0x6000);
  }
  EXPECT_EQ(infer(p).steps.from, StepsFrom::none);
}

TEST(InferSteps, FindsARepetitionWithoutAnOptimizer) {
  TrainingProgram p;
  for (int n = 0; n < 5; ++n) {
    p.micro_step();
    p.unknown_update();
  }
  const InferredSteps found = infer(p);
  EXPECT_EQ(found.steps.from, StepsFrom::period);
  EXPECT_EQ(found.confidence, Confidence::medium);
  EXPECT_EQ(waits_of(p), times(5, 1));
}

TEST(InferSteps, TakesNoLayerForAStep) {
  TrainingProgram p;
  p.layers = 48;
  p.step();
  EXPECT_EQ(infer(p).steps.from, StepsFrom::none);
  TrainingProgram forward;
  forward.layers = 48;
  forward.forward();
  EXPECT_EQ(infer(forward).steps.from, StepsFrom::none);
}

TEST(InferSteps, TakesNoLayerForAStepThatUploadsSomething) {
  TrainingProgram p;
  for (int layer = 0; layer < 15; ++layer) p.micro_step();
  p.t.launch(7, "embedding");  // recorded until within the next one
  EXPECT_EQ(infer(p).steps.from, StepsFrom::none);
}

TEST(InferSteps, WantsABatchInEachRepetitionWithoutAnOptimizer) {
  TrainingProgram p;
  for (int n = 0; n < 5; ++n) {
    p.forward();
    p.backward();
    p.unknown_update();
  }
  EXPECT_EQ(infer(p).steps.from, StepsFrom::none);
}

TEST(InferSteps, FindsNothingWhereNothingRepeats) {
  TrainingProgram p;
  for (int i = 0; i < 100; ++i) p.t.launch(7, "kernel_" + std::string(1 + i % 7, 'a') + std::string(i / 7, 'b'));
  EXPECT_EQ(infer(p).steps.from, StepsFrom::none);
  TrainingProgram empty;
  EXPECT_EQ(infer(empty).steps.from, StepsFrom::none);
  TrainingProgram one_kernel;
  for (int i = 0; i < 100; ++i) one_kernel.t.launch();
  EXPECT_EQ(infer(one_kernel).steps.from, StepsFrom::none);
}

TEST(InferSteps, FindsNothingInTwoRepetitions) {
  TrainingProgram p;
  for (int n = 0; n < 2; ++n) p.step();
  EXPECT_EQ(infer(p).steps.from, StepsFrom::none);
  TrainingProgram unknown;
  for (int n = 0; n < 2; ++n) unknown.micro_step();
  EXPECT_EQ(infer(unknown).steps.from, StepsFrom::none);
}

TEST(InferSteps, FindsNothingWhereEachTurnDiffers) {
  TrainingProgram p;
  for (int n = 0; n < 8; ++n) {
    for (int i = 0; i < 20; ++i) p.t.launch(7, std::string(1 + (i * (n + 3) + n * n) % 17, 'k'));
    p.update();
  }
  EXPECT_EQ(infer(p).steps.from, StepsFrom::none);
}

TEST(InferSteps, FindsNothingWhereOnlyTheOptimizerRecurs) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    TrainingProgram p;
    unsigned x = seed;
    for (int i = 0; i < 500; ++i) {
      x = x * 1664525 + 1013904223;
      (x >> 16) % 10 < 3 ? p.update() : (void)p.t.launch(7, "kernel_" + std::string(1 + (x >> 20) % 9, 'x'));
    }
    EXPECT_EQ(infer(p).how, "") << seed;
  }
}

TEST(InferSteps, FindsNothingWhereTimesCannotDivideSteps) {
  TrainingProgram p;
  p.t.cost_ns = 0;
  for (int n = 0; n < 6; ++n) {
    p.forward();
    p.update();
  }
  EXPECT_EQ(infer(p).steps.from, StepsFrom::none);
}

TEST(InferSteps, StandsEqualTimesWithinAStep) {
  TrainingProgram p;
  for (int n = 0; n < 6; ++n) {
    p.t.cost_ns = 0;
    p.step();
    p.t.cost_ns = 100;
    p.t.sync("cudaDeviceSynchronize_v3020");
  }
  EXPECT_EQ(waits_of(p), times(6, 2));
}

TEST(InferSteps, ShiftedClocksChangeNothing) {
  const auto at = [](std::int64_t start) {
    TrainingProgram p;
    p.t.now_ns = start;
    for (int n = 0; n < 6; ++n) p.step();
    std::vector<Nanos> begins;
    for (const Step& step : infer(p).steps.steps) begins.push_back(step.begin_ns - start);
    return begins;
  };
  EXPECT_EQ(at(1'000'000'000).size(), 6u);
  EXPECT_EQ(at(1'000'000'000), at(1'700'000'000'000'000'000));
}

TEST(InferSteps, PausesOfTheRecordingAreInNoStep) {
  TrainingProgram p;
  for (int window = 0; window < 2; ++window) {
    p.t.note(format::NoteKind::window_open, "");
    for (int n = 0; n < 4; ++n) p.step();
    p.micro_step();  // the rest was not recorded
    p.t.note(format::NoteKind::window_close, "");
    p.t.now_ns += 1'000'000;
  }
  EXPECT_EQ(waits_of(p), times(8, 1));
}

TEST(FindSteps, InfersOnlyWhereNothingIsMarked) {
  TrainingProgram p;
  for (int n = 0; n < 6; ++n) p.t.step(n / 2 * 2, [&] { p.step(); });
  EXPECT_EQ(find_steps(p.t.trace()).steps.from, StepsFrom::marks);
  EXPECT_TRUE(find_steps(p.t.trace()).how.empty());
  TrainingProgram open;
  open.t.mark(format::MarkKind::push, "step 1", "zerostall");
  for (int n = 0; n < 6; ++n) open.step();
  EXPECT_EQ(find_steps(open.t.trace()).steps.from, StepsFrom::marks);  // of a step that never ends
  EXPECT_TRUE(find_steps(open.t.trace()).steps.steps.empty());
}

}  // namespace
}  // namespace zerostall
