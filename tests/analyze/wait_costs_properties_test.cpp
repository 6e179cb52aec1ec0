// What holds of any run: made-up programs on a device that works as a GPU does, checked against what must be so.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "tests/analyze/hand_made.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;

// A host that launches, copies, waits and does other things, and a device with three streams in order.
class Program {
 public:
  Program(HandMade& trace, std::uint64_t seed, Place place = {}) : t_(trace), random_(seed), place_(place) {}

  void run(int steps) {
    for (int n = 0; n < steps; ++n) {
      const Nanos begin = now_;
      for (int i = upto(30); i >= 0; --i) act();
      now_ += upto(300);
      t_.step(n, begin, now_);
      now_ += upto(3) == 0 ? upto(500) : 0;
    }
  }

 private:
  int upto(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }

  void act() {
    t_.stream = static_cast<std::uint64_t>(7 + upto(2));
    Nanos& free = free_.at(t_.stream - 7);
    switch (upto(7)) {
      case 0:
        return wait("cudaStreamSynchronize_v3020", free);
      case 1:
        return wait("cudaDeviceSynchronize_v3020", *std::max_element(free_.begin(), free_.end()));
      case 2:
        return upload(free);
      case 3:
        now_ += upto(400);  // not a call
        return;
      default:
        return launch(free);
    }
  }
  void wait(const char* name, Nanos until) {
    const Nanos begin = now_;
    now_ = std::max(now_, until) + upto(8);
    t_.call(name, begin, now_);
  }
  Nanos queue(Nanos& free) {
    const Nanos begin = std::max(free, now_ + 4 + upto(10));
    free = begin + 1 + upto(200);
    return begin;
  }
  void launch(Nanos& free) {
    const Nanos begin = queue(free);
    t_.work(t_.launch(now_, now_ + 3), begin, free, on_stream());
    now_ += 3;
  }
  void upload(Nanos& free) {
    const Nanos begin = queue(free), called = now_;
    now_ = upto(1) == 0 ? begin - upto(3) : free + upto(5);
    t_.upload(called, now_, begin, free);
    t_.raw.gpu_ops.back().device = place_.device;
    t_.raw.gpu_ops.back().context = place_.context;
    t_.raw.gpu_ops.back().stream = on_stream().stream;
  }
  Place on_stream() const {
    Place place = place_;
    place.stream = static_cast<std::uint32_t>(t_.stream + 6);
    return place;
  }

  HandMade& t_;
  std::mt19937_64 random_;
  Place place_;
  Nanos now_ = 0;
  std::array<Nanos, 3> free_{};
};

HandMade made(std::uint64_t seed, Nanos base = kBase) {
  HandMade t;
  t.base = base;
  Program(t, seed).run(8);
  return t;
}

// Of a step, when a device was at work, looked at nanosecond by nanosecond.
Nanos busy_ns(const Trace& trace, const Step& step) {
  std::vector<bool> busy(static_cast<std::size_t>(step.end_ns - step.begin_ns));
  for (const GpuOp& op : trace.gpu_ops)
    for (Nanos at = std::max(op.begin_ns, step.begin_ns); at < std::min(op.end_ns, step.end_ns); ++at)
      busy[static_cast<std::size_t>(at - step.begin_ns)] = true;
  return std::count(busy.begin(), busy.end(), true);
}

void expect_same(const Costs& a, const Costs& b) {
  ASSERT_EQ(a.waits.size(), b.waits.size());
  EXPECT_EQ(a.costs->steps, b.costs->steps);
  EXPECT_EQ(a.costs->outside, b.costs->outside);
  EXPECT_EQ(a.costs->launch_latency_ns, b.costs->launch_latency_ns);
  for (std::size_t i = 0; i < a.waits.size(); ++i) {
    EXPECT_EQ(a.of(i).effective_ns, b.of(i).effective_ns);
    EXPECT_EQ(a.of(i).bubble_ns, b.of(i).bubble_ns);
    EXPECT_EQ(a.of(i).avoidable_ns, b.of(i).avoidable_ns);
    EXPECT_EQ(a.waits[i].staged, b.waits[i].staged);
  }
}

constexpr std::uint64_t kPrograms = 200;

TEST(WaitCostsOfAnyRun, BusyAndIdleTimeMakeUpEachStep) {
  std::size_t steps = 0;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    const Costs found = made(seed).costs();
    const auto [first, last] = std::minmax_element(found.trace.gpu_ops.begin(), found.trace.gpu_ops.end(),
                                                   [](auto& a, auto& b) { return a.end_ns < b.end_ns; });
    for (std::size_t i = 0; i < found.steps.steps.size(); ++i) {
      const Step& step = found.steps.steps[i];
      if (step.end_ns <= first->begin_ns || step.begin_ns >= last->end_ns) continue;  // no work yet, or no more
      const IdleTime& idle = found.costs->steps[i];
      EXPECT_EQ(idle.bubbles_ns + idle.host_bound_ns + idle.dependency_ns + busy_ns(found.trace, step),
                step.end_ns - step.begin_ns)
          << "program " << seed << " step " << i;
      EXPECT_EQ(idle.unknown_ns, 0);
      ++steps;
    }
  }
  EXPECT_GT(steps, 5 * kPrograms);
}

TEST(WaitCostsOfAnyRun, EachGapIsChargedOnce) {
  std::size_t bubbles = 0;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    const Costs found = made(seed).costs();
    Nanos of_steps = found.costs->outside.bubbles_ns, avoidable = found.costs->outside.avoidable_ns;
    for (const IdleTime& idle : found.costs->steps) {
      of_steps += idle.bubbles_ns;
      avoidable += idle.avoidable_ns;
    }
    for (std::size_t i = 0; i < found.waits.size(); ++i) {
      const WaitCost& cost = found.of(i);
      EXPECT_LE(cost.avoidable_ns, cost.bubble_ns);
      EXPECT_LE(cost.effective_ns, found.waits[i].end_ns - found.waits[i].begin_ns);
      if (found.waits[i].idle.value() && found.waits[i].copy == kNoIndex) {
        EXPECT_EQ(cost.bubble_ns, 0);
      }
      if (cost.upload) {
        EXPECT_EQ(cost.upload->stream_ns + cost.upload->transfer_ns + cost.upload->return_ns,
                  found.waits[i].end_ns - found.waits[i].begin_ns);
      }
      of_steps -= cost.bubble_ns;
      avoidable -= cost.avoidable_ns;
      bubbles += cost.bubble_ns > 0;
    }
    EXPECT_EQ(of_steps, 0) << "program " << seed;
    EXPECT_EQ(avoidable, 0) << "program " << seed;
  }
  EXPECT_GT(bubbles, kPrograms);
}

TEST(WaitCostsOfAnyRun, DoNotDependOnWhereTheClockBegan) {
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed)
    expect_same(made(seed).costs(), made(seed, kBase * 1'700'000'000).costs());
}

TEST(WaitCostsOfAnyRun, DoNotDependOnTheOrderOfTheFile) {
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    HandMade mixed = made(seed);
    std::mt19937_64 random(seed);
    std::shuffle(mixed.raw.gpu_ops.begin(), mixed.raw.gpu_ops.end(), random);
    expect_same(made(seed).costs(), mixed.costs());
  }
}

// Two programs that share nothing cost what they cost alone, whether or not they are in one trace.
TEST(WaitCostsOfAnyRun, OfOneProgramDoNotDependOnAnother) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    const Costs alone = made(seed).costs();
    HandMade both = made(seed);
    both.thread = 2;
    both.context = 2;
    const std::size_t marks = both.raw.marks.size();
    Program(both, seed + 1, {1, 2, 13}).run(8);
    both.raw.marks.resize(marks);  // the first has the steps
    const Costs found = both.costs();
    ASSERT_EQ(found.trace.threads[0].id, 1u);
    ASSERT_GT(found.waits.size(), alone.waits.size());
    if (found.costs->launch_latency_ns != alone.costs->launch_latency_ns) continue;
    ++compared;
    for (std::size_t i = 0; i < alone.waits.size(); ++i) {
      EXPECT_EQ(found.of(i).effective_ns, alone.of(i).effective_ns);
      EXPECT_EQ(found.of(i).bubble_ns, alone.of(i).bubble_ns);
      EXPECT_EQ(found.of(i).avoidable_ns, alone.of(i).avoidable_ns);
    }
  }
  EXPECT_GT(compared, 10u);
}

}  // namespace
}  // namespace zerostall
