// The rules of the code's shape, read off the include lines: which layer may know which, who may touch CUDA and torch,
// who may print. A new arrow is a decision: it is made in the table below.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "tests/architecture/source_tree.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;

struct Layer {
  std::string folder;
  std::vector<std::string> may_include;  // folders, or single files; its own folder goes without saying
  bool cuda = false;                     // headers of CUDA and CUPTI
  bool nvtx = false;
  bool torch = false;
  bool mpi = false;
};

const std::vector<Layer>& layers() {
  static const std::vector<Layer> table = {
      {"profiler/base", {}},
      {"profiler/trace", {"profiler/base"}},
      {"profiler/analyze", {"profiler/base", "profiler/trace"}},
      {"profiler/gate", {"profiler/base", "profiler/trace", "profiler/analyze"}},
      {"profiler/record", {"profiler/base", "profiler/trace"}},
      {"profiler/tracer",
       {"profiler/base", "profiler/trace/format.h", "profiler/trace/record_codec.h", "profiler/trace/api_table.h",
        "profiler/trace/elf_id.h"},
       true,
       true},
      {"profiler/simgpu", {"profiler/base"}, true, true},  // NVTX: its library for programs of NVTX 2
      {"profiler/mark", {}, false, true},
      {"profiler/python", {}},
      {"profiler/mpi", {}, false, false, false, true},
      {"profiler/fleet", {"profiler/base", "profiler/trace", "profiler/analyze", "profiler/mpi/group_mpi.h"}},
      {"profiler/cli",
       {"profiler/base", "profiler/trace", "profiler/analyze", "profiler/gate", "profiler/record", "profiler/fleet",
        "reports", "fixes/catalog.h", "scenarios/catalog.h", "scenarios/catalogue/expected.h", "scenarios/host_waits.h",
        "scenarios/presets.h", "scenarios/settings.h"}},
      {"reports", {"profiler/base", "profiler/trace", "profiler/analyze", "profiler/gate"}},
      {"fixes", {}, false, false, true},
      {"scenarios", {"fixes", "profiler/mark"}, false, true, true},
  };
  return table;
}

bool matches(const std::string& name, const char* pattern) { return std::regex_search(name, std::regex(pattern)); }

// What is wrong with this include in this layer; "" = nothing.
std::string problem(const Layer& layer, const Include& include) {
  if (!include.quoted) {
    if (!layer.cuda && matches(include.name, "^(cuda|cupti|cublas|cudnn|nvrtc|nccl|generated_cu|cuda_).*\\.h$"))
      return "CUDA header";
    if (!layer.nvtx && matches(include.name, "^nvtx3?/")) return "NVTX header";
    if (!layer.torch && matches(include.name, "^(torch|ATen|c10|aten)/")) return "torch header";
    if (!layer.mpi && matches(include.name, "^mpi\\.h$")) return "MPI header";
    return "";
  }
  if (include.name.find('/') == std::string::npos)  // generated at build time, for simgpu only
    return layer.folder == "profiler/simgpu" && matches(include.name, "_(behaviours|names|table)\\.h$")
               ? ""
               : "not from the repository's root";
  if (!fs::exists(source_root() / include.name)) return "no such file below the repository's root";
  if (is_below(include.name, layer.folder)) return "";
  for (const std::string& place : layer.may_include)
    if (is_below(include.name, place)) return "";
  return "layer may not know that one";
}

TEST(Architecture, IncludesFollowTheArrows) {
  std::size_t seen = 0;
  for (const Layer& layer : layers())
    for (const fs::path& file : files_below(layer.folder, is_source))
      for (const Include& include : includes_of(file)) {
        ++seen;
        EXPECT_EQ(problem(layer, include), "") << path_from_root(file) << " includes " << include.name;
      }
  EXPECT_GT(seen, 100u);
}

TEST(Architecture, CatchesWrongArrows) {
  const auto layer = [](const std::string& folder) {
    return *std::find_if(layers().begin(), layers().end(), [&](const Layer& l) { return l.folder == folder; });
  };
  EXPECT_NE(problem(layer("profiler/base"), {"profiler/trace/trace.h", true}), "");
  EXPECT_NE(problem(layer("profiler/tracer"), {"profiler/trace/trace.h", true}), "");
  EXPECT_NE(problem(layer("profiler/cli"), {"fixes/catalog.cpp", true}), "");
  EXPECT_NE(problem(layer("profiler/analyze"), {"waits.h", true}), "");
  EXPECT_NE(problem(layer("profiler/record"), {"cuda.h", false}), "");
  EXPECT_NE(problem(layer("profiler/cli"), {"torch/torch.h", false}), "");
  EXPECT_NE(problem(layer("profiler/fleet"), {"mpi.h", false}), "");
  EXPECT_EQ(problem(layer("profiler/mpi"), {"mpi.h", false}), "");
  EXPECT_EQ(problem(layer("profiler/tracer"), {"cupti.h", false}), "");
  EXPECT_EQ(problem(layer("profiler/trace"), {"cstdio", false}), "");
}

TEST(Architecture, EveryFolderWithSourcesIsALayer) {
  for (const char* top : {"profiler", "reports", "fixes", "scenarios"})
    for (const fs::path& file : files_below(top, is_source)) {
      const std::string name = path_from_root(file);
      EXPECT_TRUE(std::any_of(layers().begin(), layers().end(), [&](const Layer& l) {
        return is_below(name, l.folder);
      })) << name;
    }
}

// Only the command line prints or exits; tracer and simulator may say single lines, and so may the scenario program.
TEST(Architecture, OnlyProgramsPrintOrExit) {
  const std::regex prints(R"(\b(std::cout|std::cerr|printf\s*\(|puts\s*\(|fmt::print|(std::|::|\s)exit\s*\())");
  for (const char* folder : {"profiler/base", "profiler/trace", "profiler/analyze", "profiler/gate", "profiler/fleet",
                             "profiler/mpi", "profiler/record", "reports", "fixes"})
    for (const fs::path& file : files_below(folder, is_source))
      for (const std::string& line : lines_of(read_text(file)))
        EXPECT_FALSE(std::regex_search(line.substr(0, line.find("//")), prints))
            << path_from_root(file) << ": " << line;
}

}  // namespace
}  // namespace zerostall
