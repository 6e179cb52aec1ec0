// The main job from outside, on the simulated GPU: counts equal to what unmodified OneTrainer was measured to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "profiler/base/files.h"
#include "tests/cli/installation.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ChildResult verify(std::vector<std::string> more) {
  more.insert(more.begin(), {"verify", "flux2", "--device", "sim"});
  return run_program(ZEROSTALL_PROGRAM, std::move(more));
}

json verify_json(std::vector<std::string> more, int code = 0) {
  more.push_back("--json");
  const ChildResult result = verify(std::move(more));
  EXPECT_EQ(result.exit_code, code) << result.err << result.out.substr(0, 2000);
  return result.out.empty() ? json() : json::parse(result.out);
}

// A counter of each run, in the order of the settings; -1 where judged steps differ.
std::vector<int> counts(const json& report, const std::string& region, const std::string& counter) {
  std::vector<int> list;
  for (const json& run : report["runs"]) {
    const json& spread = run["regions"][region]["per_step"][counter];
    list.push_back(spread["min"] == spread["max"] ? spread["median"].get<int>() : -1);
  }
  return list;
}

// Copies per judged step of the run without fixes: "12582912 B host to device pageable" -> how many.
std::map<std::string, int> copies(const json& report) {
  std::map<std::string, int> found;
  for (const json& copy : report["runs"][0]["copies"]) {
    const int n = copy["per_step"]["median"];
    if (n > 0)
      found[std::to_string(copy["bytes"].get<int>()) + " B " + copy["direction"].get<std::string>() + " " +
            copy["host_memory"].get<std::string>()] += n;
  }
  return found;
}

TEST(VerifyFlux2, TinyShowsTheMeasuredCounts) {
  const json report = verify_json({"--size", "tiny"});
  EXPECT_EQ(report["verdict"], "pass");
  EXPECT_THAT(counts(report, "train", "waits"), ElementsAre(3, 1, 2, 0));
  EXPECT_THAT(counts(report, "train", "stream_syncs"), ElementsAre(3, 1, 2, 0));
  EXPECT_THAT(counts(report, "train", "event_syncs"), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(counts(report, "train", "h2d_stalls"), ElementsAre(2, 0, 2, 0));
  EXPECT_THAT(counts(report, "step", "stream_syncs"), ElementsAre(13, 11, 12, 10));
  EXPECT_THAT(counts(report, "step", "device_syncs"), ElementsAre(0, 0, 0, 0));
}

TEST(VerifyFlux2, PrintsTheTableAndTheVerdict) {
  const ChildResult result = verify({"--size", "tiny"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, kSimulatedWarning);
  EXPECT_THAT(result.out, HasSubstr("whole step, loader included: 13 → 10 stream syncs\n"));
  EXPECT_THAT(
      result.out,
      HasSubstr("PASS  0 host waits inside `train` in each of 10 judged steps, both fixes on; 10 stream syncs per step "
                "remain outside it (simulated H200: counted, no time measured)\n"));
}

TEST(VerifyFlux2, CountsPerUpdateWithAccumulation) {
  for (const int k : {2, 3}) {
    const json report = verify_json({"--size", "tiny", "--steps", "6", "--accum", std::to_string(k)});
    EXPECT_THAT(counts(report, "train", "stream_syncs"), ElementsAre(2 * k + 1, 1, 2 * k, 0)) << k;
    EXPECT_THAT(counts(report, "load", "stream_syncs"), ElementsAre(10 * k, 10 * k, 10 * k, 10 * k)) << k;
  }
}

TEST(VerifyFlux2, CountsTheLoaderPerSample) {
  const json report = verify_json({"--size", "tiny", "--steps", "6", "--batch", "1", "--fix", "bn-pinning"});
  EXPECT_THAT(counts(report, "load", "waits"), ElementsAre(5, 5));
}

TEST(VerifyFlux2, DevKeepsItsGuidanceUpload) {
  const json report = verify_json({"--size", "dev", "--steps", "5"});
  EXPECT_THAT(counts(report, "train", "stream_syncs"), ElementsAre(4, 2, 3, 1));
  EXPECT_EQ(report["verdict"], "pass");
  EXPECT_THAT(verify({"--size", "dev", "--steps", "5"}).out,
              HasSubstr("PASS  the fixes remove exactly what they claim; left: 1 host wait inside `train`"));
}

TEST(VerifyFlux2, UpstreamsLossReadWaitsForAnEventThatDoesNotDrain) {
  const json report = verify_json({"--size", "tiny", "--fix", "async-loss=upstream", "--fix", "bn-pinning"});
  EXPECT_EQ(report["verdict"], "pass") << report["reasons"];
  EXPECT_THAT(counts(report, "train", "stream_syncs"), ElementsAre(3, 0));
  EXPECT_THAT(counts(report, "train", "event_syncs"), ElementsAre(0, 1));
  EXPECT_THAT(counts(report, "train", "drains"), ElementsAre(3, 0));
}

TEST(VerifyFlux2, CatchesASabotagedFixByNameStepAndCall) {
  const ChildResult result = verify({"--size", "tiny", "--sabotage", "bn-pinning@7"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("FAIL  bn-pinning removed 0 of 2 waits in step 7: "));
  EXPECT_THAT(result.out, HasSubstr("host to device + cudaStreamSynchronize"));
  const ChildResult loss = verify({"--size", "tiny", "--sabotage", "async-loss@7"});
  EXPECT_EQ(loss.exit_code, 1) << loss.err;
  EXPECT_THAT(loss.out,
              HasSubstr("FAIL  async-loss removed 0 of 1 wait in step 7: cudaMemcpyAsync 4 B device to host"));
}

TEST(VerifyFlux2, GivesTheSameJsonTwice) {
  const ChildResult first = verify({"--size", "tiny", "--json"}), second = verify({"--size", "tiny", "--json"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.out, second.out);
}

TEST(VerifyFlux2, KeptTracesCanBeShown) {
  const auto folder = TempFolder::make();
  ASSERT_TRUE(folder);
  ASSERT_EQ(
      verify({"--size", "tiny", "--steps", "5", "--fix", "bn-pinning", "--keep", folder->path().string()}).exit_code,
      0);
  const ChildResult stat =
      run_program(ZEROSTALL_PROGRAM, {"stat", (folder->path() / "none.zstall").string(), "--json"});
  EXPECT_EQ(stat.exit_code, 0) << stat.err;
  const json shown = json::parse(stat.out);
  EXPECT_EQ(shown["complete"], true);
  EXPECT_EQ(shown["source"]["clock"], "modelled");
  EXPECT_EQ(shown["regions"]["train"]["per_step"]["waits"]["median"], 3);
  EXPECT_EQ(shown["background"]["waits"], 0);
}

// The one full-size run of the tests: four settings, 12 steps. Its time is measured in tests/bench.
TEST(VerifyFlux2, Klein9bShowsTheMeasuredCountsAndCopies) {
  const json report = verify_json({"--size", "klein-9b"});
  EXPECT_THAT(counts(report, "train", "stream_syncs"), ElementsAre(3, 1, 2, 0));
  EXPECT_THAT(counts(report, "step", "stream_syncs"), ElementsAre(13, 11, 12, 10));
  const auto found = copies(report);
  EXPECT_EQ(found.at("12582912 B host to device pageable"), 2);
  EXPECT_EQ(found.at("262144 B host to device pageable"), 2);
  EXPECT_EQ(found.at("4096 B host to device pageable"), 4);
  EXPECT_EQ(found.at("512 B host to device pageable"), 2);
  EXPECT_EQ(found.at("4 B host to device pageable"), 2);
  EXPECT_EQ(found.at("4 B device to host pinned"), 1);
}

}  // namespace
}  // namespace zerostall
