#include "fixes/catalog.h"

#include <gtest/gtest.h>

namespace zerostall::fixes {
namespace {

TEST(FixesCatalog, ListsDefaultsBeforeVariants) {
  ASSERT_GE(all().size(), 3u);
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

TEST(FixesCatalog, EveryEntryIsExplained) {
  for (const Fix& fix : all()) {
    EXPECT_FALSE(fix.title.empty()) << fix.name;
    EXPECT_NE(fix.explanation.find("Expected effect:"), std::string_view::npos) << fix.name;
    EXPECT_FALSE(fix.cause.empty()) << fix.name;
  }
}

}  // namespace
}  // namespace zerostall::fixes
