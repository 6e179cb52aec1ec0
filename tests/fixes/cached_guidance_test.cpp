// Contract: fixes/cached_guidance.h.
#include "fixes/cached_guidance.h"

#include <gtest/gtest.h>

namespace zerostall::fixes {
namespace {

TEST(CachedGuidance, IsWhatAnUploadOfTheNumberWouldBe) {
  CachedNumber cached;
  for (const double value : {1.0, 3.5, 1.0 / 3.0}) {
    const at::Tensor got = cached.get(value, at::kCPU, at::kBFloat16);
    EXPECT_TRUE(got.equal(at::tensor({value}, at::kDouble).to(at::kBFloat16))) << value;
    EXPECT_EQ(got.sizes(), at::IntArrayRef({1}));
  }
}

TEST(CachedGuidance, IsTheSameTensorUntilValueDeviceOrDtypeChange) {
  CachedNumber cached;
  const auto address = [&](double value, at::ScalarType dtype) {
    return cached.get(value, at::kCPU, dtype).unsafeGetTensorImpl();
  };
  const at::Tensor first = cached.get(2, at::kCPU, at::kFloat);
  EXPECT_EQ(address(2, at::kFloat), first.unsafeGetTensorImpl());
  EXPECT_NE(address(3, at::kFloat), first.unsafeGetTensorImpl());
  EXPECT_EQ(cached.get(3, at::kCPU, at::kBFloat16).scalar_type(), at::kBFloat16);
  EXPECT_TRUE(cached.get(3, at::kMeta, at::kBFloat16).is_meta());
  EXPECT_TRUE(first.equal(at::tensor({2.0f}))) << "a tensor handed out earlier changed";
}

}  // namespace
}  // namespace zerostall::fixes
