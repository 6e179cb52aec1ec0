// "Cuda" tests run on the simulated GPU, where copies move real bytes.
#include "fixes/pinned_batch.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <gtest/gtest.h>

#include "tests/fixes/host_waits.h"

namespace zerostall::fixes {
namespace {

const std::vector<PinnedBatch::Field> kFields{{{2, 3}, at::kFloat}, {{2}, at::kLong}};

void send(PinnedBatch& batches, int number) {
  const std::vector<at::Tensor>& host = batches.stage();
  host[0].fill_(number + 0.5);
  host[1].fill_(number);
  batches.upload();
}

void expect_batch(const std::vector<at::Tensor>& batch, int number) {
  ASSERT_EQ(batch.size(), 2u);
  EXPECT_TRUE(batch[0].cpu().equal(at::full({2, 3}, number + 0.5, at::kFloat))) << number;
  EXPECT_TRUE(batch[1].cpu().equal(at::full({2}, number, at::kLong))) << number;
}

void expect_order_and_own_memory(at::Device device) {
  PinnedBatch batches(device, kFields);
  std::vector<std::vector<at::Tensor>> kept;
  send(batches, 0);
  for (int step = 0; step < 6; ++step) {
    kept.push_back(batches.take());
    EXPECT_EQ(kept.back()[0].device().type(), device.type());
    send(batches, step + 1);
  }
  for (int step = 0; step < 6; ++step) expect_batch(kept[static_cast<std::size_t>(step)], step);
}

TEST(PinnedBatch, DeliversInOrderInItsOwnMemory) { expect_order_and_own_memory(at::kCPU); }

TEST(PinnedBatch, HoldsTwoAndSaysWhatIsMissing) {
  PinnedBatch batches(at::kCPU, kFields);
  EXPECT_THROW(batches.take(), c10::Error);
  EXPECT_THROW(batches.upload(), c10::Error) << "nothing staged";
  send(batches, 0);
  send(batches, 1);
  EXPECT_EQ(batches.pending(), 2u);
  EXPECT_THROW(batches.stage(), c10::Error);
  expect_batch(batches.take(), 0);
  send(batches, 2);
  expect_batch(batches.take(), 1);
}

TEST(PinnedBatch, DiscardDropsWhatNobodyTook) {
  PinnedBatch batches(at::kCPU, kFields);
  send(batches, 0);
  send(batches, 1);
  batches.discard();
  EXPECT_EQ(batches.pending(), 0u);
  send(batches, 7);
  expect_batch(batches.take(), 7);
}

TEST(PinnedBatchCuda, DeliversInOrderInItsOwnMemory) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  expect_order_and_own_memory(at::kCUDA);
}

TEST(PinnedBatchCuda, TheHostNeverWaits) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  PinnedBatch batches(at::kCUDA, kFields);
  at::Tensor work = at::zeros({1024}, at::kCUDA);
  send(batches, 0);
  const HostWaits waits = host_waits_of([&] {
    for (int step = 0; step < 6; ++step) {
      const std::vector<at::Tensor> batch = batches.take();
      send(batches, step + 1);
      for (int launch = 0; launch < 3000; ++launch) work.add_(1);
    }
  });
  EXPECT_EQ(waits.all(), 0);
  EXPECT_EQ(batches.event_waits(), 0);
}

// Nothing is queued between the steps, and a copy takes milliseconds: its memory must not be filled before it is done.
TEST(PinnedBatchCuda, WaitsForItsOwnCopyBeforeMemoryIsFilledAgain) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  PinnedBatch batches(at::kCUDA, {{{1 << 26}, at::kChar}});
  for (int batch = 0; batch < 2; ++batch) {
    batches.stage();
    batches.upload();
    batches.take();
  }
  const HostWaits waits = host_waits_of([&] { batches.stage(); });
  EXPECT_EQ(waits.event_syncs, 1);
  EXPECT_EQ(waits.stream_syncs, 0);
  EXPECT_EQ(batches.event_waits(), 1);
}

c10::Event recorded_now() {
  c10::Event event(at::kCUDA);
  event.record(c10::impl::VirtualGuardImpl(at::kCUDA).getStream(at::Device(at::kCUDA, 0)));
  return event;
}

TEST(PinnedBatchCuda, TheTrainingStreamWaitsForTheCopies) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  PinnedBatch batches(at::kCUDA, {{{1 << 26}, at::kChar}});
  batches.stage();
  c10::impl::VirtualGuardImpl(at::kCUDA).synchronizeDevice(0);  // nothing else is queued
  batches.upload();
  batches.take();
  EXPECT_FALSE(recorded_now().query()) << "work on the batch could start before it is there";
}

TEST(PinnedBatchCuda, MemoryThatTheTrainingStreamStillReadsIsNotFilledAgain) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  PinnedBatch batches(at::kCUDA, {{{1 << 20}, at::kFloat}});
  const auto next = [&] {
    batches.stage();
    batches.upload();
    return batches.take();
  };
  std::vector<at::Tensor> batch = next();
  at::Tensor work = at::zeros({1 << 24}, at::kCUDA);
  for (int launch = 0; launch < 500; ++launch) work.add_(1);  // fits the queue: still running
  const void* in_use = batch[0].const_data_ptr();
  batch.clear();
  ASSERT_FALSE(recorded_now().query());
  EXPECT_NE(next()[0].const_data_ptr(), in_use);
}

}  // namespace
}  // namespace zerostall::fixes
