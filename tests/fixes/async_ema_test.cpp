// Contract: fixes/async_ema.h. "Cuda" tests run on the simulated GPU.
#include "fixes/async_ema.h"

#include <gtest/gtest.h>

namespace zerostall::fixes {
namespace {

struct Weights {
  std::vector<at::Tensor> parameters{at::tensor({1.0f, 2.0f}), at::tensor({0.5f}).to(at::kBFloat16)};
  std::vector<at::Tensor> averages{parameters[0].clone(), parameters[1].to(at::kFloat)};

  void next(double by) {
    for (at::Tensor& parameter : parameters) parameter.add_(by);
  }
};

TEST(AsyncEma, AppliesOneUpdateLateAndIsBitIdenticalAfterDrain) {
  Weights async, blocking;
  AsyncEma ema(async.parameters, async.averages);
  for (int update = 0; update < 7; ++update) {
    const double decay = 0.1 * update;
    async.next(0.37);
    blocking.next(0.37);
    const at::Tensor before = blocking.averages[0].clone();
    for (std::size_t i = 0; i < 2; ++i) ema_step(blocking.averages[i], blocking.parameters[i], decay);
    ema.update(decay);
    EXPECT_EQ(ema.pending(), 1u);
    EXPECT_TRUE(async.averages[0].equal(before)) << update;
  }
  ema.drain();
  for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(async.averages[i].equal(blocking.averages[i]));
  EXPECT_EQ(ema.pending(), 0u);
  ema.drain();
  EXPECT_TRUE(async.averages[0].equal(blocking.averages[0])) << "applied twice";
}

TEST(AsyncEma, ValuesAreThoseOfTheUpdateNotOfALaterWrite) {
  Weights run;
  AsyncEma ema(run.parameters, run.averages);
  run.next(1);
  ema.update(0);  // the average becomes the parameter
  run.next(100);
  ema.drain();
  EXPECT_TRUE(run.averages[0].equal(at::tensor({2.0f, 3.0f})));
}

TEST(AsyncEma, RejectsAveragesThatDoNotFit) {
  Weights run;
  EXPECT_THROW(AsyncEma(run.parameters, {run.averages[0]}), c10::Error);
  EXPECT_THROW(AsyncEma(run.parameters, {run.averages[0], run.parameters[1]}), c10::Error);
}

TEST(AsyncEmaCuda, WaitsOnlyWhenBothSetsAreStillFull) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  const std::vector<at::Tensor> parameters{at::zeros({64}, at::kCUDA)};
  AsyncEma ema(parameters, {at::zeros({64})});
  at::Tensor work = at::zeros({1 << 24}, at::kCUDA);
  const auto update = [&](int launches) {
    for (int launch = 0; launch < launches; ++launch) work.add_(1);
    ema.update(0.5);
  };
  for (int i = 0; i < 5; ++i) update(3000);  // more than the queue holds: the copies before are done
  EXPECT_EQ(ema.event_waits(), 0);
  ema.drain();
  const std::int64_t before = ema.event_waits();
  for (int i = 0; i < 3; ++i) update(100);  // fits the queue: nothing is done yet
  EXPECT_EQ(ema.event_waits(), before + 1);
  EXPECT_EQ(ema.pending(), 2u);
}

}  // namespace
}  // namespace zerostall::fixes
