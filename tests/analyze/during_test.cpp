// What the marking thread was doing while a thread without Python frames waited.
#include "profiler/analyze/during.h"

#include <gtest/gtest.h>

#include "profiler/analyze/sites.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using testing::TraceBuilder;

struct Frame {
  const char* file;
  const char* function;
  std::uint32_t line;
};
using Frames = std::vector<Frame>;  // innermost first; none: a call without a stack

constexpr std::uint32_t kMain = 1, kAutograd = 2;

// Four steps: the marking thread makes a call from `before` (none: no call), autograd's thread waits, the marking
// thread makes a call from `after`.
struct Program {
  std::optional<Frames> before, after;
  bool main_blocks = false;      // the first call is a sync that lasts until the other thread has waited
  bool launch_between = false;   // the marking thread makes another call, without a stack, before the other one waits
  std::uint32_t later_line = 0;  // of `after` in the last step

  Trace trace() const {
    TraceBuilder t;
    for (int n = 0; n < 4; ++n)
      t.on_thread(kMain).step(n, [&] {
        if (before) t.launch();
        if (launch_between) t.launch();
        t.on_thread(kAutograd).launch();
        t.item();
        t.on_thread(kMain);
        if (after) t.launch();
      });
    Trace trace = t.trace();
    const auto add = [&](std::uint32_t id, const Frames& frames, std::uint32_t line) {
      Stack& stack = trace.stacks.stacks[id];
      stack.python_frames = PythonFrames::known;
      for (const Frame& f : frames)
        stack.python.push_back({trace.strings.intern(f.file), trace.strings.intern(f.function), f.line});
      if (line > 0) stack.python.front().line = line;
    };
    if (before) add(1, *before, 0);
    if (after) add(2, *after, 0), add(3, *after, later_line);
    for (ThreadIndex thread = 0; thread < trace.threads.size(); ++thread) {
      if (trace.threads[thread].id != kMain) continue;
      const int calls = static_cast<int>(before.has_value()) + static_cast<int>(launch_between) + (after ? 1 : 0);
      for (CallIndex i = 0; i < trace.threads[thread].count; ++i) {
        Call& call = trace.calls[trace.threads[thread].first + i];
        const int at = static_cast<int>(i) % calls;
        if (before && at == 0) call.stack = 1;
        if (after && at == calls - 1) call.stack = i + 1 == trace.threads[thread].count ? 3 : 2;
        if (before && at == 0 && main_blocks) call.end_ns += 100'000;
      }
    }
    return trace;
  }

  Site site() const {
    const Trace trace = this->trace();
    const Steps steps = split_steps(trace);
    const auto waits = find_waits(trace);
    auto found =
        find_sites(trace, steps, waits, find_causes(trace, steps, waits), measure_steps(trace, steps, waits), 1);
    EXPECT_EQ(found.sites.size(), 1u);
    EXPECT_EQ(found.sites.at(0).count, 4);
    return found.sites.at(0);
  }
  std::string during() const { return site().during; }
};

Frames at(std::uint32_t line) { return {{"train.py", "step", line}, {"train.py", "main", 120}}; }

TEST(During, IsBetweenTheCallsAroundTheWait) {
  EXPECT_EQ((Program{.before = at(88), .after = at(95)}.during()), "between train.py:88 and train.py:95 in step");
}

TEST(During, IsTheLineInWhichTheThreadIsBlocked) {
  EXPECT_EQ((Program{.before = at(91), .after = at(95), .main_blocks = true}.during()), "during train.py:91 in step");
}

TEST(During, IsTheLineThatCalledTheBackwardPass) {
  Frames backward = at(91);
  backward.insert(backward.begin(), {"site-packages/torch/autograd/__init__.py", "_make_grads", 200});
  EXPECT_EQ((Program{.before = backward, .after = at(95)}.during()), "during train.py:91 in step");
  EXPECT_EQ((Program{.before = backward, .after = at(95), .launch_between = true}.during()),
            "between train.py:91 and train.py:95 in step")
      << "the thread went on: the pass may be over";
}

// The same line before and after: it is a loop, and what ran in between is not known.
TEST(During, OfALoopIsTheLineAroundIt) {
  EXPECT_EQ((Program{.before = at(88), .after = at(88)}.during()), "during train.py:120 in main");
  EXPECT_EQ((Program{.before = at(95), .after = at(88)}.during()), "during train.py:120 in main");
}

TEST(During, OfTwoFunctionsIsTheLineThatCalledBoth) {
  const Frames other = {{"train.py", "log", 40}, {"train.py", "main", 120}};
  EXPECT_EQ((Program{.before = at(88), .after = other}.during()), "during train.py:120 in main");
  EXPECT_EQ((Program{.before = at(88), .after = Frames{{"other.py", "f", 3}}}.during()), "");
}

TEST(During, OfOneSideAloneSaysWhichSide) {
  EXPECT_EQ((Program{.before = at(88), .after = std::nullopt}.during()), "after train.py:88 in step");
  EXPECT_EQ((Program{.before = std::nullopt, .after = at(95)}.during()), "before train.py:95 in step");
}

TEST(During, OfAllStepsIsTheWholeStretch) {
  EXPECT_EQ((Program{.before = at(88), .after = at(95), .later_line = 99}.during()),
            "between train.py:88 and train.py:99 in step");
}

TEST(During, IsNoPartOfWhatMakesTwoSitesTheSame) {
  const Site a = Program{.before = at(88), .after = at(95)}.site(),
             b = Program{.before = at(188), .after = at(195)}.site();
  EXPECT_EQ(a.id, b.id);
  EXPECT_NE(a.during, b.during);
  EXPECT_EQ(shown_place(a), a.place + ", between train.py:88 and train.py:95 in step");
}

TEST(During, IsNotToldWithoutStacksOrOfTheMarkingThreadItself) {
  EXPECT_EQ((Program{.before = Frames{}, .after = Frames{}}.during()), "");
  TraceBuilder t;
  for (int n = 0; n < 4; ++n) t.step(n, [&] { t.item(); });
  Trace trace = t.trace();
  const Steps steps = split_steps(trace);
  const auto waits = find_waits(trace);
  MarkingThreads marking(trace);
  EXPECT_FALSE(marking.during(steps.steps.at(0), waits.at(0)));
}

}  // namespace
}  // namespace zerostall
