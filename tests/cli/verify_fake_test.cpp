// `verify` from outside, with prepared traces in place of the scenario program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/flux2_traces.h"
#include "tests/cli/installation.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

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
  EXPECT_EQ(result.err, kSimulatedWarning);  // and no progress when piped
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

std::string read_text(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(VerifyWithPreparedTraces, WritesSeveralFormatsAtOnce) {
  Installation here;
  here.use_traces(good_traces());
  const std::string json = here.path("verify.json").string(), junit = here.path("verify.xml").string();
  const ChildResult result = here.run(with({"--out", "junit=" + junit, "--out", "md=-", "--out", "json=" + json}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("**zerostall verify flux2: pass: each fix removes exactly the waits it claims**"));
  EXPECT_EQ(read_text(here.path("verify.json")), here.run(with({"--json"})).out);
  EXPECT_THAT(read_text(here.path("verify.xml")), HasSubstr("tests=\"5\" failures=\"0\" errors=\"0\""));
}

TEST(VerifyWithPreparedTraces, ItsPageHasTheTimelinesWithoutFixesAndWithAll) {
  Installation here;
  here.use_traces(good_traces());
  const std::string html = here.path("verify.html").string();
  EXPECT_EQ(here.run(with({"--out", "html=" + html})).exit_code, 0);
  const std::string page = read_text(html), mark = "id=\"zerostall-report\">";
  const std::size_t begin = page.find(mark) + mark.size();
  const auto report = nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  // 13 waits in each of 12 steps against 10: a wait is a slice of its own, of two calls and a copy.
  const int before = report["timeline"]["before"]["slices"], after = report["timeline"]["after"]["slices"];
  EXPECT_GE(before - after, 12 * 3 * 4);
  EXPECT_GT(after, 12 * 10 * 4);
  for (const char* side : {"before", "after"})
    EXPECT_THAT(page,
                HasSubstr(std::string("<script type=\"application/octet-stream\" id=\"zerostall-timeline-") + side));
  EXPECT_TRUE(report["before"][0]["trace"].is_null());  // it is gone
  EXPECT_EQ(here.run(with({"--keep", here.path("kept").string(), "--out", "html=" + html})).exit_code, 0);
  EXPECT_THAT(read_text(html), HasSubstr("zerostall export bn-pinning+async-loss.zstall"));
}

TEST(VerifyWithPreparedTraces, RefusesOutputsThatCannotBeBeforeItRuns) {
  Installation here;  // without traces: running would fail in another way
  ChildResult result = here.run(with({"--json", "--out", "md=-"}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--json and --out FORMAT=- cannot both go to standard output"));
  result = here.run(with({"--out", "junit=" + here.path("tmp").string()}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--out junit: cannot replace"));
  EXPECT_EQ(here.run(with({"--out", "sarif=a.sarif"})).exit_code, 2);  // not a format of `verify`
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
  EXPECT_EQ(cut.err, kSimulatedWarning);
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

TEST(VerifyWithPreparedTraces, SaysOnceThatTooFewStepsAreAskedForAndRunsNothing) {
  Installation here;
  here.use_script("touch \"$here/ran\"");
  const ChildResult result = here.run(with({"--steps", "4", "--warmup", "2", "--json"}));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("--steps 4 leaves 2 steps to judge after 2 of warm-up, at least 3 are needed"));
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["verdict"], "cannot-tell");
  EXPECT_EQ(json["reasons"].size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(here.path("ran")));
}

TEST(VerifyWithPreparedTraces, KeepsAUsersOwnTorchSettingsFromTheJob) {
  Installation here;
  here.use_script("env | grep -E 'ALLOC_CONF|CACHING|LAUNCH_BLOCKING|OTHER_SETTING' >&2; exit 5");
  const ChildResult result = here.shell(
      "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True PYTORCH_ALLOC_CONF=expandable_segments:True "
      "PYTORCH_NO_CUDA_MEMORY_CACHING=1 CUDA_LAUNCH_BLOCKING=1 OTHER_SETTING=stays "
      "exec \"$zerostall\" verify flux2 --device sim");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("exited with code 5: OTHER_SETTING=stays\n"));
}

}  // namespace
}  // namespace zerostall
