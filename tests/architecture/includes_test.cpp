// No header includes itself by a detour, none is there for nothing, and each is named from the root.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/architecture/source_tree.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
using Graph = std::map<std::string, std::vector<std::string>>;  // file -> files of ours that it includes

Graph graph_of_all() {
  Graph graph;
  for (const char* top : {"profiler", "reports", "fixes", "scenarios", "tests"})
    for (const fs::path& file : files_below(top, is_source)) {
      std::vector<std::string>& to = graph[path_from_root(file)];
      for (const Include& include : includes_of(file))
        if (fs::exists(source_root() / include.name)) to.push_back(include.name);
    }
  return graph;
}

// Walks from `file` on; a way back to a file that is being walked is a cycle, returned as its files. Empty: none.
std::vector<std::string> cycle_from(const std::string& file, const Graph& graph, std::set<std::string>& done,
                                    std::vector<std::string>& way) {
  if (done.contains(file)) return {};
  if (const auto again = std::find(way.begin(), way.end(), file); again != way.end()) return {again, way.end()};
  way.push_back(file);
  if (const auto found = graph.find(file); found != graph.end())
    for (const std::string& next : found->second)
      if (std::vector<std::string> cycle = cycle_from(next, graph, done, way); !cycle.empty()) return cycle;
  way.pop_back();
  done.insert(file);
  return {};
}

std::vector<std::string> cycle_in(const Graph& graph) {
  std::set<std::string> done;
  for (const auto& [file, to] : graph) {
    std::vector<std::string> way;
    if (std::vector<std::string> cycle = cycle_from(file, graph, done, way); !cycle.empty()) return cycle;
  }
  return {};
}

TEST(Includes, GoInNoCircle) {
  EXPECT_EQ(cycle_in(graph_of_all()), std::vector<std::string>());
  EXPECT_EQ(cycle_in({{"a", {"b", "c"}}, {"b", {"c"}}, {"c", {}}}), std::vector<std::string>());
  EXPECT_EQ(cycle_in({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}), (std::vector<std::string>{"b", "c"}));
}

TEST(Includes, EveryHeaderIsIncluded) {
  const Graph graph = graph_of_all();
  std::set<std::string> included;
  for (const auto& [file, to] : graph) included.insert(to.begin(), to.end());
  for (const auto& [file, to] : graph) {
    if (!file.ends_with(".h")) continue;
    EXPECT_TRUE(included.contains(file)) << file << " is included by no file, or not from the root";
  }
}

}  // namespace
}  // namespace zerostall
