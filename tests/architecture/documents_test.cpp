// Links in Markdown lead somewhere, and every folder with sources is told of.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/architecture/source_tree.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
const std::vector<std::string> kFolders = {"profiler", "reports", "fixes", "scenarios", "tests"};

// Targets of links that are files of ours: no address, no place in the same page, nothing in a block of code.
std::vector<std::string> links_in(const std::string& markdown) {
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  static const std::regex elsewhere(R"(^([a-z]+:|#))");
  std::vector<std::string> targets;
  bool code = false;
  for (const std::string& line : lines_of(markdown)) {
    if (line.starts_with("```")) code = !code;
    if (code || line.starts_with("    ")) continue;
    for (auto at = std::sregex_iterator(line.begin(), line.end(), link); at != std::sregex_iterator(); ++at)
      if (const std::string target = (*at)[1]; !std::regex_search(target, elsewhere))
        targets.push_back(target.substr(0, target.find('#')));
  }
  return targets;
}

bool is_markdown(const fs::path& path) { return path.extension() == ".md"; }

std::vector<fs::path> our_pages() {
  std::vector<fs::path> pages;
  for (const auto& entry : fs::directory_iterator(source_root()))
    if (is_markdown(entry.path())) pages.push_back(entry.path());
  for (const std::string& folder : kFolders)
    for (const fs::path& file : files_below(folder, is_markdown))
      if (!is_below(path_from_root(file), "tests/golden")) pages.push_back(file);
  return pages;
}

TEST(Documents, LinksLeadToFiles) {
  std::size_t seen = 0;
  for (const fs::path& page : our_pages())
    for (const std::string& target : links_in(read_text(page))) {
      ++seen;
      EXPECT_TRUE(fs::exists(page.parent_path() / target)) << path_from_root(page) << " links to " << target;
    }
  EXPECT_GT(seen, 200u);
}

TEST(Documents, LinksAreFound) {
  EXPECT_EQ(links_in("see [a](b/c.h) and [d](https://e/f.h), [g](#h), [i](j.md#k)\n    [l](m)\n"),
            (std::vector<std::string>{"b/c.h", "j.md"}));
}

// Whether a README tells of the folder: its own, or one above it by the folder's name.
bool is_told_of(const fs::path& folder) {
  if (fs::exists(folder / "README.md")) return true;
  const std::regex name("\\b" + folder.filename().string() + "\\b");
  for (fs::path above = folder.parent_path(); above != source_root(); above = above.parent_path())
    if (fs::exists(above / "README.md")) return std::regex_search(read_text(above / "README.md"), name);
  return false;
}

TEST(Documents, FoldersWithSourcesAreToldOf) {
  const auto counted = [](const fs::path& path) {
    return is_source(path) || path.extension() == ".py" || path.extension() == ".js";
  };
  std::set<fs::path> folders;
  for (const std::string& top : kFolders)
    for (const fs::path& file : files_below(top, counted)) folders.insert(file.parent_path());
  EXPECT_GT(folders.size(), 50u);
  for (const fs::path& folder : folders) EXPECT_TRUE(is_told_of(folder)) << path_from_root(folder) << ": in no README";
}

}  // namespace
}  // namespace zerostall
