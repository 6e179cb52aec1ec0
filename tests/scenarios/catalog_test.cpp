#include "scenarios/catalog.h"

#include <gtest/gtest.h>

namespace zerostall::scenarios {
namespace {

TEST(ScenariosCatalog, NamesOnlySizesThatExist) {
  for (const Scenario& scenario : all()) {
    EXPECT_TRUE(find_size(scenario, scenario.default_size)) << scenario.name;
  }
  EXPECT_FALSE(find("flux3"));
  EXPECT_FALSE(find_size(*find("flux2"), "klein"));
}

}  // namespace
}  // namespace zerostall::scenarios
