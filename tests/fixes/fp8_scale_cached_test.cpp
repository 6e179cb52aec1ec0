// Contract: fixes/fp8_scale_cached.h. "Cuda" tests run on the simulated GPU.
#include "fixes/fp8_scale_cached.h"

#include <c10/core/StreamGuard.h>
#include <gtest/gtest.h>

#include <thread>

namespace zerostall::fixes {
namespace {

TEST(Fp8ScaleCached, IsOneAndTheSameTensorOnEveryThread) {
  const at::Tensor one = cached_one(at::kCPU);
  EXPECT_EQ(one.scalar_type(), at::kFloat);
  EXPECT_EQ(one.item<float>(), 1);
  EXPECT_FALSE(one.requires_grad());
  at::Tensor other;
  std::thread([&] { other = cached_one(at::kCPU); }).join();
  EXPECT_TRUE(other.is_same(one));
}

TEST(Fp8ScaleCachedCuda, HasOneForEachStream) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  const at::Device device(at::kCUDA, 0);
  const at::Tensor one = cached_one(device);
  EXPECT_TRUE(one.is_cuda());
  EXPECT_TRUE(cached_one(device).is_same(one));
  EXPECT_TRUE(cached_one(at::kCUDA).is_same(one)) << "without an index: the current device";
  const c10::StreamGuard guard(c10::impl::VirtualGuardImpl(at::kCUDA).getStreamFromGlobalPool(device));
  EXPECT_FALSE(cached_one(device).is_same(one));
}

}  // namespace
}  // namespace zerostall::fixes
