// A program of the build: writes what is made from the options. No part of the product.
//   zerostall_pages markdown FOLDER    COMMAND.md and README.md
//   zerostall_pages man FOLDER         zerostall.1, zerostall-COMMAND.1
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "profiler/cli/page_render.h"

namespace {

namespace fs = std::filesystem;

bool write(const fs::path& folder, const std::map<std::string, std::string>& files) {
  std::error_code error;
  fs::create_directories(folder, error);
  for (const auto& [name, text] : files)
    if (std::ofstream out(folder / name, std::ios::binary); !(out << text).flush()) {
      std::fprintf(stderr, "zerostall_pages: cannot write %s\n", (folder / name).c_str());
      return false;
    }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 3 ? argv[1] : "";
  if (what == "markdown") return write(argv[2], zerostall::cli::markdown_pages()) ? 0 : 4;
  if (what == "man") return write(argv[2], zerostall::cli::man_pages()) ? 0 : 4;
  std::fputs("usage: zerostall_pages markdown|man FOLDER\n", stderr);
  return 2;
}
