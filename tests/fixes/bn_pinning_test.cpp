// Contract: shared/design/reference-step.md section D, "PR fix 1 semantics".
#include "fixes/bn_pinning.h"

#include <gtest/gtest.h>

namespace zerostall::fixes {
namespace {

BatchNormStatistics on_cpu() {
  return {.running_mean = at::full({128}, 0.25),
          .running_var = at::full({128}, 4.0),
          .num_batches_tracked = at::full({}, 9, at::kLong)};
}

TEST(PinBatchNorm, IsANoOpOnACpuTrainDevice) {
  const BatchNormStatistics bn = on_cpu();
  const void* before = bn.running_mean.const_data_ptr();
  EXPECT_EQ(pin_batch_norm(bn, at::kCPU), 0);
  EXPECT_EQ(bn.running_mean.const_data_ptr(), before);
}

TEST(PinBatchNorm, SkipsUndefinedBuffers) { EXPECT_EQ(pin_batch_norm({}, at::kCPU), 0); }

TEST(PinBatchNormCuda, MovesTheThreeBuffersOnceAndThroughEveryHandle) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  const BatchNormStatistics bn = on_cpu();
  const at::Tensor another_handle = bn.running_var;
  EXPECT_EQ(pin_batch_norm(bn, at::kCUDA), 3);
  EXPECT_TRUE(bn.running_mean.is_cuda() && another_handle.is_cuda() && bn.num_batches_tracked.is_cuda());
  EXPECT_EQ(pin_batch_norm(bn, at::kCUDA), 0) << "not idempotent";
  EXPECT_EQ(pin_batch_norm(bn, at::Device(at::kCUDA, 0)), 0) << "cuda and cuda:0 taken for different devices";
  EXPECT_TRUE(bn.running_mean.cpu().equal(on_cpu().running_mean));
  EXPECT_EQ(bn.num_batches_tracked.cpu().item<std::int64_t>(), 9);
}

TEST(PinBatchNormCuda, RepairsALaterEviction) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  const BatchNormStatistics bn = on_cpu();
  pin_batch_norm(bn, at::kCUDA);
  pin_batch_norm(bn, at::kCPU);  // what evicting the VAE does to its statistics
  EXPECT_TRUE(bn.running_mean.is_cpu());
  EXPECT_EQ(pin_batch_norm(bn, at::kCUDA), 3);
  EXPECT_TRUE(bn.running_mean.is_cuda());
}

}  // namespace
}  // namespace zerostall::fixes
