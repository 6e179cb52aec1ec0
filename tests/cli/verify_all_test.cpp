// Every model and every fix from outside, on the simulated GPU; and what a run does between its updates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/installation.h"
#include "tests/cli/json_output.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ChildResult verify(std::vector<std::string> more) {
  more.insert(more.begin(), "verify");
  more.insert(more.end(), {"--device", "sim"});
  return run_program(ZEROSTALL_PROGRAM, std::move(more));
}

json verify_json(std::vector<std::string> more) {
  more.insert(more.begin(), "verify");
  more.insert(more.end(), {"--device", "sim"});
  return json_written(std::move(more));
}

// Host waits per judged step of each run; -1 where steps differ.
std::vector<int> waits(const json& report, const std::string& region) {
  std::vector<int> list;
  for (const json& run : report["runs"]) {
    const json& spread = run["regions"][region]["per_step"]["waits"];
    list.push_back(spread["min"] == spread["max"] ? spread["median"].get<int>() : -1);
  }
  return list;
}

// In front: what unmodified OneTrainer was measured to do (reference-step.md section 0, and its variants at 32 linears
// there, 28 here); at the end: the whole step without a wait.
TEST(VerifyAll, EachFixRemovesItsShareAndAllOfThemEveryWaitOfEveryModel) {
  const json report = verify_json({"--all", "--size", "tiny"});
  EXPECT_EQ(report["schema"], "zerostall/verify-all/1");
  EXPECT_EQ(report["verdict"], "pass");
  std::map<std::string, std::pair<int, int>> seen;  // first and last run's waits in the whole step
  for (const json& job : report["jobs"]) {
    const auto whole = waits(job, "step");
    std::string name = job["scenario"].get<std::string>() + " " + job["size"].get<std::string>();
    for (const json& word : job["settings"]) name += " " + word.get<std::string>();
    seen[name] = {whole.front(), whole.back()};
    EXPECT_EQ(job["runs"].front()["fixes"].size(), 0u);
    EXPECT_GE(job["runs"].back()["fixes"].size(), 3u) << name;
  }
  EXPECT_EQ(seen, (decltype(seen){{"flux2 tiny", {13, 0}},
                                  {"flux2 dev-tiny", {14, 0}},
                                  {"ideogram4 tiny", {19, 0}},
                                  {"ernie tiny", {14, 0}},
                                  {"flux2 tiny resume=on", {69, 0}},
                                  {"flux2 tiny ema=cpu", {69, 0}},
                                  {"flux2 tiny precision=fp16", {14, 0}},
                                  {"flux2 tiny weights=fp8", {69, 0}}}));
}

TEST(VerifyAll, RefusesWhatItWouldIgnore) {
  EXPECT_THAT(verify({"--all", "--fix", "bn-pinning"}).err, HasSubstr("leave --fix and --sabotage out"));
  EXPECT_THAT(verify({"--all", "--size", "klein-9b"}).err, HasSubstr("not 'klein-9b'"));
  EXPECT_THAT(verify({"--all", "flux2"}).err, HasSubstr("leave the scenario out"));
  EXPECT_EQ(verify({"--all", "flux2"}).exit_code, 2);
}

TEST(VerifyLife, TheResumeTrapAndItsFix) {
  const json report = verify_json({"flux2", "--with", "resume", "--fix", "resume-steps-on-cpu"});
  EXPECT_THAT(waits(report, "train"), ElementsAre(3 + 288, 3));
}

// Backup, sampling and the end of an epoch move the VAE; setup brings its statistics back each time.
TEST(VerifyLife, BnPinningSurvivesWhatMovesTheVae) {
  const json report = verify_json({"flux2", "--size", "tiny", "--with", "backup-every=3", "--with", "sample-every=4",
                                   "--with", "validate-every=5", "--with", "samples=8"});
  EXPECT_THAT(waits(report, "train"), ElementsAre(3, 1, 2, 0));
  const json& between = report["runs"].back()["outside_regions"];
  for (const char* region : {"cache", "backup", "sample", "validate", "epoch"})
    EXPECT_GT(between[region].value("waits", 0), 0) << region;
  EXPECT_EQ(between["validate"]["waits"], 2 * 2) << "seed and loss, twice";
}

// However few images there are: each that the run keeps is encoded once, and comes back with one download.
TEST(VerifyLife, APlainRunCachesTheSamplesItKeeps) {
  const json report = verify_json({"flux2", "--size", "tiny", "--steps", "5"});
  for (const json& run : report["runs"]) EXPECT_EQ(run["outside_regions"]["cache"]["waits"], 2 * 4) << run["label"];
}

TEST(VerifyLife, AnEpochThatEndsInTheMiddleOfAnUpdateIsListedAndNotJudged) {
  const ChildResult result =
      verify({"flux2", "--size", "tiny", "--accum", "2", "--with", "samples=6"});  // 3 micro-steps per epoch
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("in `epoch` in 3 judged steps, not judged\n"));
}

struct Variant {
  std::vector<std::string> with;
  std::vector<int> train;  // no fix, bn-pinning, async-loss, both
};

// reference-step.md section 0, "Variants".
TEST(VerifyLife, VariantsWaitAsOftenAsTheReference) {
  for (const Variant& variant : std::vector<Variant>{{{"prior-preservation"}, {7, 3, 6, 2}},
                                                     {{"latent-caching=off"}, {1, 0}},
                                                     {{"ema=gpu"}, {3, 1, 2, 0}},
                                                     {{"optimizer=adamw-fused"}, {3, 1, 2, 0}},
                                                     {{"offload=0.7"}, {3, 1, 2, 0}},
                                                     {{"offload=0.7", "offload-async=off"}, {21, 19, 20, 18}},
                                                     {{"tensor-learning-rate"}, {59, 57, 58, 56}}}) {
    std::vector<std::string> arguments = {"flux2", "--size", "tiny", "--steps", "6"};
    for (const std::string& word : variant.with) arguments.insert(arguments.end(), {"--with", word});
    EXPECT_EQ(waits(verify_json(arguments), "train"), variant.train) << variant.with.back();
  }
}

TEST(VerifyLife, PresetsRunAtTinySize) {
  for (const char* preset : {"flux2-lora-8gb", "flux2-finetune-16gb", "ernie-lora-8gb", "ideogram4-finetune-24gb"}) {
    const ChildResult result = verify({preset, "--size", "tiny", "--steps", "6", "--fix", "all"});
    EXPECT_EQ(result.exit_code, 0) << preset << result.err << result.out;
    EXPECT_THAT(result.out, HasSubstr("PASS  0 host waits inside `train`")) << preset;
    EXPECT_THAT(result.out, HasSubstr("; none in the whole step, loader included")) << preset;
  }
}

}  // namespace
}  // namespace zerostall
