#include "profiler/analyze/wait_stacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/analyze/steps.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using testing::TraceBuilder;

// Four steps; each waits twice: an item() at stack 1, and an upload at stack 2 in the last step, 1 in the others.
class WaitStacks : public ::testing::Test {
 protected:
  WaitStacks() {
    TraceBuilder builder;
    for (int n = 0; n < 4; ++n)
      builder.step(n, [&] {
        builder.item();
        builder.upload(512);
      });
    trace_ = builder.trace();
    trace_.stacks.modules[5] = {"site-packages/torch/lib/libtorch_cuda.so", "abc"};
    Stack stack;
    stack.python_frames = PythonFrames::known;
    stack.python = {{id("site-packages/torch/t.py"), id("item"), 7}, {id("train.py"), id("step"), 31}};
    stack.native = {{5, 0x100}, {0, 0}};
    trace_.stacks.stacks[1] = stack;
    stack.python_frames = PythonFrames::unknown;
    stack.python.clear();
    stack.native_cut = true;
    trace_.stacks.stacks[2] = stack;
    int uploads = 0;
    for (Call& call : trace_.calls) {
      call.stack = 1;
      if (call.kind == ApiKind::copy && call.bytes == 512) ++uploads;
      if (uploads == 4) call.stack = 2;
    }
  }

  StringId id(const std::string& text) { return trace_.strings.intern(text); }

  std::vector<WaitStack> find(std::size_t warmup = 1) {
    const Steps steps = split_steps(trace_, {});
    const std::vector<Wait> waits = find_waits(trace_);
    return find_wait_stacks(trace_, waits, measure_steps(trace_, steps, waits), warmup);
  }

  Trace trace_;
};

constexpr const char* kItem = "cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize";
constexpr const char* kUpload = "cudaMemcpyAsync 512 B host to device + cudaStreamSynchronize";

TEST_F(WaitStacks, CountsWaitsByStackAndKind) {
  const auto stacks = find();
  ASSERT_EQ(stacks.size(), 2u);
  EXPECT_EQ(stacks[0].id, 1u);  // most waits first
  ASSERT_EQ(stacks[0].waits.size(), 2u);
  EXPECT_EQ(stacks[0].waits[0].what, kItem);
  EXPECT_EQ(stacks[0].waits[0].count, 4);
  EXPECT_EQ(stacks[0].waits[0].judged, 3);
  EXPECT_EQ(stacks[0].waits[1].what, kUpload);
  EXPECT_EQ(stacks[0].waits[1].count, 3);
  EXPECT_EQ(stacks[0].waits[1].judged, 2);
  ASSERT_EQ(stacks[1].waits.size(), 1u);
  EXPECT_EQ(stacks[1].waits[0].count, 1);
  EXPECT_EQ(stacks[1].waits[0].judged, 1);
  EXPECT_EQ(stacks[1].waits[0].per_step->min, 0);
  EXPECT_EQ(stacks[1].waits[0].per_step->max, 1);
}

TEST_F(WaitStacks, TellsFramesAndWhoseTheyAre) {
  const auto stacks = find();
  ASSERT_EQ(stacks[0].python.size(), 2u);
  EXPECT_EQ(stacks[0].python[0].file, "site-packages/torch/t.py");
  EXPECT_TRUE(stacks[0].python[0].library);
  EXPECT_EQ(stacks[0].python[1].file, "train.py");
  EXPECT_EQ(stacks[0].python[1].line, 31u);
  EXPECT_EQ(stacks[0].python[1].function, "step");
  EXPECT_FALSE(stacks[0].python[1].library);
  ASSERT_EQ(stacks[0].native.size(), 2u);
  EXPECT_EQ(stacks[0].native[0].build_id, "abc");
  EXPECT_EQ(stacks[0].native[0].offset, 0x100u);
  EXPECT_EQ(stacks[0].native[1].module, "");
  EXPECT_EQ(stacks[1].python_frames, PythonFrames::unknown);
  EXPECT_TRUE(stacks[1].native_cut);
}

TEST_F(WaitStacks, WaitsWithoutAStackStandTogether) {
  for (Call& call : trace_.calls)
    if (call.stack == 1) call.stack = call.bytes == 512 ? 0 : 77;  // none, and one that the file does not describe
  const auto stacks = find();
  ASSERT_EQ(stacks.size(), 2u);
  EXPECT_EQ(stacks[0].id, 0u);
  EXPECT_THAT(stacks[0].native, IsEmpty());
  EXPECT_EQ(stacks[0].waits.size(), 2u);
}

TEST_F(WaitStacks, ATraceWithoutStacksHasNone) {
  trace_.stacks = {};
  EXPECT_THAT(find(), IsEmpty());
}

TEST_F(WaitStacks, NoJudgedStepsGiveNoRate) {
  for (const std::size_t warmup : {4u, 9u}) {
    const auto stacks = find(warmup);
    EXPECT_FALSE(stacks[0].waits[0].per_step);
    EXPECT_EQ(stacks[0].waits[0].judged, 0);
    EXPECT_EQ(stacks[0].waits[0].count, 4);
  }
}

TEST(IsLibraryPath, PackagesPythonAndTheSystem) {
  for (const char* path : {"site-packages/a.py", "dist-packages/a.py", "lib/python3.11/os.py", "/usr/lib/x.so",
                           "<frozen importlib._bootstrap>", "lib/libpython3.11.so.1.0", "bin/python3.11"})
    EXPECT_TRUE(is_library_path(path)) << path;
  for (const char* path : {"train.py", "src/site-packages.py", "<string>", "lib/own.py", ""})
    EXPECT_FALSE(is_library_path(path)) << path;
}

}  // namespace
}  // namespace zerostall
