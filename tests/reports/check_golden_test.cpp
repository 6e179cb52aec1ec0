// What each writer makes of three reports, as files to read: tests/golden/check. ZEROSTALL_WRITE_GOLDEN=1 writes them
// anew, for `git diff` to show what has changed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/reports/check_formats.h"
#include "tests/reports/check_reports.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;

struct Golden {
  std::string name;
  CheckReport report;
};

class CheckGolden : public ::testing::TestWithParam<CheckFormat> {};

// Versions of this program change with each release.
std::string without_version(std::string text) {
  const std::string version = std::string("\"version\": \"") + ZEROSTALL_VERSION + "\"";
  if (const std::size_t at = text.find(version); at != std::string::npos)
    text.replace(at, version.size(), "\"version\": \"VERSION\"");
  return text;
}

TEST_P(CheckGolden, LooksAsKept) {
  const std::vector<Golden> all = {
      {"pass", pass_report()}, {"violation", violation_report()}, {"cannot-tell", cannot_tell_report()}};
  for (const auto& [name, report] : all) {
    const auto file =
        std::filesystem::path(ZEROSTALL_SOURCE_DIR) / "tests/golden/check" / (name + "." + GetParam().file);
    const std::string text = without_version(GetParam().render(report));
    EXPECT_EQ(text, without_version(GetParam().render(report))) << "not the same twice";
    if (std::getenv("ZEROSTALL_WRITE_GOLDEN") != nullptr) std::ofstream(file) << text;
    std::ifstream in(file);
    std::stringstream kept;
    kept << in.rdbuf();
    EXPECT_EQ(text, kept.str()) << file;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, CheckGolden, ::testing::ValuesIn(check_formats()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace zerostall
