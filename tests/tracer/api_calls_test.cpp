// Every kind of call, traced: call by call what the program says it did, and in sum what the simulator's own book says,
// which does not pass through CUPTI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "profiler/analyze/summary.h"
#include "profiler/analyze/waits.h"
#include "profiler/record/record.h"
#include "profiler/trace/api_table.h"
#include "profiler/trace/build_trace.h"
#include "profiler/trace/read_native.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;

using Counts = std::map<std::string, std::int64_t>;
using Lines = std::vector<std::string>;

struct Traced {
  ChildResult child;
  Trace trace;
  RunSummary summary;
  Counts said, in_trace, in_book;  // calls by name without the suffixes of default streams; of interest only
};

// "cudaFree: 3 and 2", so that a failure names what differs.
Lines differences(const Counts& a, const Counts& b) {
  Lines list;
  const auto count = [](const Counts& counts, const std::string& name) {
    const auto found = counts.find(name);
    return found == counts.end() ? 0 : found->second;
  };
  Counts all = a;
  all.insert(b.begin(), b.end());
  for (const auto& [name, unused] : all)
    if (count(a, name) != count(b, name))
      list.push_back(name + ": " + std::to_string(count(a, name)) + " and " + std::to_string(count(b, name)));
  return list;
}

// What CUPTI, too, calls a function that the libraries export as `name`.
std::string plain(const std::string& name) {
  std::string_view plain = strip_version(name);
  if (plain.starts_with("cuda") && plain.ends_with("_v2")) plain.remove_suffix(3);
  return std::string(plain);
}

class ApiCallsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/zerostall-api-XXXXXX";
    folder = mkdtemp(pattern);
  }
  void TearDown() override {
    fs::remove_all(folder);
    for (const char* name : set) ::unsetenv(name);
  }

  void environment(const char* name, const char* value) {
    ::setenv(name, value, 1);
    set.push_back(name);
  }

  Traced run(const std::string& mode, bool whole_graphs = false) {
    RecordOptions options;
    options.whole_graphs = whole_graphs;
    options.argv = {SUBJECT, mode};
    options.trace_file = folder / "run.zstall";
    options.simulate = true;
    options.sim_log = folder / "book.json";
    SignalInbox inbox;
    auto child = run_child({options.argv, injection(options, paths_beside(BIN_DIR), options.trace_file)}, inbox);
    if (!child) throw std::runtime_error(child.error().message);
    Traced t;
    t.child = *child;
    t.trace = build_trace(read(options.trace_file));
    t.summary = analyze(read(options.trace_file), {});
    for (const Call& call : t.trace.calls) ++t.in_trace[std::string(t.trace.text(call.name))];
    std::istringstream lines(t.child.out);
    for (std::string name, rest; lines >> name && std::getline(lines, rest);) ++t.said[plain(name)];
    std::ifstream file(options.sim_log);
    const auto book = nlohmann::json::parse(file);
    for (const auto& [name, count] : book.at("calls").items())
      if (!find_api(name).name.empty()) t.in_book[plain(name)] += count.get<std::int64_t>();
    return t;
  }

  static RawTrace read(const fs::path& path) {
    auto raw = read_native(path);
    if (!raw) throw std::runtime_error(raw.error().message);
    return std::move(*raw);
  }

  fs::path folder;
  std::vector<const char*> set;
};

// "cudaMemcpy blocking_copy failed"
Lines waits_found(const Trace& trace) {
  Lines list;
  for (const Wait& wait : find_waits(trace)) {
    const Call& call = trace.calls[wait.sync != kNoIndex ? wait.sync : wait.copy];
    list.push_back(std::string(trace.text(call.name)) + " " + std::string(name_of(wait.kind)) +
                   (wait.failed ? " failed" : ""));
  }
  return list;
}

Lines waits_said(const std::string& out) {
  Lines list;
  std::istringstream lines(out);
  for (std::string name, effect; lines >> name && std::getline(lines, effect);)
    if (effect != " none") list.push_back(std::string(strip_version(name)) + effect);
  return list;
}

TEST_F(ApiCallsTest, EveryVariantIsRecordedOnceAndTakenForWhatItIs) {
  const Traced t = run("all");
  ASSERT_EQ(t.child.exit_code, 0) << t.child.err;
  EXPECT_EQ(waits_found(t.trace), waits_said(t.child.out));
  EXPECT_EQ(differences(t.in_trace, t.said), Lines{});
  EXPECT_EQ(differences(t.in_trace, t.in_book), Lines{});
  EXPECT_THAT(t.trace.oddities, ::testing::IsEmpty());
}

TEST_F(ApiCallsTest, CallsWithNothingButZerosAreRecordedAndHarmNobody) {
  const Traced t = run("with-nothing");
  ASSERT_EQ(t.child.exit_code, 0) << t.child.err << "\nafter: " << t.child.out.substr(t.child.out.size() - 200);
  EXPECT_EQ(differences(t.in_trace, t.in_book), Lines{});
  EXPECT_GT(t.in_trace.size(), 150u);
  for (const auto& [name, count] : t.in_trace) EXPECT_EQ(count, t.said.at(name)) << name;
}

TEST_F(ApiCallsTest, ThreeQueriesInARowThatAreNotReadyAreOneSpin) {
  const Traced t = run("polls");
  ASSERT_EQ(t.child.exit_code, 0) << t.child.err;
  EXPECT_EQ(waits_found(t.trace), waits_said(t.child.out));
  EXPECT_EQ(differences(t.in_trace, t.in_book), Lines{});
}

TEST_F(ApiCallsTest, FunctionsOfANewerCuptiAreRecordedNamedAndHideNothing) {
  environment("ZEROSTALL_SIM_CUPTI_NEW_API", "cudaDeviceSynchronize_v3020:cudaNewWait_v14000");
  const Traced t = run("all");
  ASSERT_EQ(t.child.exit_code, 0) << t.child.err;
  EXPECT_THAT(t.trace.meta.unknown_apis, ::testing::ElementsAre("cudaNewWait_v14000"));
  EXPECT_EQ(t.summary.unknown, (Counts{{"cudaNewWait", t.said.at("cudaDeviceSynchronize")}}));
  const Counts& seen = t.in_trace;
  EXPECT_EQ(seen.at("cuCtxSynchronize"), 1 + t.said.at("cudaDeviceSynchronize")) << "what it calls is seen";
  EXPECT_EQ(t.summary.totals[Counter::device_syncs], seen.at("cuCtxSynchronize") + seen.at("cudaThreadSynchronize"));
}

TEST_F(ApiCallsTest, LaunchesThatWaitForAPlaceInTheQueueAreThoseTheDriverNames) {
  const Traced t = run("fills-the-queue");
  ASSERT_EQ(t.child.exit_code, 0) << t.child.err;
  EXPECT_TRUE(t.trace.meta.tells_queue_full);
  EXPECT_EQ(t.summary.totals[Counter::queue_full], 1030 - 1024);
  EXPECT_EQ(t.summary.totals[Counter::waits], 1);
  EXPECT_EQ(differences(t.in_trace, t.in_book), Lines{});
}

TEST_F(ApiCallsTest, AKernelLoadedAtItsFirstLaunchIsSeen) {
  EXPECT_EQ(run("polls").trace.lazy_loads.size(), 1u);
  environment("CUDA_MODULE_LOADING", "EAGER");
  fs::remove(folder / "run.zstall");
  EXPECT_EQ(run("polls").trace.lazy_loads.size(), 0u);
}

TEST_F(ApiCallsTest, AGraphIsRecordedNodeByNodeOrAsAWhole) {
  const Traced nodes = run("graphs");
  EXPECT_EQ(nodes.summary.gpu_work.graphs, 0);
  EXPECT_EQ(nodes.summary.gpu_work.kernels, 1 + 5 + 3 * 2);
  fs::remove(folder / "run.zstall");
  const Traced whole = run("graphs", true);
  EXPECT_EQ(whole.summary.gpu_work.graphs, 3);
  EXPECT_EQ(whole.summary.gpu_work.kernels, std::nullopt) << "not 6: what was in the graphs is not known";
  EXPECT_EQ(differences(whole.in_trace, nodes.in_trace), Lines{});
  EXPECT_THAT(whole.trace.oddities, ::testing::IsEmpty());
  EXPECT_EQ(whole.summary.totals[Counter::drains], nodes.summary.totals[Counter::drains]);
}

TEST_F(ApiCallsTest, RecordsWithoutTimesCountAndHaveNoTimes) {
  environment("ZEROSTALL_SIM_CUPTI_ZERO_TIMES", "4");
  const Traced t = run("all");
  ASSERT_EQ(t.child.exit_code, 0) << t.child.err;
  EXPECT_EQ(t.trace.oddities.at("bad_times"), static_cast<std::int64_t>(t.trace.gpu_ops.size() / 4));
  EXPECT_EQ(waits_found(t.trace), waits_said(t.child.out)) << "kinds of waits do not need times";
}

TEST_F(ApiCallsTest, DroppedRecordsAreCounted) {
  environment("ZEROSTALL_SIM_CUPTI_DROP", "5");
  const Traced t = run("all");
  ASSERT_EQ(t.child.exit_code, 0) << t.child.err;
  EXPECT_GT(t.summary.lost, 5);
  EXPECT_FALSE(t.summary.complete());
  EXPECT_EQ(t.summary.totals[Counter::drains], std::nullopt);
  EXPECT_EQ(differences(t.in_trace, t.in_book), Lines{}) << "calls do not pass through buffers";
}

}  // namespace
}  // namespace zerostall
