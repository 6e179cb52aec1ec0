// Where waits come from: the place that is named, and what makes two runs' places the same.
#include "profiler/analyze/sites.h"

#include <gtest/gtest.h>

#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using testing::TraceBuilder;

// Four steps with an .item() each, at line `line` of train.py in a library function; `source` is that line's text.
struct Program {
  std::uint32_t line = 31;
  std::string source = "    loss.item()";
  bool with_own_frame = true, with_stack = true;

  Trace trace() const {
    TraceBuilder builder;
    for (int n = 0; n < 4; ++n) builder.step(n, [&] { builder.launch(), builder.item(); });
    Trace trace = builder.trace();
    const auto id = [&](const char* text) { return trace.strings.intern(text); };
    Stack stack;
    stack.python_frames = PythonFrames::known;
    stack.python = {{id("site-packages/torch/t.py"), id("read"), 7}};
    if (with_own_frame) stack.python.push_back({id("train.py"), id("step"), line});
    if (!with_stack) return trace;
    trace.stacks.stacks[1] = stack;
    for (Call& call : trace.calls) call.stack = 1;
    return trace;
  }

  std::vector<Site> sites() const {
    const Trace trace = this->trace();
    const Steps steps = split_steps(trace);
    const auto waits = find_waits(trace);
    const SourceTexts sources = {{{"train.py", line}, source}};
    return find_sites(trace, steps, waits, find_causes(trace, steps, waits, sources),
                      measure_steps(trace, steps, waits), 1, sources)
        .sites;
  }
  Site only() const {
    const auto all = sites();
    EXPECT_EQ(all.size(), 1u);
    return all.at(0);
  }
};

TEST(Sites, TheUsersOwnLineIsThePlace) {
  const Site site = Program{}.only();
  EXPECT_EQ(site.place, "train.py:31 in step");
  EXPECT_EQ(site.via, "site-packages/torch/t.py:7 in read");
  EXPECT_EQ(site.source, "loss.item()");
  EXPECT_EQ(site.count, 4);
  EXPECT_EQ(site.judged, 3);
  EXPECT_EQ(site.per_step->median, 1);
  EXPECT_EQ(site.drains, 4);
  EXPECT_EQ(site.cause.kind, CauseKind::scalar_read);
}

TEST(Sites, LinesInsertedAboveChangeNothingButTheNumber) {
  const Site before = Program{}.only(), after = Program{.line = 61}.only();
  EXPECT_EQ(before.id, after.id);
  EXPECT_EQ(after.place, "train.py:61 in step");
}

TEST(Sites, IndentingTheLineIsNoChangeAndAnotherTextIs) {
  EXPECT_EQ(Program{}.only().id, Program{.source = "\tloss.item()  "}.only().id);
  EXPECT_NE(Program{}.only().id, Program{.source = "print(loss.item())"}.only().id);
}

TEST(Sites, WithoutTheUsersOwnFrameTheLibrarysIsThePlace) {
  const Site site = Program{.with_own_frame = false}.only();
  EXPECT_EQ(site.from, SiteFrom::library_line);
  EXPECT_EQ(site.place, "site-packages/torch/t.py:7 in read");
}

TEST(Sites, WithoutStacksThePositionIsThePlace) {
  const Site site = Program{.with_stack = false}.only();
  EXPECT_EQ(site.from, SiteFrom::position);
  EXPECT_NE(site.place, "");
  EXPECT_EQ(site.count, 4);
}

TEST(Sites, NoWaitsNoSites) {
  TraceBuilder t;
  t.step(0, [&] { t.launch(); });
  const Trace trace = t.trace();
  EXPECT_TRUE(find_sites(trace, {}, {}, {}, {}, 0).sites.empty());
}

}  // namespace
}  // namespace zerostall
