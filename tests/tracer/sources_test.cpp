// What the tracer must never call in somebody else's training process, read off its sources.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

namespace zerostall {
namespace {

namespace fs = std::filesystem;

TEST(TracerSources, NeverRegistersATimestampCallbackNorFinalizes) {
  // By name, to be looked up, or called.
  const std::regex forbidden(
      R"re("cupti(ActivityRegisterTimestampCallback|Finalize)"|\bcupti(ActivityRegisterTimestampCallback|Finalize)\s*\()re");
  int files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(ZEROSTALL_SOURCE_DIR) / "profiler/tracer")) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    ++files;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);)
      EXPECT_FALSE(std::regex_search(line.substr(0, line.find("//")), forbidden)) << entry.path() << ": " << line;
  }
  EXPECT_GT(files, 10);
}

}  // namespace
}  // namespace zerostall
