// The catalogue's scenarios on the CPU device, where numbers are real: the fixed twin trains the same as the cause.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "scenarios/catalogue/expected.h"
#include "scenarios/catalogue/program.h"

namespace zerostall::scenarios::catalogue {
namespace {

Run trained(const Entry& entry, Variant variant, std::int64_t steps = 5) {
  Run run{.variant = variant, .device = at::kCPU, .steps = steps};
  find_scenario(entry.slug)(run);
  return run;
}

TEST(Catalogue, HasAProgramForEveryClass) {
  EXPECT_FALSE(entries().empty());
  for (const Entry& entry : entries()) EXPECT_NE(find_scenario(entry.slug), nullptr) << entry.slug;
  EXPECT_EQ(find_scenario("magic"), nullptr);
  EXPECT_EQ(find_variant("near-miss"), Variant::near_miss);
  EXPECT_FALSE(find_variant("near"));
}

TEST(Catalogue, TheFixedTwinComputesTheSame) {
  for (const Entry& entry : entries()) {
    const auto cause = trained(entry, Variant::cause), fixed = trained(entry, Variant::fixed);
    ASSERT_EQ(cause.weights.size(), fixed.weights.size()) << entry.slug;
    ASSERT_GE(cause.weights.size(), 3u) << entry.slug;
    for (std::size_t i = 0; i < cause.weights.size(); ++i)
      EXPECT_TRUE(at::equal(cause.weights[i], fixed.weights[i])) << entry.slug << ", weight " << i;
    EXPECT_EQ(cause.told, fixed.told) << entry.slug;
  }
}

// A scenario whose weights stand still or become NaN would make the test above pass for nothing.
TEST(Catalogue, EveryVariantTrains) {
  for (const Entry& entry : entries())
    for (const Variant variant : {Variant::cause, Variant::fixed, Variant::near_miss}) {
      const auto one = trained(entry, variant, 1), five = trained(entry, variant, 5);
      for (const at::Tensor& weight : five.weights) EXPECT_TRUE(at::isfinite(weight).all().item<bool>()) << entry.slug;
      EXPECT_FALSE(at::equal(one.weights.front(), five.weights.front())) << entry.slug;
    }
}

TEST(Catalogue, AScenarioIsShort) {
  std::size_t seen = 0;
  for (const Entry& entry : entries()) {
    std::string name(entry.slug);
    for (char& c : name) c = c == '-' ? '_' : c;
    std::ifstream file(std::filesystem::path(CATALOGUE_FOLDER) / (name + ".cpp"));
    std::size_t lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    EXPECT_GT(lines, 0u) << name;
    EXPECT_LE(lines, 80u) << name;
    ++seen;
  }
  EXPECT_EQ(seen, entries().size());
}

}  // namespace
}  // namespace zerostall::scenarios::catalogue
