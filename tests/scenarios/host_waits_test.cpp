// Against what unmodified OneTrainer was measured to do: reference-step.md section 0.
#include "scenarios/host_waits.h"

#include <gtest/gtest.h>

#include "fixes/catalog.h"

namespace zerostall::scenarios {
namespace {

int total(const std::vector<HostWait>& waits, std::string_view region, std::string_view without_fix = "none of these") {
  int sum = 0;
  for (const HostWait& wait : waits)
    if (wait.region == region && wait.fix != without_fix) sum += wait.per_update;
  return sum;
}

std::vector<HostWait> of(std::string_view scenario, std::string_view size, std::vector<const char*> with = {},
                         int batch = 2, int micro_steps = 1) {
  Settings settings;
  for (const char* word : with) EXPECT_EQ(apply_setting(word, settings), "");
  return host_waits(*find_size(*find(scenario), size), settings, batch, micro_steps);
}

TEST(HostWaits, PlainStepsAreThoseOfTheReference) {
  EXPECT_EQ(total(of("flux2", "klein-9b"), "train"), 3);
  EXPECT_EQ(total(of("flux2", "dev"), "train"), 4);
  EXPECT_EQ(total(of("ernie", "ernie-image"), "train"), 4);
  EXPECT_EQ(total(of("ideogram4", "ideogram4"), "train"), 9);
  EXPECT_EQ(total(of("flux2", "klein-9b"), "load"), 10);
  EXPECT_EQ(total(of("flux2", "klein-9b", {}, 4), "load"), 20);
}

TEST(HostWaits, EachFixTakesItsShare) {
  EXPECT_EQ(total(of("flux2", "klein-9b"), "train", "bn-pinning"), 1);
  EXPECT_EQ(total(of("flux2", "klein-9b"), "train", "async-loss"), 2);
  EXPECT_EQ(total(of("flux2", "dev"), "train", "bn-pinning"), 2);
}

TEST(HostWaits, AccumulationMultipliesWhatIsPerMicroStep) {
  for (const int k : {1, 2, 5}) EXPECT_EQ(total(of("flux2", "klein-9b", {}, 2, k), "train"), 2 * k + 1);
}

TEST(HostWaits, VariantsAreThoseMeasured) {
  EXPECT_EQ(total(of("flux2", "klein-9b", {"resume"}), "train"), 291);
  EXPECT_EQ(total(of("flux2", "klein-9b", {"resume", "optimizer=adamw-fused"}), "train"), 3);
  EXPECT_EQ(total(of("flux2", "klein-9b", {"weights=fp8"}), "train"), 291);
  EXPECT_EQ(total(of("flux2", "klein-9b", {"ema=cpu"}), "train"), 291);
  EXPECT_EQ(total(of("flux2", "klein-9b", {"ema=gpu"}), "train"), 3);
  EXPECT_EQ(total(of("flux2", "klein-9b", {"prior-preservation"}), "train"), 7);
  EXPECT_EQ(total(of("flux2", "klein-9b", {"latent-caching=off"}), "train"), 1);
}

TEST(HostWaits, NamesOnlyFixesThatExistAndApplicableOnesFollowTheCatalog) {
  for (const Scenario& scenario : all())
    for (const Size& size : scenario.sizes)
      for (const HostWait& wait : host_waits(size, {}, 2, 1)) {
        EXPECT_TRUE(wait.fix.empty() || fixes::find(wait.fix)) << wait.fix;
        EXPECT_FALSE(wait.reason.empty());
      }
  const auto fixes = applicable_fixes(of("flux2", "dev"));
  EXPECT_EQ(fixes, (std::vector<std::string_view>{"bn-pinning", "async-loss", "async-loss=upstream", "pinned-batch",
                                                  "cached-guidance"}));
}

}  // namespace
}  // namespace zerostall::scenarios
