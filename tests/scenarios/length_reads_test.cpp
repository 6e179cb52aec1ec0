// Contract: scenarios/train/length_reads.h.
#include "scenarios/train/length_reads.h"

#include <gtest/gtest.h>

namespace zerostall::train {
namespace {

using Lengths = std::vector<std::int64_t>;

TEST(LengthReads, ADeviceThatComputesIsBelieved) {
  const LengthReads reads(at::kCPU);
  const at::Tensor lengths = at::tensor({3, 9, 4}, at::kLong);
  EXPECT_EQ(reads.longest(lengths, {1, 1, 1}), 9);
  EXPECT_EQ(reads.all(lengths, {1, 1, 1}), (Lengths{3, 9, 4}));
}

// Its kernels leave nothing behind; without the known lengths shapes would come from stale memory.
TEST(LengthReadsCuda, TheSimulatedGpuGivesWhatTheHostKnows) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  const LengthReads reads(at::kCUDA);
  const at::Tensor lengths = at::tensor({3, 9, 4}, at::kLong).to(at::kCUDA);
  EXPECT_EQ(reads.longest(lengths, {3, 9, 4}), 9);
  EXPECT_EQ(reads.all(lengths, {3, 9, 4}), (Lengths{3, 9, 4}));
}

}  // namespace
}  // namespace zerostall::train
