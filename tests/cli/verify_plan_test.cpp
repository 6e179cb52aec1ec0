#include "profiler/cli/verify_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  EXPECT_EQ(plan.rest[0].region, "train");
  EXPECT_EQ(plan.rest[0].stays.waits, 3);
  EXPECT_EQ(plan.rest[1].region, "load");
  EXPECT_EQ(plan.rest[1].stays.stream_syncs, 60);
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

TEST(ListScenarios, NamesEverythingVerifyTakes) {
  const std::string text = list_scenarios({"h200"});
  for (const char* word : {"flux2", "klein-9b", "(default)", "async-loss=upstream", "(only when named)", "h200"})
    EXPECT_THAT(text, HasSubstr(word));
}

}  // namespace
}  // namespace zerostall::cli
