#include "fixes/catalog.h"

#include <gtest/gtest.h>

namespace zerostall::fixes {
namespace {

TEST(FixesCatalog, ListsDefaultsBeforeVariants) {
  ASSERT_EQ(all().size(), 3u);
  EXPECT_EQ(all()[0].name, "bn-pinning");
  EXPECT_EQ(all()[1].name, "async-loss");
  EXPECT_EQ(all()[2].name, "async-loss=upstream");
  EXPECT_TRUE(all()[0].is_default && all()[1].is_default);
  EXPECT_FALSE(all()[2].is_default);
}

TEST(FixesCatalog, FindsByExactName) {
  ASSERT_TRUE(find("async-loss=upstream"));
  EXPECT_EQ(find("async-loss=upstream")->name, "async-loss=upstream");
  EXPECT_FALSE(find("async-loss="));
  EXPECT_FALSE(find("ASYNC-LOSS"));
  EXPECT_FALSE(find(""));
}

TEST(FixesCatalog, BaseNameIsThePartBeforeTheVariant) {
  EXPECT_EQ(base_name("async-loss=upstream"), "async-loss");
  EXPECT_EQ(base_name("bn-pinning"), "bn-pinning");
}

// reference-step.md section 0, "accumulation": klein has 2k + 1 stream synchronisations per update of k micro-steps,
// none with both.
TEST(FixesCatalog, BothFixesRemoveWhatTheReferenceMeasured) {
  for (const int micro_steps : {1, 2, 5}) {
    const int removed = find("bn-pinning")->removes.stream_syncs.of(micro_steps) +
                        find("async-loss")->removes.stream_syncs.of(micro_steps);
    EXPECT_EQ(removed, 2 * micro_steps + 1);
  }
  const Removes upstream = find("async-loss=upstream")->removes;
  EXPECT_EQ(upstream.stream_syncs.of(1), 1);
  EXPECT_EQ(upstream.event_syncs.of(1), -1);
  EXPECT_EQ(upstream.waits.of(1), 0);
}

TEST(FixesCatalog, EveryEntryIsExplained) {
  for (const Fix& fix : all()) {
    EXPECT_FALSE(fix.title.empty()) << fix.name;
    EXPECT_NE(fix.explanation.find("Expected effect:"), std::string_view::npos) << fix.name;
    EXPECT_TRUE(fix.cause == "state-on-wrong-device" || fix.cause == "scalar-read") << fix.name;
  }
}

}  // namespace
}  // namespace zerostall::fixes
