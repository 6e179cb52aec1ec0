// Contract: shared/design/reference-step.md section F. "Cuda" tests run on the simulated GPU.
#include "fixes/async_loss.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/function.h>

#include <cmath>
#include <limits>
#include <memory>

namespace zerostall::fixes {
namespace {

using Variant = AsyncTensorExchange::Variant;

at::Tensor scalar(double value, at::Device device = at::kCPU) {
  return at::full({}, value, at::TensorOptions().dtype(at::kFloat).device(device));
}

TEST(AsyncTensorExchange, FirstTakeHasNothing) {
  AsyncTensorExchange exchange(at::kCPU, at::kFloat);
  EXPECT_FALSE(exchange.take());
}

TEST(AsyncTensorExchange, DeliversThePreviousUpdateUnderItsOwnTag) {
  for (const Variant variant : {Variant::query_first, Variant::upstream}) {
    AsyncTensorExchange exchange(at::kCPU, at::kFloat, {}, variant);
    for (int update = 0; update < 5; ++update) {
      const auto previous = exchange.take();
      ASSERT_EQ(previous.has_value(), update > 0);
      if (previous) {
        EXPECT_EQ(previous->value.item<float>(), 10.0f * static_cast<float>(update - 1));
        EXPECT_EQ(previous->tag.update, update - 1);
        EXPECT_EQ(previous->tag.learning_rate, 0.5 * (update - 1));
      }
      exchange.submit(scalar(10.0 * update), {.update = update, .learning_rate = 0.5 * update});
    }
  }
}

TEST(AsyncTensorExchange, DrainDeliversTheLastOneOnce) {
  AsyncTensorExchange exchange(at::kCPU, at::kFloat);
  exchange.submit(scalar(7), {.update = 3});
  const auto last = exchange.drain();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->value.item<float>(), 7);
  EXPECT_EQ(last->tag.update, 3);
  EXPECT_FALSE(exchange.drain());
}

TEST(AsyncTensorExchange, ValueIsThatOfTheSubmissionNotOfALaterWrite) {
  AsyncTensorExchange exchange(at::kCPU, at::kFloat);
  at::Tensor loss = scalar(1);
  exchange.submit(loss, {.update = 0});
  loss.add_(41);
  const auto first = exchange.take();
  exchange.submit(loss, {.update = 1});
  exchange.take();
  exchange.submit(loss, {.update = 2});  // uses the first slot again
  EXPECT_EQ(first->value.item<float>(), 1);
}

TEST(AsyncTensorExchange, CarriesNanUnchanged) {
  AsyncTensorExchange exchange(at::kCPU, at::kFloat);
  exchange.submit(scalar(std::numeric_limits<double>::quiet_NaN()), {.update = 0});
  EXPECT_TRUE(std::isnan(exchange.take()->value.item<float>()));
}

TEST(AsyncTensorExchange, TwoSlotsHoldTwoAndDeliverThemInOrder) {
  AsyncTensorExchange exchange(at::kCPU, at::kFloat);
  exchange.submit(scalar(1), {.update = 1});
  exchange.submit(scalar(2), {.update = 2});
  EXPECT_EQ(exchange.pending(), 2u);
  EXPECT_THROW(exchange.submit(scalar(3), {.update = 3}), c10::Error);
  EXPECT_EQ(exchange.take()->value.item<float>(), 1);
  EXPECT_EQ(exchange.take()->value.item<float>(), 2);
}

TEST(AsyncTensorExchange, UpstreamsSingleSlotMustBeTakenBeforeTheNextSubmit) {
  AsyncTensorExchange exchange(at::kCPU, at::kFloat, {}, Variant::upstream);
  exchange.submit(scalar(1), {.update = 1});
  EXPECT_THROW(exchange.submit(scalar(2), {.update = 2}), c10::Error);
}

TEST(AsyncTensorExchange, RejectsAnotherDtypeOrShape) {
  AsyncTensorExchange exchange(at::kCPU, at::kFloat, {2});
  EXPECT_THROW(exchange.submit(at::zeros({2}, at::kDouble), {}), c10::Error);
  EXPECT_THROW(exchange.submit(scalar(1), {}), c10::Error);
  exchange.submit(at::tensor({1.0f, 2.0f}), {});
  EXPECT_TRUE(exchange.take()->value.equal(at::tensor({1.0f, 2.0f})));
}

TEST(AsyncTensorExchange, KeepsNoGraphOfTheLoss) {
  AsyncTensorExchange exchange(at::kCPU, at::kFloat);
  at::Tensor loss = scalar(1).requires_grad_() * 2;
  const std::weak_ptr<torch::autograd::Node> graph = loss.grad_fn();
  exchange.submit(loss, {});
  loss.reset();
  EXPECT_TRUE(graph.expired()) << "the slot keeps the whole step's graph alive";
  EXPECT_FALSE(exchange.take()->value.requires_grad());
}

// More launches than the launch queue holds: when the last of them is queued, whatever was queued before them is done.
void queue_a_step(at::Tensor& work) {
  for (int launch = 0; launch < 3000; ++launch) work.add_(1);
}

std::int64_t event_waits(Variant variant, int updates) {
  AsyncTensorExchange exchange(at::kCUDA, at::kFloat, {}, variant);
  const at::Tensor loss = scalar(1, at::kCUDA);
  at::Tensor work = at::zeros({1024}, at::kCUDA);
  for (int update = 0; update < updates; ++update) {
    queue_a_step(work);
    EXPECT_EQ(exchange.take().has_value(), update > 0);
    exchange.submit(loss, {.update = update});
  }
  return exchange.event_waits();
}

TEST(AsyncTensorExchangeCuda, QueriesFirstAndDoesNotWaitOnceTheQueueHasMovedOn) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  EXPECT_EQ(event_waits(Variant::query_first, 6), 0);
}

TEST(AsyncTensorExchangeCuda, UpstreamWaitsForItsEventOnEveryUpdateButTheFirst) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  EXPECT_EQ(event_waits(Variant::upstream, 6), 5);
}

TEST(AsyncTensorExchangeCuda, WaitsForTheCopyWhenItIsNotDone) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  AsyncTensorExchange exchange(at::kCUDA, at::kFloat);
  at::Tensor work = at::zeros({1 << 24}, at::kCUDA);
  for (int launch = 0; launch < 500; ++launch) work.add_(1);  // fits the queue: still running
  const at::Tensor loss = scalar(1, at::kCUDA);
  c10::Event before_the_copy(at::kCUDA);
  before_the_copy.record(c10::impl::VirtualGuardImpl(at::kCUDA).getStream(loss.device()));
  exchange.submit(loss, {.update = 0});
  EXPECT_FALSE(before_the_copy.query());
  EXPECT_TRUE(exchange.drain());
  EXPECT_TRUE(before_the_copy.query()) << "read before the copy was done";
  EXPECT_EQ(exchange.event_waits(), 1);
}

}  // namespace
}  // namespace zerostall::fixes
