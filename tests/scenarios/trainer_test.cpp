// When is which loss logged? Sources: reference-step.md A.3.10, A.3.11, F.4 to F.8.
#include "scenarios/train/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace zerostall::train {
namespace {

struct Logged {
  std::int64_t update;
  double loss;
  int loads;  // batches loaded when the line was written
};

// A job whose loss is that of a table, one entry per micro-step, plus 0 * parameter (so that there is a graph).
struct Table {
  std::vector<double> losses;
  at::Tensor parameter = at::ones({1}).requires_grad_();
  int loads = 0;
  std::vector<Logged> logged{};

  std::int64_t train(Options options) {
    const Job job{
        .load = [this](std::int64_t) { ++loads; },
        .loss = [this](std::int64_t i) { return (parameter * 0 + losses[static_cast<std::size_t>(i)]).sum(); },
        .before_micro_step = {},
        .parameters = {parameter},
        .all_reduce_mean = {}};
    options.updates = static_cast<std::int64_t>(losses.size()) / options.accumulation;
    LossLog log([this](const LossLine& line) { logged.push_back({line.update, line.loss, loads}); });
    return train::train(job, options, log, at::kCPU);
  }
};

void expect_logged(const Table& table, std::vector<Logged> expected) {
  ASSERT_EQ(table.logged.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(table.logged[i].update, expected[i].update) << i;
    EXPECT_DOUBLE_EQ(table.logged[i].loss, expected[i].loss) << i;
    EXPECT_EQ(table.logged[i].loads, expected[i].loads) << i;
  }
}

TEST(Trainer, BlockingReadLogsInTheSameUpdate) {
  Table table{.losses = {1, 2, 4}};
  table.train({.loss_reading = LossReading::blocking});
  expect_logged(table, {{0, 1, 1}, {1, 2, 2}, {2, 4, 3}});
}

TEST(Trainer, AsyncReadLogsOneUpdateLateUnderItsOwnNumberAndDrains) {
  Table table{.losses = {1, 2, 4}};
  table.train({.loss_reading = LossReading::async});
  expect_logged(table, {{0, 1, 2}, {1, 2, 3}, {2, 4, 3}});
}

TEST(Trainer, UpstreamsVariantDropsTheLastValue) {
  Table table{.losses = {1, 2, 4}};
  table.train({.loss_reading = LossReading::async_upstream});
  expect_logged(table, {{0, 1, 2}, {1, 2, 3}});
}

TEST(Trainer, AccumulationLogsTheMeanOncePerUpdate) {
  Table blocking{.losses = {1, 3, 10, 20}}, async{.losses = {1, 3, 10, 20}};
  blocking.train({.accumulation = 2, .loss_reading = LossReading::blocking});
  expect_logged(blocking, {{0, 2, 2}, {1, 15, 4}});
  async.train({.accumulation = 2, .loss_reading = LossReading::async});
  expect_logged(async, {{0, 2, 4}, {1, 15, 4}});
}

TEST(Trainer, BlockingFromUndoesTheFixInMidRunWithoutLosingAValue) {
  Table table{.losses = {1, 2, 4, 8}};
  table.train({.loss_reading = LossReading::async, .blocking_from = 2});
  expect_logged(table, {{0, 1, 2}, {1, 2, 3}, {2, 4, 3}, {3, 8, 4}});
}

int loads_when_nan_is_seen(LossReading reading, std::vector<double> losses, std::int64_t accumulation = 1) {
  Table table{.losses = std::move(losses)};
  try {
    table.train({.accumulation = accumulation, .loss_reading = reading});
  } catch (const LossIsNan& error) {
    EXPECT_EQ(error.update, 2);
    EXPECT_NE(std::string(error.what()).find("update 2 "), std::string::npos);
    EXPECT_EQ(table.logged.size(), 2u) << "the NaN itself is not logged";
    return table.loads;
  }
  return -1;
}

TEST(Trainer, NanIsDetectedExactlyOneUpdateLaterWithTheFix) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(loads_when_nan_is_seen(LossReading::blocking, {1, 1, nan, 1, 1, 1}), 3);
  EXPECT_EQ(loads_when_nan_is_seen(LossReading::async, {1, 1, nan, 1, 1, 1}), 4);
  EXPECT_EQ(loads_when_nan_is_seen(LossReading::async_upstream, {1, 1, nan, 1, 1, 1}), 4);
  // One update is `accumulation` micro-steps; the NaN is in the second micro-step of update 2.
  EXPECT_EQ(loads_when_nan_is_seen(LossReading::blocking, {1, 1, 1, 1, 1, nan, 1, 1}, 2), 6);
  EXPECT_EQ(loads_when_nan_is_seen(LossReading::async, {1, 1, 1, 1, 1, nan, 1, 1}, 2), 8);
}

TEST(Trainer, NanInTheLastUpdateIsFoundByTheDrain) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(loads_when_nan_is_seen(LossReading::async, {1, 1, nan}), 3);
  EXPECT_EQ(loads_when_nan_is_seen(LossReading::async_upstream, {1, 1, nan}), -1) << "upstream never reads it";
}

// One parameter, starting at 1, whose gradient in micro-step i is slopes[i]; learning rate 0.1 without warm-up.
double trained(const std::vector<double>& slopes) {
  const at::Tensor parameter = at::ones({1}).requires_grad_();
  const Job job{.load = [](std::int64_t) {},
                .loss = [&](std::int64_t i) { return (parameter * slopes[static_cast<std::size_t>(i)]).sum(); },
                .before_micro_step = {},
                .parameters = {parameter},
                .all_reduce_mean = {}};
  LossLog log([](const LossLine&) {});
  train(job, {.updates = static_cast<std::int64_t>(slopes.size()), .learning_rate = 0.1, .warmup_updates = 1}, log,
        at::kCPU);
  EXPECT_FALSE(parameter.grad().defined());
  return parameter.item<float>();
}

TEST(Trainer, EachUpdateStartsWithoutGradients) {
  // Under a constant gradient AdamW moves by the learning rate: p = p * 0.999 - 0.1, three times. Summed gradients
  // would grow.
  EXPECT_NEAR(trained({0.1, 0.1, 0.1}), 0.6973029, 1e-5);
}

TEST(Trainer, GradientsAreClippedBeforeTheOptimizer) {
  // As if the gradients were 0.5 and 1: m = 0.05 * 0.9 + 0.1, / 0.19 = 0.7631579; root of 0.6251876 = 0.7906881;
  // 0.899 * 0.999 - 0.1 * 0.7631579 / 0.7906881
  EXPECT_NEAR(trained({0.5, 100}), 0.8015828, 1e-5);
}

TEST(LossLog, SmoothsWithBiasCorrection) {
  std::vector<double> smooth;
  LossLog log([&](const LossLine& line) { smooth.push_back(line.smooth_loss); });
  for (const double loss : {4.0, 2.0, 9.0}) log.add({.update = 0, .loss = loss, .learning_rate = 0});
  ASSERT_EQ(smooth.size(), 3u);
  EXPECT_DOUBLE_EQ(smooth[0], 4);    // the first is taken as it is
  EXPECT_DOUBLE_EQ(smooth[1], 3);    // decay 1/2
  EXPECT_NEAR(smooth[2], 5, 1e-12);  // decay 2/3
  for (int i = 3; i < 1000; ++i) log.add({.update = 0, .loss = 5, .learning_rate = 0});
  log.add({.update = 0, .loss = 105, .learning_rate = 0});
  EXPECT_NEAR(smooth.back(), 6, 0.01);  // decay is capped at 0.99, where 1 - 1/n would be 0.999
}

}  // namespace
}  // namespace zerostall::train
