// Contract: fixes/deferred_finite_check.h.
#include "fixes/deferred_finite_check.h"

#include <gtest/gtest.h>

namespace zerostall::fixes {
namespace {

TEST(DeferredFiniteCheck, AnswersOneUpdateLateUnderItsOwnNumber) {
  DeferredFiniteCheck check(at::kCPU);
  at::Tensor found_inf = at::zeros({1});
  EXPECT_FALSE(check.submit(found_inf.fill_(0), 10));
  const auto tenth = check.submit(found_inf.fill_(1), 11);
  ASSERT_TRUE(tenth);
  EXPECT_EQ(tenth->update, 10);
  EXPECT_FALSE(tenth->overflowed);
  const auto eleventh = check.submit(found_inf.fill_(0), 12);
  ASSERT_TRUE(eleventh);
  EXPECT_EQ(eleventh->update, 11);
  EXPECT_TRUE(eleventh->overflowed);
  EXPECT_FALSE(check.drain()->overflowed);
  EXPECT_FALSE(check.drain());
}

}  // namespace
}  // namespace zerostall::fixes
