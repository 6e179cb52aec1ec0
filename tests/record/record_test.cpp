#include "profiler/record/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "profiler/base/files.h"
#include "profiler/record/gpu.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class RecordRun : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const fs::path& file : {paths.tracer, paths.simulator}) {
      fs::create_directories(file.parent_path());
      ASSERT_TRUE(write_file(file, ""));
    }
  }
  RecordOptions options(const std::string& script) const {
    RecordOptions o;
    o.argv = {"sh", "-c", script};
    o.trace_file = folder.path() / "t.zstall";
    return o;
  }

  TempFolder folder = std::move(*TempFolder::make());
  InstallPaths paths = paths_beside(folder.path() / "bin");
  SignalInbox inbox;
};

TEST(Injection, SetsWhatTheTracerAndTheSimulatorRead) {
  const InstallPaths paths = paths_beside("/opt/z/bin");
  RecordOptions options;
  auto added = injection(options, paths, "/t/a.zstall");
  EXPECT_EQ(added.at("ZEROSTALL_TRACE"), "/t/a.zstall");
  EXPECT_EQ(added.at("CUDA_INJECTION64_PATH"), "/opt/z/lib/zerostall/libzerostall_tracer.so");
  EXPECT_EQ(added.at("NVTX_INJECTION64_PATH"), added.at("CUDA_INJECTION64_PATH"));
  EXPECT_FALSE(added.contains("LD_PRELOAD"));

  options.simulate = true;
  options.sim_log = "/t/log.json";
  ::setenv("LD_PRELOAD", "", 1);
  EXPECT_EQ(injection(options, paths, "t").at("LD_PRELOAD"), "/opt/z/lib/zerostall/simgpu/libzerostall_simgpu.so");
  ::setenv("LD_PRELOAD", "mine.so", 1);
  added = injection(options, paths, "t");
  ::unsetenv("LD_PRELOAD");
  EXPECT_EQ(added.at("LD_PRELOAD"), "/opt/z/lib/zerostall/simgpu/libzerostall_simgpu.so:mine.so");
  EXPECT_EQ(added.at("ZEROSTALL_SIM_MODEL"), "h200");
  EXPECT_EQ(added.at("ZEROSTALL_SIM_LOG"), "/t/log.json");
  EXPECT_EQ(added.at("ZEROSTALL_SIMULATED"), "1");
  EXPECT_EQ(added.at("ZEROSTALL_SIM_GPUS"), "1");
  EXPECT_EQ(added.at("TRITON_LIBCUDA_PATH"), "/opt/z/lib/zerostall/simgpu");
  EXPECT_FALSE(added.contains("ZEROSTALL_SIM_SEED") || added.contains("ZEROSTALL_SIM_VALUES"));
  EXPECT_FALSE(added.contains("ZEROSTALL_SIM_HOST_CLOCK"));
  EXPECT_TRUE(fs::path(added.at("ZEROSTALL_TRACE")).is_absolute());
}

TEST(Injection, LeavesASanitizersRuntimeInFront) {
  Injection options;
  options.simulate = true;
  const auto preloads = [&](const char* before) {
    ::setenv("LD_PRELOAD", before, 1);
    const std::string after = injection(options, paths_beside("/z/bin"), "/z/trace").at("LD_PRELOAD");
    ::unsetenv("LD_PRELOAD");
    return after;
  };
  const std::string ours = "/z/lib/zerostall/simgpu/libzerostall_simgpu.so";
  EXPECT_EQ(preloads("/usr/lib/libasan.so.8"), "/usr/lib/libasan.so.8:" + ours);
  EXPECT_EQ(preloads("libtsan.so.2 mine.so:libasan.so.8"), "libtsan.so.2:" + ours + ":mine.so:libasan.so.8");
  EXPECT_EQ(preloads("mine.so"), ours + ":mine.so");
  const std::string inner = "/usr/lib/libasan.so.8:" + ours;  // a recorded program runs zerostall itself
  EXPECT_EQ(preloads(inner.c_str()), inner);
}

// So that a program with a DT_RPATH to a real toolkit gets the simulated libraries as well.
TEST(Injection, PreloadsEachSimulatedLibraryTheNewestFirst) {
  const TempFolder folder = std::move(*TempFolder::make());
  const InstallPaths paths = paths_beside(folder.path() / "bin");
  const fs::path simgpu = paths.simulator.parent_path();
  fs::create_directories(simgpu / "models");
  for (const char* name : {"libcudart.so.12", "libcudart.so.13", "libzerostall_simgpu.so", "libzerostall_simcore.so"})
    ASSERT_TRUE(write_file(simgpu / name, ""));
  Injection options;
  options.simulate = true;
  const std::string begin = simgpu.string() + "/";
  EXPECT_EQ(injection(options, paths, "t").at("LD_PRELOAD"),
            begin + "libzerostall_simgpu.so:" + begin + "libcudart.so.13:" + begin + "libcudart.so.12");
}

TEST(Injection, PassesOnTheSimulatorsOptions) {
  Injection options;
  options.trace = false;
  options.simulate = true;
  options.gpus = 4;
  options.sim_values = "/v.json";
  options.host_clock = "cpu";
  options.seed = 0;
  const auto added = injection(options, paths_beside("/opt/z/bin"), {});
  EXPECT_EQ(added.at("ZEROSTALL_SIM_GPUS"), "4");
  EXPECT_EQ(added.at("ZEROSTALL_SIM_VALUES"), "/v.json");
  EXPECT_EQ(added.at("ZEROSTALL_SIM_HOST_CLOCK"), "cpu");
  EXPECT_EQ(added.at("ZEROSTALL_SIM_SEED"), "0");
  EXPECT_FALSE(added.contains("ZEROSTALL_TRACE") || added.contains("CUDA_INJECTION64_PATH"));
  EXPECT_EQ(added.at("NVTX_INJECTION64_PATH"), "/opt/z/lib/zerostall/simgpu/libzerostall_simcore.so")
      << "values are supplied by NVTX range, without a tracer too";
}

TEST(Injection, LeavesTheUsersSimulatorLogInPlace) {
  Injection options;
  options.simulate = true;
  options.sim_log = "/t/logs";
  ::setenv("ZEROSTALL_SIM_LOG", "mine.json", 1);
  const auto added = injection(options, paths_beside("/opt/z/bin"), "t");
  ::unsetenv("ZEROSTALL_SIM_LOG");
  EXPECT_EQ(added.at("ZEROSTALL_SIM_LOG"), "/t/logs:mine.json");
}

TEST(Injection, KeepsTheUsersLibraryPathAndAddsOursOnce) {
  const std::string ours = "/opt/z/lib/zerostall/simgpu";
  Injection options;
  options.simulate = true;
  const auto with = [&](const std::string& before) {
    ::setenv("LD_LIBRARY_PATH", before.c_str(), 1);
    const auto added = injection(options, paths_beside("/opt/z/bin"), "t");
    ::unsetenv("LD_LIBRARY_PATH");
    return added.at("LD_LIBRARY_PATH");
  };
  EXPECT_EQ(with(""), ours);
  EXPECT_EQ(with("/mine"), ours + ":/mine");
  EXPECT_EQ(with(ours + ":/mine"), ours + ":/mine");  // a recorded program that runs zerostall
}

TEST_F(RecordRun, RenamesTheTraceWhenTheChildHasEnded) {
  const auto outcome = record_run(options("echo data > \"$ZEROSTALL_TRACE\"; exit 3"), paths, inbox);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->has_trace);
  EXPECT_EQ(outcome->child.exit_code, 3);
  EXPECT_TRUE(fs::exists(folder.path() / "t.zstall"));
  EXPECT_FALSE(fs::exists(folder.path() / "t.zstall.part"));
}

TEST_F(RecordRun, SaysWhenThereIsNoTrace) {
  const auto outcome = record_run(options("true"), paths, inbox);
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->has_trace);
}

TEST_F(RecordRun, LeavesNoTraceOfAnInterruptedRun) {
  const auto outcome = record_run(options("echo data > \"$ZEROSTALL_TRACE\"; kill -INT $PPID; sleep 30"), paths, inbox);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->child.interrupted);
  EXPECT_FALSE(outcome->has_trace);
  EXPECT_FALSE(fs::exists(folder.path() / "t.zstall"));
  EXPECT_FALSE(fs::exists(folder.path() / "t.zstall.part"));
}

TEST_F(RecordRun, LeavesNothingBesideATargetThatCannotBeReplaced) {
  fs::create_directory(folder.path() / "t.zstall");
  const auto outcome = record_run(options("echo data > \"$ZEROSTALL_TRACE\""), paths, inbox);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("cannot write "));
  EXPECT_FALSE(fs::exists(folder.path() / "t.zstall.part"));
}

TEST_F(RecordRun, LeavesOutVariables) {
  ::setenv("ZEROSTALL_TEST_OURS", "x", 1);
  RecordOptions without = options("echo ${ZEROSTALL_TEST_OURS-unset}");
  without.without = {"ZEROSTALL_TEST_OURS"};
  const auto outcome = record_run(without, paths, inbox);
  ::unsetenv("ZEROSTALL_TEST_OURS");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->child.out, "unset\n");
}

TEST_F(RecordRun, NamesAPartThatIsMissing) {
  fs::remove(paths.tracer);
  EXPECT_THAT(record_run(options("true"), paths, inbox).error().message,
              HasSubstr("the tracer is missing from this installation"));
}

TEST_F(RecordRun, RefusesAPlaceThatLdPreloadCannotName) {
  paths = paths_beside(folder.path() / "with space" / "bin");
  for (const fs::path& file : {paths.tracer, paths.simulator}) {
    fs::create_directories(file.parent_path());
    ASSERT_TRUE(write_file(file, ""));
  }
  Injection options;
  options.simulate = true;
  EXPECT_THAT(check_parts(options, paths).error().message, HasSubstr("a space or colon"));
  options.simulate = false;
  EXPECT_TRUE(check_parts(options, paths));
}

TEST_F(RecordRun, ListsTheModelsThatCanBeSimulated) {
  fs::create_directories(paths.models);
  ASSERT_TRUE(write_file(paths.models / "h200.json", "{}"));
  ASSERT_TRUE(write_file(paths.models / "a100.json", "{}"));
  ASSERT_TRUE(write_file(paths.models / "README.md", ""));
  EXPECT_THAT(model_names(paths), ElementsAre("a100", "h200"));
  fs::remove(paths.simulator);
  EXPECT_THAT(model_names(paths), ElementsAre());
}

TEST(OwnPaths, AreBesideTheRunningProgram) {
  const auto paths = own_paths();
  ASSERT_TRUE(paths);
  EXPECT_THAT(paths->tracer.string(), EndsWith("lib/zerostall/libzerostall_tracer.so"));
}

TEST(DetectGpu, NamesTheGpuOrTheReason) {
  const GpuFound found = detect_gpu();
  EXPECT_NE(found.usable, found.name.empty());
  EXPECT_EQ(found.usable, found.why_not.empty());
}

}  // namespace
}  // namespace zerostall
