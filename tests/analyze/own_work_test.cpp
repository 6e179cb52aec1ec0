// What a device does for a step by itself.
#include "profiler/analyze/own_work.h"

#include <gtest/gtest.h>

#include "tests/analyze/hand_made.h"

namespace zerostall {
namespace {

using testing::HandMade;

std::vector<std::optional<Nanos>> work_of(HandMade& made) {
  const Trace trace = build_trace(std::move(made.raw));
  return own_gpu_work(trace, split_steps(trace));
}

TEST(OwnWork, IsTheUnionOfWhatAStepLaunchedWithoutCollectives) {
  HandMade t;
  t.step(0, 0, 1000);
  t.step(1, 1000, 2000);
  t.work(t.launch(10, 20), 100, 300);
  t.work(t.launch(30, 40), 200, 500);    // 100 of it beside the one before
  t.work(t.launch(50, 60), 1200, 1300);  // runs in the next step, launched in this one
  t.work(t.launch(70, 80), 100, 900).name = t.raw.strings.intern("ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)");
  t.work(t.launch(90, 95), 100, 200, {.device = 1, .context = 2});
  t.work(t.launch(1010, 1020), 1300, 1350);
  const auto work = work_of(t);
  ASSERT_EQ(work.size(), 2u);
  EXPECT_EQ(work[0], 400 + 100 + 100);
  EXPECT_EQ(work[1], 50);
}

TEST(OwnWork, OfAStepWithoutAnyIsNone) {
  HandMade t;
  t.step(0, 0, 1000);
  t.step(1, 1000, 2000);
  t.work(t.launch(1010, 1020), 1300, 1350);
  EXPECT_EQ(work_of(t), (std::vector<std::optional<Nanos>>{0, 50}));
}

TEST(OwnWork, IsUnknownWhereRecordsAreMissing) {
  HandMade t;
  t.step(0, 0, 1000);
  t.launch(10, 20);
  EXPECT_EQ(work_of(t), (std::vector<std::optional<Nanos>>{std::nullopt}));
}

}  // namespace
}  // namespace zerostall
