#include "profiler/cli/verify_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/base/strings.h"
#include "profiler/cli/verify_job.h"

namespace zerostall::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

VerifyOptions flux2(std::string size = "klein-9b") {
  VerifyOptions options;
  options.scenario = "flux2";
  options.size = std::move(size);
  return options;
}

TEST(PlanVerify, RunsNoneEachDefaultFixAndAll) {
  const auto request = plan_verify(flux2(""));
  ASSERT_TRUE(request);
  std::vector<std::string> stems;
  for (const Setting& setting : request->settings) stems.push_back(file_stem(setting));
  EXPECT_THAT(stems, ElementsAre("none", "bn-pinning", "async-loss", "bn-pinning+async-loss"));
  EXPECT_EQ(request->plan.size, "klein-9b");
  EXPECT_EQ(request->plan.batch, 2);
  EXPECT_EQ(request->plan.title, "FLUX.2 klein-9B, W8A8 LoRA r16, batch 2, 512 px");
}

TEST(PlanVerify, ScalesClaimsAndRestWithMicroStepsAndBatch) {
  VerifyOptions options = flux2("dev");
  options.accum = 3;
  options.batch = 4;
  const auto request = plan_verify(options);
  ASSERT_TRUE(request);
  const VerifyPlan& plan = request->plan;
  ASSERT_EQ(plan.claims.size(), 2u);
  EXPECT_EQ(plan.claims[0].removes.waits, 6);
  EXPECT_EQ(plan.claims[0].removes.h2d_stalls, 6);
  EXPECT_EQ(plan.claims[1].removes.stream_syncs, 1);
  EXPECT_EQ(plan.claims[1].removes.h2d_stalls, 0);
  ASSERT_EQ(plan.rest.size(), 2u);
  EXPECT_EQ(plan.rest[0].region, "load");
  EXPECT_EQ(plan.rest[0].stays.stream_syncs, 60);
  EXPECT_EQ(plan.rest[1].region, "train");
  EXPECT_EQ(plan.rest[1].stays.waits, 3);
}

TEST(PlanVerify, BringsTheClaimOfAVariantBesideThoseOfTheBaseline) {
  VerifyOptions options = flux2();
  options.fixes = {"async-loss=upstream", "bn-pinning", "bn-pinning"};
  const auto request = plan_verify(options);
  ASSERT_TRUE(request);
  ASSERT_EQ(request->settings.size(), 2u);
  EXPECT_THAT(request->settings[1].fixes, ElementsAre("bn-pinning", "async-loss=upstream"));
  ASSERT_EQ(request->plan.claims.size(), 3u);
  EXPECT_TRUE(request->plan.claims[1].in_baseline);
  EXPECT_FALSE(request->plan.claims[2].in_baseline);
  EXPECT_EQ(request->plan.claims[2].removes.event_syncs, -1);
}

TEST(PlanVerify, SabotagesOnlyRunsWithThatFix) {
  VerifyOptions options = flux2();
  options.sabotage = "async-loss@7";
  const auto request = plan_verify(options);
  ASSERT_TRUE(request);
  std::vector<bool> sabotaged;
  for (const Setting& setting : request->settings) sabotaged.push_back(setting.sabotaged);
  EXPECT_THAT(sabotaged, ElementsAre(false, false, true, true));
  EXPECT_THAT(scenario_arguments(*request, request->settings[2]),
              ElementsAre("flux2", "--size", "klein-9b", "--steps", "12", "--batch", "2", "--accum", "1", "--fix",
                          "async-loss", "--sabotage", "async-loss@7", "--device", "cuda"));
  for (const char* step : {"@1", "@12", "@", "@x", "@7x", "@-3"}) {
    options.sabotage = std::string("async-loss") + step;
    EXPECT_FALSE(plan_verify(options)) << step;
  }
}

TEST(PlanVerify, SabotagesTheVariantThatIsMeant) {
  VerifyOptions options = flux2();
  options.sabotage = "async-loss=upstream@7";
  for (const std::vector<std::string>& fixes : {std::vector<std::string>{}, {"async-loss"}, {"bn-pinning"}}) {
    options.fixes = fixes;
    EXPECT_THAT(plan_verify(options).error().message, HasSubstr("add --fix async-loss=upstream"));
  }
  options.fixes = {"async-loss=upstream"};
  for (const char* named : {"async-loss=upstream@7", "async-loss@7"}) {
    options.sabotage = named;
    const auto request = plan_verify(options);
    ASSERT_TRUE(request) << named;
    EXPECT_EQ(request->sabotage, "async-loss@7");
    EXPECT_TRUE(request->settings[1].sabotaged);
  }
}

TEST(PlanVerify, HintsAtRepeatingFixForAList) {
  VerifyOptions options = flux2();
  options.fixes = {"bn-pinning,async-loss"};
  EXPECT_THAT(plan_verify(options).error().message, HasSubstr("repeat --fix"));
}

TEST(PlanVerify, RefusesTwoVariantsOfOneFixAndAbsurdSizes) {
  VerifyOptions options = flux2();
  options.fixes = {"async-loss", "async-loss=upstream"};
  EXPECT_THAT(plan_verify(options).error().message, HasSubstr("variants of one fix"));
  options = flux2();
  options.batch = 1025;
  EXPECT_THAT(plan_verify(options).error().message, HasSubstr("at most 1024"));
  options.batch = 1024;
  EXPECT_TRUE(plan_verify(options));
}

TEST(PlanVerify, AllMeansEveryFixThatAppliesEachAloneAndTogether) {
  VerifyOptions options = flux2("dev");
  options.fixes = {"all"};
  const auto request = plan_verify(options);
  ASSERT_TRUE(request);
  std::vector<std::string> stems;
  for (const Setting& setting : request->settings) stems.push_back(file_stem(setting));
  EXPECT_THAT(stems, ElementsAre("none", "bn-pinning", "async-loss", "pinned-batch", "cached-guidance",
                                 "bn-pinning+async-loss+pinned-batch+cached-guidance"));
  EXPECT_TRUE(request->plan.rest.empty()) << "nothing stays";
  options.fixes = {"all", "bn-pinning"};
  EXPECT_THAT(plan_verify(options).error().message, HasSubstr("give no other --fix"));
}

TEST(PlanVerify, AClaimIsOfTheRegionItsWaitsAreIn) {
  VerifyOptions options = flux2();
  options.fixes = {"pinned-batch"};
  const auto request = plan_verify(options);
  ASSERT_TRUE(request);
  const auto& claims = request->plan.claims;
  const auto claim = std::find_if(claims.begin(), claims.end(), [](auto& c) { return c.name == "pinned-batch"; });
  ASSERT_NE(claim, claims.end());
  EXPECT_EQ(claim->region, "load");
  EXPECT_EQ(claim->removes.waits, 10);
  EXPECT_TRUE(request->plan.rest.empty());
}

TEST(PlanVerify, AFixThatIsNotAskedForIsNamedWhereItsWaitsStay) {
  const auto request = plan_verify(flux2("dev"));
  ASSERT_TRUE(request);
  ASSERT_EQ(request->plan.rest.size(), 2u);
  EXPECT_THAT(request->plan.rest[0].reason, HasSubstr("(removed by --fix pinned-batch)"));
  EXPECT_THAT(request->plan.rest[1].reason, HasSubstr("(removed by --fix cached-guidance)"));
}

TEST(PlanVerify, AFixWithoutWorkClaimsNothing) {
  VerifyOptions options = flux2("klein-9b");
  options.fixes = {"cached-guidance"};
  const auto request = plan_verify(options);
  ASSERT_TRUE(request);
  const auto& claim = request->plan.claims.back();
  EXPECT_EQ(claim.name, "cached-guidance");
  EXPECT_EQ(claim.removes.waits, 0);
}

TEST(PlanVerify, SettingsReachTheProgramAndTheTitle) {
  VerifyOptions options = flux2();
  options.with = {"ema=cpu", "resume"};
  const auto request = plan_verify(options);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->plan.title, "FLUX.2 klein-9B, W8A8 LoRA r16, batch 2, 512 px, ema=cpu, resume=on");
  const auto arguments = scenario_arguments(*request, request->settings[0]);
  EXPECT_THAT(join(arguments, " "), HasSubstr("--with ema=cpu --with resume=on"));
  options.with = {"ema=disk"};
  EXPECT_THAT(plan_verify(options).error().message, HasSubstr("ema takes off, gpu or cpu, not 'disk'"));
  options.with = {"weights=bf16", "prior-preservation"};
  EXPECT_THAT(plan_verify(options).error().message, HasSubstr("needs adapters"));
}

TEST(PlanVerify, APresetNamesItsScenarioAndSettings) {
  VerifyOptions options;
  options.scenario = "flux2-lora-8gb";
  const auto request = plan_verify(options);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->plan.scenario, "flux2");
  EXPECT_THAT(request->with, ElementsAre("offload=0.7"));
}

TEST(PlanVerify, AProgramOfOnesOwnIsSentToCheck) {
  VerifyOptions options;
  for (const char* name : {"train.py", "./train", "tools/train.sh"}) {
    options.scenario = name;
    EXPECT_THAT(plan_verify(options).error().message, HasSubstr("zerostall check -- ")) << name;
  }
  options.scenario = "fluks2";
  EXPECT_THAT(plan_verify(options).error().message, HasSubstr("did you mean 'flux2'"));
}

TEST(ListJobs, NamesEverythingVerifyTakes) {
  const std::string text = list_jobs({"h200"});
  for (const char* word : {"flux2", "klein-9b", "(default)", "async-loss=upstream", "flux2-lora-8gb", "ema", "h200"})
    EXPECT_THAT(text, HasSubstr(word));
}

}  // namespace
}  // namespace zerostall::cli
