// Contract: shared/design/reference-step.md row B.1 #21c.
#include "fixes/resume_steps_on_cpu.h"

#include <gtest/gtest.h>

#include "tests/fixes/host_waits.h"

namespace zerostall::fixes {
namespace {

TEST(StepsToCpu, LeavesTheHostsOwnAlone) {
  const at::Tensor step = at::full({}, 5.0f);
  const void* before = step.const_data_ptr();
  EXPECT_EQ(steps_to_cpu({step, at::Tensor()}), 0);
  EXPECT_EQ(step.const_data_ptr(), before);
  EXPECT_EQ(steps_to_cpu({}), 0);
}

TEST(StepsToCpuCuda, MovesAllWithOneWaitAndEachKeepsItsValueAndMemory) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  std::vector<at::Tensor> steps;
  for (int i = 0; i < 4; ++i) steps.push_back(at::full({}, 10.0 + i, at::kFloat).to(at::kCUDA));
  const at::Tensor another_handle = steps[2];
  steps.push_back(at::full({}, 99.0f));
  int moved = 0;
  const HostWaits waits = host_waits_of([&] { moved = steps_to_cpu(steps); });
  EXPECT_EQ(moved, 4);
  EXPECT_EQ(waits.all(), 1);
  EXPECT_TRUE(another_handle.is_cpu());
  steps[0].add_(1);
  steps[4].add_(1);
  EXPECT_EQ(steps[4].item<float>(), 100);
  EXPECT_EQ(steps[0].storage().nbytes(), sizeof(float)) << "not a memory of its own";
  EXPECT_EQ(host_waits_of([&] { another_handle.item<float>(); }).all(), 0);
  EXPECT_EQ(steps_to_cpu(steps), 0) << "not idempotent";
}

}  // namespace
}  // namespace zerostall::fixes
