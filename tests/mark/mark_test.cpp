// Marked programs in three languages give the same steps; without a tool they run all the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "profiler/analyze/steps.h"
#include "profiler/record/record.h"
#include "profiler/trace/build_trace.h"
#include "profiler/trace/read_native.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class MarkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/zerostall-mark-XXXXXX";
    folder = mkdtemp(pattern);
  }
  void TearDown() override { fs::remove_all(folder); }

  Trace record(std::vector<std::string> argv) {
    RecordOptions options;
    options.argv = std::move(argv);
    options.trace_file = folder / "run.zstall";
    options.simulate = true;
    SignalInbox inbox;
    const auto done = record_run(options, paths_beside(BIN_DIR), inbox);
    if (!done) throw std::runtime_error(done.error().message);
    if (done->child.exit_code != 0) throw std::runtime_error(done->child.err);
    auto raw = read_native(options.trace_file);
    if (!raw) throw std::runtime_error(raw.error().message);
    return build_trace(std::move(*raw));
  }

  static std::vector<std::int64_t> numbers(const Trace& trace) {
    std::vector<std::int64_t> all;
    for (const Step& step : split_steps(trace).steps) all.push_back(step.number);
    return all;
  }
  // Names of the ranges, with how many calls each holds.
  static std::vector<std::string> ranges(const Trace& trace) {
    std::vector<std::string> all;
    for (const Range& r : trace.ranges) {
      const auto inside = std::count_if(trace.calls.begin(), trace.calls.end(), [&](const Call& c) {
        return c.thread == r.thread && c.begin_ns >= r.begin_ns && c.end_ns <= r.end_ns;
      });
      all.push_back(std::string(trace.text(r.domain)) + ":" + std::string(trace.text(r.text)) + " " +
                    std::to_string(inside));
    }
    return all;
  }

  fs::path folder;
};

TEST_F(MarkTest, StepsAndRegionsOfACProgram) {
  const Trace trace = record({SUBJECT_C});
  EXPECT_THAT(numbers(trace), ElementsAre(10, 11, 12));
  EXPECT_EQ(trace.calls.size(), 9u);
  for (const Range& r : trace.ranges) EXPECT_FALSE(r.open || r.instant);
}

TEST_F(MarkTest, CAndCppProgramsMarkTheSame) {
  const Trace in_c = record({SUBJECT_C}), in_cpp = record({SUBJECT_CPP});
  ASSERT_EQ(in_c.ranges.size(), 6u);
  EXPECT_EQ(ranges(in_c), ranges(in_cpp));
  EXPECT_THAT(numbers(in_cpp), ElementsAre(10, 11, 12));
}

TEST_F(MarkTest, AStepMarkedByItsStartLastsToTheNext) {
  const Trace trace = record({SUBJECT_C, "marks"});
  EXPECT_THAT(numbers(trace), ElementsAre(0, 1, 2)) << "the last one has no end";
}

TEST_F(MarkTest, PythonWithoutTorchMarksByCtypes) {
  if (std::system("python3 -c pass > /dev/null 2>&1") != 0) GTEST_SKIP() << "no python3";
  const Trace trace = record({"python3", "-c",
                              "import ctypes\n"
                              "cuda = ctypes.CDLL('libcudart.so.13')\n"
                              "mark = ctypes.CDLL('" LIBRARY "')\n"
                              "for n in range(10, 13):\n"
                              "    mark.zerostall_step_begin(ctypes.c_long(n)); cuda.cudaDeviceSynchronize()\n"
                              "    mark.zerostall_region_push(b'train'); cuda.cudaDeviceSynchronize()\n"
                              "    mark.zerostall_region_pop(); mark.zerostall_step_end()\n"
                              "    cuda.cudaDeviceSynchronize()\n"
                              "mark.zerostall_step_mark(7)\n"});
  EXPECT_THAT(numbers(trace), ElementsAre(10, 11, 12)) << "ranges win over the mark";
  EXPECT_EQ(trace.calls.size(), 9u);
  EXPECT_EQ(trace.ranges.size(), 7u);
}

TEST_F(MarkTest, TheLibraryNeedsNothingAndDoesNothingWithoutATool) {
  if (std::system("python3 -c pass > /dev/null 2>&1") != 0) GTEST_SKIP() << "no python3";
  SignalInbox inbox;
  const auto done = run_child({{"python3", "-c",
                                "import ctypes\n"
                                "mark = ctypes.CDLL('" LIBRARY "')\n"
                                "mark.zerostall_mark_domain.restype = ctypes.c_void_p\n"
                                "assert mark.zerostall_mark_domain() is None\n"
                                "mark.zerostall_step_begin(1); mark.zerostall_region_push(b'x')\n"
                                "mark.zerostall_region_pop(); mark.zerostall_step_end(); mark.zerostall_step_mark(2)\n"
                                "mark.zerostall_step_end()\n"},
                               {}},
                              inbox);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->exit_code, 0) << done->err;
}

// A program may mark before it loads CUDA; only then it shows which libcupti fits.
TEST_F(MarkTest, MarksBeforeAnythingOfCudaLoadNoLibcupti) {
  if (std::system("python3 -c pass > /dev/null 2>&1") != 0) GTEST_SKIP() << "no python3";
  SignalInbox inbox;
  const auto done = run_child({{"python3", "-c",
                                "import ctypes\n"
                                "mark = ctypes.CDLL('" LIBRARY "')\n"
                                "mark.zerostall_mark_domain.restype = ctypes.c_void_p\n"
                                "assert mark.zerostall_mark_domain() is not None, 'no tool'\n"
                                "mark.zerostall_step_begin(1); mark.zerostall_step_end()\n"
                                "assert 'libcupti' not in open('/proc/self/maps').read(), 'libcupti is loaded'\n"},
                               {{"NVTX_INJECTION64_PATH", paths_beside(BIN_DIR).tracer.string()}}},
                              inbox);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->exit_code, 0) << done->err;
}

TEST_F(MarkTest, TheHeaderIsInstalledUnderItsPublicName) {
  const std::string command =
      CMAKE " --install " BUILD " --component mark --prefix " + folder.string() + " > /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(fs::exists(folder / "include/zerostall/mark.h"));
  EXPECT_TRUE(fs::exists(folder / "lib/zerostall/libzerostall_mark.so"));
}

}  // namespace
}  // namespace zerostall
