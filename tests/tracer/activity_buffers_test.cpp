#include "profiler/tracer/activity_buffers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace zerostall::tracer {
namespace {

constexpr std::uint32_t kOld = 22, kNew = 130001;  // CUDA 12.4, 13.0

struct Taken {
  std::uint8_t* buffer;
  std::size_t bytes;
};

Taken take(std::uint32_t version) {
  Taken t{};
  t.buffer = take_buffer(version, &t.bytes);
  return t;
}

// As many as there are; the last answer says that there are no more.
std::vector<Taken> take_all(std::uint32_t version) {
  std::vector<Taken> all;
  do {
    all.push_back(take(version));
  } while (all.size() < 100'000 && all.back().buffer && !is_worthless(all.back().buffer));
  return all;
}

void give_back(const std::vector<Taken>& all) {
  for (const Taken& t : all) give_back_buffer(t.buffer, t.bytes);
}

TEST(ActivityBuffers, AreAlignedAndZeroedAlsoTheSecondTime) {
  for (int turn = 0; turn < 100; ++turn) {
    const Taken t = take(kNew);
    ASSERT_NE(t.buffer, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(t.buffer) % 8, 0u);
    EXPECT_TRUE(std::all_of(t.buffer, t.buffer + t.bytes, [](std::uint8_t b) { return b == 0; }));
    std::memset(t.buffer, 0xff, t.bytes);
    give_back_buffer(t.buffer, t.bytes);
  }
}

TEST(ActivityBuffers, TakeABoundedAmountOfMemoryAndAreThereAgainAfterwards) {
  for (int turn = 0; turn < 2; ++turn) {
    const auto all = take_all(kNew);
    std::size_t bytes = 0;
    for (const Taken& t : all) bytes += t.bytes;
    EXPECT_GE(bytes, std::size_t{16} << 20);
    EXPECT_LE(bytes, std::size_t{64} << 20);
    EXPECT_EQ(all.back().buffer, nullptr) << "CUPTI then drops records and counts them";
    EXPECT_EQ(all.back().bytes, 0u);
    give_back(all);
  }
}

TEST(ActivityBuffers, OldLibrariesWhichCrashOnNullGetOneThatIsNotRead) {
  auto all = take_all(kOld);
  const Taken last = all.back();
  ASSERT_NE(last.buffer, nullptr);
  EXPECT_TRUE(is_worthless(last.buffer));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(last.buffer) % 8, 0u);
  EXPECT_GT(last.bytes, 1000u);
  EXPECT_EQ(take(kOld).buffer, last.buffer) << "however often it is asked for";
  give_back(all);
  const Taken again = take(kOld);
  EXPECT_FALSE(is_worthless(again.buffer));
  give_back_buffer(again.buffer, again.bytes);
}

TEST(ActivityBuffers, NoTwoThreadsGetTheSame) {
  std::vector<std::vector<Taken>> of_thread(4);
  std::vector<std::thread> threads;
  for (auto& mine : of_thread)
    threads.emplace_back([&mine] {
      for (int i = 0; i < 20; ++i) mine.push_back(take(kNew));
    });
  for (auto& t : threads) t.join();
  std::set<std::uint8_t*> seen;
  for (const auto& mine : of_thread)
    for (const Taken& t : mine) EXPECT_TRUE(seen.insert(t.buffer).second);
  for (const auto& mine : of_thread) give_back(mine);
}

}  // namespace
}  // namespace zerostall::tracer
