// Moving average of the weights. Sources: reference-step.md A.3.11 h, row B.1 #27, section 0 ("Variants").
#include "scenarios/train/ema.h"

#include "tests/fixes/host_waits.h"
#include "tests/scenarios/tiny_training.h"

namespace zerostall::train {
namespace {

using scenarios::Ema;

TEST(WeightAverage, DecayGrowsWithTheUpdatesUpToItsLimit) {
  EXPECT_DOUBLE_EQ(ema_decay_at(0, 0.999), 0.1);
  EXPECT_DOUBLE_EQ(ema_decay_at(8, 0.999), 0.5);
  EXPECT_DOUBLE_EQ(ema_decay_at(1'000'000, 0.999), 0.999);
}

TEST(WeightAverage, FollowsTheFormula) {
  at::Tensor parameter = at::tensor({1.0f});
  WeightAverage average(Ema::cpu, {parameter}, nullptr);
  parameter.fill_(11);
  average.update(0);  // 1 * 0.1 + 11 * 0.9
  EXPECT_FLOAT_EQ(average.averages()[0].item<float>(), 10);
  parameter.fill_(21);
  average.update(8);  // half of each
  EXPECT_FLOAT_EQ(average.averages()[0].item<float>(), 15.5);
}

TEST(WeightAverage, IntervalSkipsUpdates) {
  at::Tensor parameter = at::tensor({1.0f});
  WeightAverage average(Ema::cpu, {parameter}, nullptr, {.interval = 5});
  parameter.fill_(11);
  for (std::int64_t update : {1, 2, 3, 4}) average.update(update);
  EXPECT_EQ(average.averages()[0].item<float>(), 1);
  average.update(5);
  EXPECT_NE(average.averages()[0].item<float>(), 1);
}

// Weights under training, and their average; the fix may be undone at an update.
struct Outcome {
  std::vector<at::Tensor> weights, averages;
};
Outcome train_with(bool async, std::int64_t undone_at = -1) {
  FixesOn fixes{.async_ema = async};
  TinyTraining tiny({});
  WeightAverage average(Ema::cpu, tiny.parameters(), &fixes);
  for (std::int64_t update = 0; update < 10; ++update) {
    if (update == undone_at) fixes.async_ema = false;
    tiny.train(1, update);
    average.update(update);
  }
  average.finish();
  return {.weights = tiny.parameters(), .averages = average.averages()};
}

TEST(WeightAverage, WeightsAndAveragesAreTheSameWithTheFix) {
  const Outcome blocking = train_with(false), async = train_with(true), undone = train_with(true, 5);
  expect_same(blocking.weights, async.weights);
  expect_same(blocking.averages, async.averages);
  expect_same(blocking.averages, undone.averages);
  EXPECT_FALSE(blocking.averages[1].equal(blocking.weights[1].detach()));
}

HostWaits calls_per_update(Ema where, FixesOn& fixes, bool undo = false) {
  const auto cuda = at::TensorOptions().device(at::kCUDA);
  const std::vector<at::Tensor> parameters{at::zeros({16, 8}, cuda), at::zeros({8}, cuda), at::zeros({3, 3}, cuda)};
  WeightAverage average(where, parameters, &fixes);
  const auto update = [&](std::int64_t number) {
    queue_a_step(at::kCUDA);
    average.update(number);
  };
  for (std::int64_t number : {0, 1, 2}) update(number);
  if (undo) fixes.async_ema = false;
  if (undo) update(3);  // drains what is pending
  return host_waits_of([&] { update(4); });
}

TEST(WeightAverageCuda, OnTheHostEachParameterWaitsUntilTheFixIsOn) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  FixesOn off, on{.async_ema = true}, undone{.async_ema = true};
  const HostWaits blocking = calls_per_update(Ema::cpu, off);
  EXPECT_EQ(blocking.stream_syncs, 3);
  EXPECT_EQ(blocking.all(), 3);
  const HostWaits async = calls_per_update(Ema::cpu, on);
  EXPECT_EQ(async.all(), 0);
  EXPECT_EQ(async.downloads, 3);
  EXPECT_EQ(calls_per_update(Ema::cpu, undone, true).stream_syncs, 3);
}

TEST(WeightAverageCuda, OnTheDeviceNothingWaits) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  FixesOn off;
  const HostWaits calls = calls_per_update(Ema::gpu, off);
  EXPECT_EQ(calls.all(), 0);
  EXPECT_EQ(calls.downloads + calls.uploads, 0);
}

}  // namespace
}  // namespace zerostall::train
