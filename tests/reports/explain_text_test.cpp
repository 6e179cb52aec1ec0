#include "reports/explain_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "fixes/catalog.h"
#include "profiler/base/files.h"
#include "reports/table.h"

namespace zerostall {
namespace {

using ::testing::HasSubstr;

// metrics.md, "Names in output".
constexpr std::string_view kSlugs =
    "scalar-read finite-check amp-scaler state-on-wrong-device pageable-batch pageable-async tensor-from-host "
    "dynamic-shape size-from-device branch-on-device host-table-by-device-index explicit-sync allocator offload "
    "download library-internal unknown";

std::vector<std::string> texts() {
  std::vector<std::string> all;
  std::vector<FixText> fixes;
  for (std::size_t kind = 0; kind < kCauseKinds; ++kind)
    all.push_back(render_explanation(static_cast<CauseKind>(kind)));
  for (const fixes::Fix& fix : fixes::all()) {
    fixes.push_back({fix.name, fix.title, fix.cause, fix.explanation});
    all.push_back(render_explanation(fixes.back()));
  }
  all.push_back(render_names(fixes));
  return all;
}

TEST(Explain, SlugsAreThoseOfTheDefinitionsInTheirOrder) {
  std::string slugs;
  for (std::size_t kind = 0; kind < kCauseKinds; ++kind)
    slugs += (kind > 0 ? " " : "") + std::string(info_of(static_cast<CauseKind>(kind)).slug);
  EXPECT_EQ(slugs, kSlugs);
}

TEST(Explain, EveryCauseHasAllParts) {
  ASSERT_EQ(cause_explanations().size(), kCauseKinds);
  for (std::size_t kind = 0; kind < kCauseKinds; ++kind) {
    const CauseInfo& info = info_of(static_cast<CauseKind>(kind));
    const Explanation& text = cause_explanations()[kind];
    EXPECT_EQ(text.name, info.slug);
    EXPECT_FALSE(info.title.empty() || info.title.find('\n') != info.title.npos) << info.slug;
    EXPECT_FALSE(info.advice.empty() || info.advice.find('\n') != info.advice.npos) << info.slug;
    EXPECT_LE(info.advice.size(), 120u) << info.slug;
    for (const std::string_view part : {text.what, text.looks, text.pytorch, text.libtorch, text.before, text.after,
                                        text.cpp_before, text.cpp_after, text.no_problem})
      EXPECT_FALSE(part.empty()) << info.slug;
    EXPECT_NE(text.before, text.after) << info.slug;
    EXPECT_NE(text.cpp_before, text.cpp_after) << info.slug;
  }
}

TEST(Explain, EveryFixOfTheCatalogHasAllPartsAndACauseThatIsExplained) {
  ASSERT_EQ(fix_explanations().size(), fixes::all().size());
  for (std::size_t i = 0; i < fixes::all().size(); ++i) {
    const fixes::Fix& fix = fixes::all()[i];
    const Explanation& text = fix_explanations()[i];
    EXPECT_EQ(text.name, fix.name);
    EXPECT_NE(kSlugs.find(fix.cause), kSlugs.npos);
    for (const std::string_view part : {text.looks, text.pytorch, text.libtorch, text.before, text.after,
                                        text.cpp_before, text.cpp_after, text.no_problem})
      EXPECT_FALSE(part.empty()) << fix.name;
    EXPECT_THAT(render_explanation(FixText{fix.name, fix.title, fix.cause, fix.explanation}),
                HasSubstr(std::string(fix.title)));
  }
}

TEST(Explain, LinesAreShort) {
  for (const std::string& text : texts()) {
    ASSERT_FALSE(text.empty());
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) EXPECT_LE(display_width(line), 100u) << line;
  }
}

// The snippets are Python that compiles. A `return` or `self` outside of a function is wrapped by the snippet itself.
TEST(Explain, PythonCompiles) {
  if (std::system("python3 -c pass >/dev/null 2>&1") != 0) GTEST_SKIP() << "no python3 here";
  const auto folder = TempFolder::make();
  std::string files;
  std::size_t count = 0;
  for (const auto list : {cause_explanations(), fix_explanations()})
    for (const Explanation& text : list)
      for (const std::string_view code : {text.before, text.after}) {
        const auto path = folder->path() / ("snippet" + std::to_string(count++) + ".py");
        ASSERT_TRUE(write_file(path, "# " + std::string(text.name) + "\n" + std::string(code) + "\n"));
        files += " '" + path.string() + "'";
      }
  EXPECT_EQ(count, 2 * (kCauseKinds + fixes::all().size()));
  EXPECT_EQ(std::system(("python3 -m py_compile" + files).c_str()), 0);
}

}  // namespace
}  // namespace zerostall
