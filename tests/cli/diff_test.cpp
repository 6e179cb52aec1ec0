// `zerostall diff` and `zerostall explain`, as a user would call them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "profiler/base/files.h"
#include "tests/cli/program.h"
#include "tests/trace/import/expected.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_program;
using testing::TraceBuilder;

std::string data(const std::string& name) { return std::string(ZEROSTALL_SOURCE_DIR) + "/tests/data/kineto/" + name; }

ChildResult run(std::string command, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), std::move(command));
  return run_program(ZEROSTALL_PROGRAM, std::move(arguments));
}

ChildResult diff(std::vector<std::string> arguments) { return run("diff", std::move(arguments)); }

class Diff : public ::testing::Test {
 protected:
  // A run of 10 steps, each with this many reads; `launches` kernels before them.
  std::string trace(const std::string& name, int items, int steps = 10, const std::string& meta = "") {
    TraceBuilder t;
    if (!meta.empty()) t.meta = meta;
    for (int n = 0; n < steps; ++n)
      t.step(n, [&] {
        for (int i = 0; i < 10; ++i) t.launch();
        for (int i = 0; i < items; ++i) t.item();
      });
    const fs::path path = folder_->path() / name;
    t.write(path);
    return path.string();
  }

  const Result<TempFolder> folder_ = TempFolder::make();
};

TEST_F(Diff, PrintsADifferenceAndDoesNotFail) {
  const ChildResult result = diff({trace("a.zstall", 3), trace("b.zstall", 1)});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("changed 3 → 1  cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize"),
                    HasSubstr("COUNTS DIFFER  waits/step 3 → 1 (1 kind changed)"), HasSubstr("diff never fails")));
}

TEST_F(Diff, TakesSeveralRunsASide) {
  const std::string a1 = trace("a1.zstall", 1), a2 = trace("a2.zstall", 1), b = trace("b.zstall", 1);
  const ChildResult result = diff({a1, a2, "--vs", b, "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json parsed = json::parse(result.out);
  EXPECT_EQ(parsed["a"].size(), 2u);
  EXPECT_EQ(parsed["b"].size(), 1u);
  EXPECT_EQ(parsed["counts"]["verdict"], "equal");
  EXPECT_EQ(parsed["counts"]["counters"]["waits"]["a"]["samples"], 16);
  EXPECT_EQ(diff({a2, a1, "--vs", b}).out.substr(diff({a2, a1, "--vs", b}).out.find('\n')),
            diff({a1, a2, "--vs", b}).out.substr(diff({a1, a2, "--vs", b}).out.find('\n')));
}

TEST_F(Diff, ASimulatedResultIsCheckedOnARealGpu) {
  const std::string real = R"({"tool": "test", "clock": "measured", "device": {"name": "NVIDIA H200"}})";
  EXPECT_THAT(diff({trace("sim.zstall", 3), trace("real.zstall", 3, 14, real)}).out,
              HasSubstr("COUNTS EQUAL  3 waits/step, same waits; times not compared (simulated against measured)\n"));
}

TEST_F(Diff, OtherToolsTracesCompareWithOurs) {
  const ChildResult result = diff({data("steps.json"), trace("b.zstall", 1), "--warmup", "0"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("COUNTS DIFFER  waits/step 2 → 1"));
}

TEST_F(Diff, RefusesWhatCannotBeCompared) {
  const std::string a = trace("a.zstall", 1);
  const auto refusal = [&](std::vector<std::string> arguments, int code) {
    const ChildResult result = diff(std::move(arguments));
    EXPECT_EQ(result.exit_code, code) << result.out << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  };
  EXPECT_THAT(refusal({a}, 2), HasSubstr("diff needs two traces"));
  EXPECT_THAT(refusal({}, 2), HasSubstr("diff needs two traces"));
  EXPECT_THAT(refusal({a, a, a}, 2), HasSubstr("more than two traces: say where side B begins"));
  EXPECT_THAT(refusal({"--vs", a}, 2), HasSubstr("no trace in front of --vs"));
  EXPECT_THAT(refusal({a, "missing.zstall"}, 2), HasSubstr("missing.zstall"));
  EXPECT_THAT(refusal({a, a, "--step-pattern", "("}, 2), HasSubstr("is not a regular expression"));
  EXPECT_THAT(refusal({a, data("steps.json"), "--step-pattern", "nowhere"}, 3), HasSubstr("matches 'nowhere'"));
  EXPECT_THAT(refusal({a, a, "--rank", "7"}, 3), HasSubstr("no process of rank 7"));
  const fs::path cpu = folder_->path() / "cpu.json";
  ASSERT_TRUE(write_file(cpu, R"([{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":1,"dur":1}])"));
  EXPECT_THAT(refusal({a, cpu.string()}, 3), HasSubstr("holds no CUDA call"));
}

TEST_F(Diff, OfRecordingsWithSeveralProcessesTheSameRankIsCompared) {
  fs::create_directories(folder_->path() / "a");
  fs::create_directories(folder_->path() / "b");
  const auto meta = [](int rank) {
    return R"({"tool": "test", "clock": "modelled", "rank": )" + std::to_string(rank) + ", \"world_size\": 2}";
  };
  trace("a/rank0.zstall", 1, 10, meta(0));
  trace("a/rank1.zstall", 3, 10, meta(1));
  trace("b/rank0.zstall", 5, 10, meta(0));
  trace("b/rank1.zstall", 2, 10, meta(1));
  const std::vector<std::string> sides = {(folder_->path() / "a").string(), (folder_->path() / "b").string()};
  EXPECT_THAT(diff(sides).out, HasSubstr("waits/step 3 → 2"));
  EXPECT_THAT(diff({sides[0], sides[1], "--rank", "0"}).out, HasSubstr("waits/step 1 → 5"));
}

// Public traces from before and after a change: what each screen must say.
struct Pair {
  const char *a, *b, *says;
};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.a << " " << pair.b; }

class DiffCorpus : public ::testing::TestWithParam<Pair> {};

TEST_P(DiffCorpus, SaysWhatChangedOnOneScreen) {
  const auto folder = testing::corpus_folder();
  if (!folder) GTEST_SKIP() << "no public traces here (ZEROSTALL_TRACES)";
  const ChildResult result = diff({(*folder / GetParam().a).string(), (*folder / GetParam().b).string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(GetParam().says));
  EXPECT_LE(std::count(result.out.begin(), result.out.end(), '\n'), 50) << result.out;
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, DiffCorpus,
    ::testing::Values(
        Pair{"vit-before.json.gz", "vit-after.json.gz", "COUNTS DIFFER  waits/run 49 → 1"},
        Pair{"nsys-mfu-before.sqlite", "nsys-mfu-after.sqlite", "waits/run 17 → 15, per 1000 kernels 8.43 → 8.36"},
        Pair{"hta-diff-control.json.gz", "hta-diff-test.json.gz", "COUNTS EQUAL  10 waits/step"},
        Pair{"nsys-2.7b-292syncs.sqlite", "nsys-2.7b-clean.sqlite", "COUNTS DIFFER  waits/run 295 → 1"},
        Pair{"sam-fast-6907-syncs.json.gz", "sam-fast-272-syncs.json.gz", "COUNTS DIFFER  waits/run 6913 → 273"},
        Pair{"sam-fast-272-syncs.json.gz", "sam-fast-186-syncs.json.gz", "COUNTS DIFFER  waits/run 273 → 187"}));

TEST(Explain, ListsTheNamesAndExplainsEach) {
  const ChildResult list = run("explain", {});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out, AllOf(HasSubstr("scalar-read"), HasSubstr("library-internal"), HasSubstr("bn-pinning")));
  EXPECT_THAT(run("explain", {"dynamic-shape"}).out, HasSubstr("torch.where"));
  EXPECT_THAT(run("explain", {"async-loss"}).out, HasSubstr("zerostall explain scalar-read"));
}

TEST(Explain, SuggestsTheClosestName) {
  const ChildResult result = run("explain", {"scaler-read"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("unknown name 'scaler-read', did you mean 'scalar-read'?"));
}

}  // namespace
}  // namespace zerostall
