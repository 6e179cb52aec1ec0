// Contract: fixes/host_lengths.h.
#include "fixes/host_lengths.h"

#include <gtest/gtest.h>

namespace zerostall::fixes {
namespace {

using Lengths = std::vector<std::int64_t>;

TEST(HostLengths, CountsTheSetEntriesOfEachRow) {
  const at::Tensor mask = at::tensor({1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0}, at::kLong).view({3, 4});
  EXPECT_EQ(count_lengths(mask), (Lengths{2, 4, 0}));
  EXPECT_EQ(count_lengths(mask.to(at::kBool)), (Lengths{2, 4, 0}));
}

TEST(HostLengths, RefusesAMaskThatIsOnADevice) {
  EXPECT_THROW(count_lengths(at::empty({2, 4}, at::TensorOptions().device(at::kMeta))), c10::Error);
  EXPECT_THROW(count_lengths(at::ones({4})), c10::Error);
}

TEST(HostLengths, LongestOfNoneIsZero) {
  EXPECT_EQ(longest({3, 7, 5}), 7);
  EXPECT_EQ(longest({}), 0);
}

TEST(HostLengths, IndexCountsFromTheFirstTokenAndIsNegativeInThePadding) {
  const at::Tensor index = left_padded_index({1, 3}, 5, at::kCPU);
  EXPECT_EQ(index.scalar_type(), at::kLong);
  EXPECT_TRUE(index.equal(at::tensor({-2, -1, 0, 1, 2, 0, 1, 2, 3, 4}, at::kLong).view({2, 5})));
  EXPECT_THROW(left_padded_index({}, 5, at::kCPU), c10::Error);
}

}  // namespace
}  // namespace zerostall::fixes
