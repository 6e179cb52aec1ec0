// How long a file and a function may be, and that a header says what it is.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/architecture/source_tree.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostLinesOfFile = 400;
constexpr std::size_t kMostLinesOfFunction = 80;
constexpr std::size_t kLinesOfFewFunctions = 40;  // longer than this are few
constexpr double kMostShareOfLong = 0.01;

const std::vector<std::string>& our_folders() {
  static const std::vector<std::string> folders = {"profiler", "reports", "fixes", "scenarios", "tests"};
  return folders;
}

std::vector<fs::path> our_files(bool (*wanted)(const fs::path&)) {
  std::vector<fs::path> files;
  for (const std::string& folder : our_folders())
    for (const fs::path& file : files_below(folder, wanted))
      if (!is_below(path_from_root(file), "tests/golden")) files.push_back(file);
  return files;
}

bool is_written_by_hand(const fs::path& path) {
  const std::string kind = path.extension().string();
  for (const char* one : {".cpp", ".h", ".cu", ".c", ".py", ".js", ".css", ".sh", ".mustache", ".cmake", ".in"})
    if (kind == one) return true;
  return path.filename() == "CMakeLists.txt";
}

TEST(Shape, FilesStayShort) {
  std::vector<fs::path> files = our_files(is_written_by_hand);
  for (const char* name : {"dev", "CMakeLists.txt"}) files.push_back(source_root() / name);
  EXPECT_GT(files.size(), 1000u);
  for (const fs::path& file : files)
    EXPECT_LE(lines_of(read_text(file)).size(), kMostLinesOfFile) << path_from_root(file);
}

TEST(Shape, FunctionsStayShort) {
  std::size_t all = 0, are_long = 0;
  for (const fs::path& file : our_files(is_source))
    for (const Function& function : functions_of(read_text(file))) {
      ++all;
      if (function.lines > kLinesOfFewFunctions) ++are_long;
      EXPECT_LE(function.lines, kMostLinesOfFunction)
          << path_from_root(file) << ":" << function.first_line << ": " << function.head;
    }
  EXPECT_GT(all, 5000u);
  EXPECT_LT(static_cast<double>(are_long), kMostShareOfLong * static_cast<double>(all))
      << are_long << " of " << all << " functions have more than " << kLinesOfFewFunctions << " lines";
  RecordProperty("functions", static_cast<int>(all));
  RecordProperty("longer_than_40", static_cast<int>(are_long));
}

TEST(Shape, FunctionsAreFound) {
  const std::vector<Function> found = functions_of(R"code(#include <x>
namespace a {
int one() { return 1; }
// int none() {
// }
template <class T>
T several(T first,
          T second) {
  if (first) {
    return second;
  }
  const char* text = R"(
}
)";
  return first;
}
struct S {
  S(int x)
      : x(x) {
    go();
  }
  int get() const { return x; }
  int x = 0;
};
const int kTable[] = {
    f(1),
};
}  // namespace a
)code");
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].lines, 1u);
  EXPECT_EQ(found[1].head, "T several(T first,");
  EXPECT_EQ(found[1].first_line, 7u);
  EXPECT_EQ(found[1].lines, 10u);
  EXPECT_EQ(found[2].lines, 4u);
  EXPECT_EQ(found[3].head, "int get() const { return x; }");
}

TEST(Shape, HeadersBeginWithWhatTheyAre) {
  for (const fs::path& file : our_files([](const fs::path& path) { return path.extension() == ".h"; }))
    EXPECT_TRUE(read_text(file).starts_with("//")) << path_from_root(file) << " begins without a comment";
}

}  // namespace
}  // namespace zerostall
