// `verify` from outside, with prepared traces in place of the scenario program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/installation.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A trace of the flux2 step at batch 2: `bn` uploads and `loss` reads in `train`; step `odd_step` has `odd_bn` uploads.
std::string trace_with(int bn, int loss, int odd_step = -1, int odd_bn = 0, int steps = 12) {
  TraceBuilder t;
  for (int n = 0; n < steps; ++n)
    t.step(n, [&] {
      t.range("load", [&] {
        for (int i = 0; i < 10; ++i) t.upload(4096);
      });
      t.range("train", [&] {
        for (int i = 0; i < (n == odd_step ? odd_bn : bn); ++i) t.upload(512);
        t.launch();
        for (int i = 0; i < loss; ++i) t.item();
      });
    });
  return t.bytes();
}

std::map<std::string, std::string> good_traces() {
  return {{"none", trace_with(2, 1)},
          {"bn-pinning", trace_with(0, 1)},
          {"async-loss", trace_with(2, 0)},
          {"bn-pinning+async-loss", trace_with(0, 0)}};
}

const std::vector<std::string> kVerify = {"verify", "flux2", "--size", "tiny", "--device", "sim"};

std::vector<std::string> with(std::vector<std::string> more) {
  more.insert(more.begin(), kVerify.begin(), kVerify.end());
  return more;
}

TEST(VerifyWithPreparedTraces, PassesAndPrintsTheTable) {
  Installation here;
  here.use_traces(good_traces());
  const ChildResult result = here.run(kVerify);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");  // quiet when piped
  EXPECT_THAT(result.out, HasSubstr("FLUX.2 tiny"));
  EXPECT_THAT(result.out, HasSubstr("12 steps, first 2 not judged · simulated H200\n"));
  EXPECT_THAT(result.out, HasSubstr("whole step, loader included: 13 → 10 stream syncs\n"));
  EXPECT_THAT(result.out, HasSubstr("PASS  0 host waits inside `train` in each of 10 judged steps, both fixes on"));
  EXPECT_THAT(here.files_in("tmp"), ElementsAre());
}

TEST(VerifyWithPreparedTraces, FailsNamingFixStepAndCall) {
  Installation here;
  auto traces = good_traces();
  traces["bn-pinning"] = trace_with(0, 1, 7, 2);
  here.use_traces(traces);
  const ChildResult result = here.run(with({"--sabotage", "bn-pinning@7"}));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out,
              HasSubstr("FAIL  bn-pinning removed 0 of 2 waits in step 7: 2 × cudaMemcpyAsync 512 B host to device + "
                        "cudaStreamSynchronize\n"));
}

TEST(VerifyWithPreparedTraces, GivesTheSameJsonTwice) {
  Installation here;
  here.use_traces(good_traces());
  const ChildResult first = here.run(with({"--json"})),
                    second = here.run(with({"--json", "--keep", here.path("kept").string()}));
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_EQ(first.out, second.out);
  EXPECT_EQ(nlohmann::json::parse(first.out)["verdict"], "pass");
  EXPECT_EQ(first.out.find(here.path("").string()), std::string::npos);
}

TEST(VerifyWithPreparedTraces, KeepsTheTracesOfEachSetting) {
  Installation here;
  here.use_traces(good_traces());
  ASSERT_EQ(here.run(with({"--keep", here.path("new/kept").string()})).exit_code, 0);
  EXPECT_THAT(here.files_in("new/kept"),
              ElementsAre("async-loss.zstall", "bn-pinning+async-loss.zstall", "bn-pinning.zstall", "none.zstall"));
  const ChildResult stat = here.run({"stat", here.path("new/kept/none.zstall").string(), "--json"});
  EXPECT_EQ(nlohmann::json::parse(stat.out)["regions"]["train"]["per_step"]["waits"]["median"], 3);
}

TEST(VerifyWithPreparedTraces, ComparesNoneAndTheNamedSet) {
  Installation here;
  here.use_traces(good_traces());
  const ChildResult result = here.run(with({"--fix", "async-loss", "--fix", "bn-pinning", "--json"}));
  EXPECT_EQ(result.exit_code, 0);
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["runs"].size(), 2u);
  EXPECT_EQ(json["runs"][1]["fixes"], nlohmann::json({"bn-pinning", "async-loss"}));
}

TEST(VerifyWithPreparedTraces, CannotTellFromACutTraceOrTooFewSteps) {
  Installation here;
  auto traces = good_traces();
  const std::string whole = traces["none"];
  traces["none"] = whole.substr(0, whole.size() - 4);
  here.use_traces(traces);
  const ChildResult cut = here.run(kVerify);
  EXPECT_EQ(cut.exit_code, 3);
  EXPECT_THAT(cut.out, HasSubstr("CANNOT TELL  no fix: the trace is cut off"));

  traces["none"] = trace_with(2, 1, -1, 0, 4);
  here.use_traces(traces);
  const ChildResult few = here.run(kVerify);
  EXPECT_EQ(few.exit_code, 3);
  EXPECT_THAT(few.out, HasSubstr("CANNOT TELL  no fix: 2 steps in the trace to judge"));
}

TEST(VerifyWithPreparedTraces, RunsTheScenarioWithTheRightArguments) {
  Installation here;
  here.use_script(
      "echo \"$@\" >> \"$(dirname \"$0\")/arguments\"; env | grep -E '^(ZEROSTALL_SIM|LD_PRELOAD)' >&2; exit 5");
  const ChildResult result = here.run({"verify", "flux2", "--device", "sim:h200", "--steps", "9", "--batch", "3",
                                       "--accum", "4", "--fix", "async-loss=upstream", "--sabotage", "async-loss@5"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("ZEROSTALL_SIM_MODEL=h200"));
  EXPECT_THAT(result.err, HasSubstr("libzerostall_simgpu.so"));
  const auto file = MappedFile::open(here.path("arguments"));
  ASSERT_TRUE(file);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()),
            "flux2 --size klein-9b --steps 9 --batch 3 --accum 4 --device cuda\n");
}

}  // namespace
}  // namespace zerostall
