// Two ranks that train together, a thread each, on the CPU device. Source: reference-step.md A.3.10, F.9.
#include <gtest/gtest.h>

#include <barrier>
#include <limits>
#include <mutex>
#include <thread>

#include "scenarios/train/trainer.h"

namespace zerostall::train {
namespace {

// The mean of a tensor over two threads. A rank that leaves lets the other one go on alone.
class Pair {
 public:
  void mean(const at::Tensor& tensor, int rank) {
    {
      const std::lock_guard lock(mutex_);
      values_[rank] = tensor.clone();
    }
    arrived_.arrive_and_wait();
    const at::Tensor sum = values_[1 - rank].defined() ? values_[0] + values_[1] : values_[rank] * 2;
    arrived_.arrive_and_wait();
    tensor.copy_(sum / 2);
  }
  void leave(int rank) {
    {
      const std::lock_guard lock(mutex_);
      values_[rank] = at::Tensor();
    }
    arrived_.arrive_and_drop();
  }

 private:
  std::mutex mutex_;
  at::Tensor values_[2];
  std::barrier<> arrived_{2};
};

struct Rank {
  std::vector<double> losses;  // of each update
  std::vector<std::int64_t> logged{};
  std::int64_t nan_of = -1, updates = 0;
  at::Tensor parameter = at::ones({2}).requires_grad_();

  void train(Pair& pair, int number, LossReading reading) {
    const Job job{.load = [](std::int64_t) {},
                  .loss = [this](std::int64_t i) { return parameter.sum() * losses[static_cast<std::size_t>(i)]; },
                  .before_micro_step = {},
                  .parameters = {parameter},
                  .all_reduce_mean = [&](const at::Tensor& tensor) { pair.mean(tensor, number); }};
    const Options options{.learning_rate = 0.1, .warmup_updates = 1, .loss_reading = reading, .logs = number == 0};
    LossLog log([this](const LossLine& line) { logged.push_back(line.update); });
    Trainer trainer(job, options, log, at::kCPU);
    try {
      for (; updates < static_cast<std::int64_t>(losses.size()); ++updates) trainer.run(updates);
      trainer.finish();
    } catch (const LossIsNan& error) {
      nan_of = error.update;
    }
    pair.leave(number);
  }
};

void train_both(Rank& a, Rank& b, LossReading reading) {
  Pair pair;
  std::thread other([&] { b.train(pair, 1, reading); });
  a.train(pair, 0, reading);
  other.join();
}

TEST(Ranks, OnlyTheFirstLogsAndBothEndWithTheSameWeights) {
  Rank a{.losses = {1, 2, 3}}, b{.losses = {5, 0.5, 1}};
  train_both(a, b, LossReading::async);
  EXPECT_EQ(a.logged, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_TRUE(b.logged.empty());
  EXPECT_TRUE(a.parameter.equal(b.parameter));
}

// The loss is averaged over the ranks before anybody looks at it, so the first rank sees the other one's NaN, one
// update late, and the other one is then one collective ahead.
TEST(Ranks, ANanOnTheOtherRankIsSeenByTheFirstOneUpdateLater) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [reading, late] : {std::pair{LossReading::blocking, 0}, std::pair{LossReading::async, 1}}) {
    Rank a{.losses = {1, 1, 1, 1, 1}}, b{.losses = {1, 1, nan, 1, 1}};
    train_both(a, b, reading);
    EXPECT_EQ(a.nan_of, 2);
    EXPECT_EQ(a.updates, 2 + late);
    EXPECT_EQ(a.logged, (std::vector<std::int64_t>{0, 1}));
    EXPECT_EQ(b.nan_of, -1) << "it reads no loss";
  }
}

}  // namespace
}  // namespace zerostall::train
