#include "scenarios/catalog.h"

#include <gtest/gtest.h>

#include "fixes/catalog.h"

namespace zerostall::scenarios {
namespace {

TEST(ScenariosCatalog, NamesOnlyFixesAndSizesThatExist) {
  for (const Scenario& scenario : all()) {
    EXPECT_TRUE(find_size(scenario, scenario.default_size)) << scenario.name;
    for (const std::string_view fix : scenario.fixes) EXPECT_TRUE(fixes::find(fix)) << fix;
  }
  EXPECT_FALSE(find("flux3"));
  EXPECT_FALSE(find_size(*find("flux2"), "klein"));
}

int rest(const Size& size, std::string_view region, int micro_steps, int batch) {
  int sum = 0;
  for (const Rest& rest : size.rest) sum += rest.region == region ? rest.of(micro_steps, batch) : 0;
  return sum;
}

// reference-step.md section 0: with both fixes the whole step keeps 10 (klein), 11 (dev, Ernie) and 16 (Ideogram) at
// batch 2, region train 0, 1 and 6.
TEST(ScenariosCatalog, RestIsWhatTheReferenceKeeps) {
  const Scenario flux2 = *find("flux2");
  const Size klein = *find_size(flux2, "klein-9b"), dev = *find_size(flux2, "dev");
  EXPECT_EQ(rest(klein, "train", 1, 2), 0);
  EXPECT_EQ(rest(klein, "load", 1, 2), 10);
  EXPECT_EQ(rest(dev, "train", 1, 2), 1);
  EXPECT_EQ(rest(dev, "load", 1, 2), 10);
  EXPECT_EQ(rest(dev, "train", 4, 2), 4);
  EXPECT_EQ(rest(klein, "load", 2, 4), 40);
  const Size ernie = *find_size(*find("ernie"), "ernie-image"), ideogram = *find_size(*find("ideogram4"), "ideogram4");
  EXPECT_EQ(rest(ernie, "train", 1, 2), 1);
  EXPECT_EQ(rest(ernie, "load", 1, 2), 10);
  EXPECT_EQ(rest(ideogram, "train", 1, 2), 6);
  EXPECT_EQ(rest(ideogram, "load", 1, 2), 10);
}

}  // namespace
}  // namespace zerostall::scenarios
