// What trackers report of CUPTI in real programs, provoked on the simulated GPU: the program always ends well, and what
// the trace lacks, it says. README.md lists the pitfalls by number.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "profiler/base/files.h"
#include "tests/cli/program.h"
#include "tests/faults/fault_count.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;
using Environment = std::map<std::string, std::string>;

constexpr int kSteps = 5, kKernels = 4;  // of pitfalls_subject

struct Recorded {
  ChildResult record;
  Json stat;  // null without a trace
};

class Pitfalls : public ::testing::Test {
 protected:
  Recorded run(const std::string& mode, Environment environment = {}) {
    if ((mode != "steps" && mode != "many-records") || !environment.empty()) faults.next();
    const fs::path trace = folder.path() / "run.zstall";
    fs::remove(trace);
    Recorded r;
    r.record = testing::run_program(fs::path(BIN_DIR) / "zerostall",
                                    {"record", "--device", "sim", "-o", trace.string(), "--", SUBJECT, mode},
                                    std::move(environment));
    if (!fs::exists(trace)) return r;
    // Into a file: of a child's output only so much is kept.
    const fs::path json = folder.path() / "stat.json";
    const std::string zerostall = (fs::path(BIN_DIR) / "zerostall").string();
    testing::run_program(
        "/bin/sh", {"-c", "\"$0\" stat --json --warmup 0 \"$1\" > \"$2\"", zerostall, trace.string(), json.string()});
    r.stat = Json::parse(std::ifstream(json));
    return r;
  }
  Recorded with_fault(const std::string& faults, const std::string& mode = "steps") {
    return run(mode, {{"ZEROSTALL_SIM_CUPTI_FAULTS", faults}});
  }

  static std::int64_t waits(const Recorded& r) { return r.stat.at("totals").at("waits").get<std::int64_t>(); }
  static std::int64_t kernels(const Recorded& r) { return r.stat.at("gpu_work").at("kernels").get<std::int64_t>(); }
  static std::int64_t lost(const Recorded& r) { return r.stat.at("lost").get<std::int64_t>(); }
  static std::int64_t oddity(const Recorded& r, const char* name) { return r.stat.at("oddities").value(name, 0); }

  static std::int64_t peak_kib(const Recorded& r) {
    const std::size_t at = r.record.out.find("peak ");
    return at == std::string::npos ? 0 : std::stoll(r.record.out.substr(at + 5));
  }

  // The program ran to its end, and its calls are all there: whatever happened to GPU records.
  static void expect_all_calls(const Recorded& r) {
    ASSERT_THAT(r.record.out, HasSubstr("ok\n")) << r.record.err;
    ASSERT_FALSE(r.stat.is_null()) << r.record.err;
    EXPECT_EQ(r.record.exit_code, 0) << r.record.err;
    EXPECT_EQ(waits(r), kSteps);
    EXPECT_EQ(r.stat.at("steps").size(), static_cast<std::size_t>(kSteps));
    EXPECT_EQ(r.stat.at("calls").at("cudaLaunchKernel").at("count"), kSteps * kKernels);
  }
  // Untraced, unharmed, and said in one line why: exit code 4.
  static void expect_untraced(const Recorded& r, const std::string& why) {
    EXPECT_THAT(r.record.out, HasSubstr("ok\n"));
    EXPECT_EQ(r.record.exit_code, 4) << r.record.err;
    EXPECT_THAT(r.record.err, HasSubstr(why));
    EXPECT_TRUE(r.stat.is_null());
  }

  TempFolder folder = std::move(*TempFolder::make());
  testing::FaultCount faults{"cupti_fails"};
};

TEST_F(Pitfalls, NothingIsWrongWithoutAny) {
  const Recorded r = run("steps");
  expect_all_calls(r);
  EXPECT_EQ(kernels(r), kSteps * kKernels);
  EXPECT_EQ(lost(r), 0);
  EXPECT_TRUE(r.stat.at("complete"));
  EXPECT_THAT(r.record.err, Not(ContainsRegex("libcupti|CUPTI|incomplete")));
}

TEST_F(Pitfalls, TheTraceTellsWhichCopyOfLibcuptiItComesFromByAPathThatTellsNothingElse) {
  const Recorded r = run("steps");
  expect_all_calls(r);
  std::ifstream file(folder.path() / "run.zstall", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(std::regex_search(
      bytes, std::regex(R"re("cupti": \{"path": "[^/"][^"]*libcupti\.so\.13", "version": 130001, "copies": 1\})re")));
}

// --- 1, 16, 20: who holds the slot, and what is no CUPTI for this machine

TEST_F(Pitfalls, P01_AToolOfTheProgramThatSubscribedFirstIsNamed) {
  expect_untraced(run("holds-first"), "'CUPTI for the first' holds CUPTI in this process");
}

TEST_F(Pitfalls, P20_AToolAroundTheProgramIsNamedWhereItTellsItsName) {
  expect_untraced(with_fault("holder=compute-sanitizer"), "'compute-sanitizer' holds CUPTI in this process");
  expect_untraced(with_fault("holder=compute-sanitizer,without-names=1"), "another tool holds CUPTI in this process");
}

TEST_F(Pitfalls, P01_AToolThatComesLaterGetsOurNameAndTheTraceGoesOn) {
  const Recorded r = run("comes-later");
  expect_all_calls(r);
  EXPECT_THAT(r.record.out, HasSubstr("holder: CUPTI for zerostall"));
  EXPECT_EQ(kernels(r), kSteps * kKernels);
}

TEST_F(Pitfalls, P16_ALibcuptiThatDoesNotFitTheDriver) {
  expect_untraced(with_fault("refuse=2"), "install the libcupti of the driver's CUDA version");
  expect_untraced(with_fault("refuse=15"), "libcupti finds no usable NVIDIA driver");
  expect_untraced(with_fault("refuse=999"), "take folders called stubs out of LD_LIBRARY_PATH");
  expect_untraced(with_fault("refuse=35"), "the driver lets only administrators profile");
}

// Under Nsight Compute the subscription works and the activity functions do not.
TEST_F(Pitfalls, P20_CallsAreCountedWhereGpuRecordsAreRefused) {
  const Recorded r = with_fault("refuse-activity=39");
  expect_all_calls(r);
  EXPECT_EQ(kernels(r), 0);
  EXPECT_FALSE(r.stat.at("complete"));
  EXPECT_THAT(r.record.err, HasSubstr("GPU records incomplete"));
}

// --- 2, 6, 7, 8, 9: what other tools do to a running trace

TEST_F(Pitfalls, P07_RecordsThatAnotherToolTookAreMissingAloud) {
  const Recorded r = run("takes-records");
  expect_all_calls(r);
  EXPECT_EQ(kernels(r), 2 * kKernels) << "those of the steps before";
  EXPECT_EQ(lost(r), (kSteps - 2) * kKernels);
  EXPECT_FALSE(r.stat.at("complete"));
  EXPECT_THAT(r.record.err, HasSubstr("GPU records incomplete"));
}

TEST_F(Pitfalls, P08_P09_CuptiShutDownByTheProgramIsNoEndOfWaits) {
  const Recorded r = run("finalizes");
  EXPECT_THAT(r.record.out, HasSubstr("ok\n"));
  ASSERT_FALSE(r.stat.is_null()) << r.record.err;
  EXPECT_FALSE(r.stat.at("complete"));
  EXPECT_EQ(waits(r), 3) << "of the steps before";
  EXPECT_THAT(r.record.err, HasSubstr("CUPTI was shut down by another tool of this process"));
}

TEST_F(Pitfalls, P08_CuptiThatFailsAndDetachesItselfIsNoEndOfWaits) {
  const Recorded r = with_fault("shut-down-after=20");
  EXPECT_THAT(r.record.out, HasSubstr("ok\n"));
  ASSERT_FALSE(r.stat.is_null()) << r.record.err;
  EXPECT_FALSE(r.stat.at("complete"));
  EXPECT_LT(waits(r), kSteps);
  EXPECT_THAT(r.record.err, HasSubstr("CUPTI failed and detached itself"));
}

TEST_F(Pitfalls, P06_BuffersThatAnotherToolChangedAreSaid) {
  const Recorded r = run("changes-buffers");
  expect_all_calls(r);
  EXPECT_THAT(r.record.err, HasSubstr("another tool of this process changed CUPTI's buffers"));
}

// --- 3, 4, 5, 22: buffers

TEST_F(Pitfalls, P05_RecordsThatOnlyAForcedFlushGivesArriveAtTheEnd) {
  const Recorded r = with_fault("only-forced=1");
  expect_all_calls(r);
  EXPECT_EQ(kernels(r), kSteps * kKernels);
  EXPECT_EQ(lost(r), 0);
}

TEST_F(Pitfalls, P04_BuffersThatNeverComeBackTakeALimitedShareOfMemory) {
  const Recorded plain = run("many-records");
  const Recorded r = with_fault("hoard=1", "many-records");
  EXPECT_THAT(r.record.out, HasSubstr("ok\n"));
  EXPECT_EQ(waits(r), kSteps);
  EXPECT_GT(lost(r), 0);
  EXPECT_FALSE(r.stat.at("complete"));
  EXPECT_EQ(kernels(plain), kSteps * (4000 + kKernels));
  EXPECT_GT(peak_kib(plain), 0);
  EXPECT_LT(peak_kib(r) - peak_kib(plain), 64 * 1024) << "20,000 buffers would be 5 GiB";
}

TEST_F(Pitfalls, P03_AnOldCuptiIsNeverGivenANullBuffer) {
  const Recorded r = with_fault("hoard=1,old=1", "many-records");
  EXPECT_THAT(r.record.out, HasSubstr("ok\n")) << "a null buffer ends the program: " << r.record.err;
}

TEST_F(Pitfalls, DroppedRecordsAreCounted) {
  const Recorded r = run("steps", {{"ZEROSTALL_SIM_CUPTI_DROP", "3"}});
  expect_all_calls(r);
  EXPECT_GT(lost(r), 0);
  EXPECT_FALSE(r.stat.at("complete"));
}

// --- 7, 11, 12, 13, 15: records that are wrong

TEST_F(Pitfalls, P07_RecordsThatComeTwiceCountOnce) {
  const Recorded r = with_fault("twice=3");
  expect_all_calls(r);
  EXPECT_EQ(kernels(r), kSteps * kKernels);
  EXPECT_GT(oddity(r, "repeated_gpu_ops"), 0);
}

TEST_F(Pitfalls, P13_TimesOfZeroAndBeyondAllBoundsAreLeftOutOfTimes) {
  for (const Environment& wrong : {Environment{{"ZEROSTALL_SIM_CUPTI_ZERO_TIMES", "3"}},
                                   Environment{{"ZEROSTALL_SIM_CUPTI_FAULTS", "high-times=3"}}}) {
    const Recorded r = run("steps", wrong);
    expect_all_calls(r);
    EXPECT_EQ(kernels(r), kSteps * kKernels);
    EXPECT_GT(oddity(r, "bad_times"), 0);
  }
}

TEST_F(Pitfalls, P12_WorkThatBeginsBeforeItsLaunchIsLeftOutOfTimes) {
  const Recorded r = with_fault("early=3");
  expect_all_calls(r);
  EXPECT_EQ(kernels(r), kSteps * kKernels);
  EXPECT_GT(oddity(r, "bad_times"), 0);
}

TEST_F(Pitfalls, P11_P15_RecordsOfNoKnownCallAreCountedAndTheirLaunchesMissThem) {
  const Recorded r = with_fault("stray=5");
  expect_all_calls(r);
  EXPECT_GT(oddity(r, "unlinked_gpu_ops"), 0);
  EXPECT_GT(lost(r), 0) << "launches whose record went astray";
}

TEST_F(Pitfalls, P15_GraphLaunchesLeaveNothingBehind) {
  const Recorded r = run("graphs");
  EXPECT_THAT(r.record.out, HasSubstr("ok\n")) << r.record.err;
  EXPECT_EQ(kernels(r), 500 * kKernels);
  EXPECT_EQ(lost(r), 0) << "neither the captured launches nor those of the graph miss a record";
  EXPECT_EQ(oddity(r, "unlinked_gpu_ops"), 0);
}

// --- 15, 21: copies, forks

TEST_F(Pitfalls, P15_ASecondCopyOfLibcuptiIsCountedAndSaid) {
  fs::create_directories(folder.path() / "triton");
  // By its full name: what is opened by its short one becomes the simulated copy.
  const std::string second = (folder.path() / "triton/libcupti.so.2025.1.1").string();
  fs::copy_file(fs::path(FAKES) / "libfake_cupti_13.so", second);
  for (const auto& [mode, variable] : {std::pair("steps", "LD_PRELOAD"), std::pair("opens-a-copy", "COPY")}) {
    const Recorded r = run(mode, {{variable, second}});
    expect_all_calls(r);
    EXPECT_EQ(kernels(r), kSteps * kKernels);
    EXPECT_THAT(r.record.err, HasSubstr("2 copies of libcupti are loaded")) << mode;
  }
}

TEST_F(Pitfalls, P16_AFolderOfStubsInTheSearchPathDoesNoHarm) {
  const fs::path stubs = folder.path() / "lib64/stubs";
  fs::create_directories(stubs);
  fs::copy_file(fs::path(FAKES) / "libfake_cupti_99.so", stubs / "libcupti.so.13");
  fs::copy_file(fs::path(FAKES) / "libfake_cupti_99.so", stubs / "libcupti.so.12");
  const Recorded r = run("steps", {{"LD_LIBRARY_PATH", stubs.string()}});
  expect_all_calls(r);
  EXPECT_EQ(lost(r), 0);
}

TEST_F(Pitfalls, P21_ForksInTheMiddleOfCallsDoNotHang) {
  const Recorded r = run("forks");
  EXPECT_THAT(r.record.out, HasSubstr("ok\n")) << r.record.err;
  EXPECT_EQ(r.record.exit_code, 0);
  EXPECT_EQ(waits(r), kSteps);
  EXPECT_EQ(lost(r), 0);
}

TEST_F(Pitfalls, AMistakeInTheListOfFaultsIsNoSilentDefault) {
  const Recorded r = with_fault("zero=1");
  EXPECT_NE(r.record.exit_code, 0);
  EXPECT_THAT(r.record.err, HasSubstr("ZEROSTALL_SIM_CUPTI_FAULTS: unknown or without a value: 'zero=1'"));
}

}  // namespace
}  // namespace zerostall
