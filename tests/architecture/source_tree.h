// The repository as the tests of this folder see it: files, their lines, what they include, which functions they hold.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace zerostall {

struct Include {
  std::string name;
  bool quoted = false;
};

// A function with a body, found by its shape: the tree is kept as clang-format writes it.
struct Function {
  std::string head;            // its first line
  std::size_t first_line = 0;  // from 1
  std::size_t lines = 0;
};

// The root of the repository.
const std::filesystem::path& source_root();

// C++ and CUDA: .cpp, .h, .cu.
bool is_source(const std::filesystem::path& path);

// The wanted files below a folder, named from the root, sorted; none if there is no such folder.
std::vector<std::filesystem::path> files_below(const std::string& folder, bool (*wanted)(const std::filesystem::path&));

std::string path_from_root(const std::filesystem::path& file);
std::string read_text(const std::filesystem::path& file);
std::vector<std::string> lines_of(std::string_view text);
std::vector<Include> includes_of(const std::filesystem::path& file);

// Whether `file` is `place` or lies below it; both from the root.
bool is_below(const std::string& file, const std::string& place);

// Functions, and member functions defined in their class. Not seen: lambdas, and what stands in classes of classes.
std::vector<Function> functions_of(std::string_view text);

}  // namespace zerostall
