#include "profiler/record/program.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "profiler/base/files.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;

bool can_run(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
}

bool is_python_name(const fs::path& program) { return program.filename().string().starts_with("python"); }

// Words of a "#!" line; empty where the file has none.
std::istringstream first_line(const fs::path& program) {
  std::ifstream in(program, std::ios::binary);
  std::string line(2, '\0');
  in.read(line.data(), 2);
  if (!in || line != "#!") return std::istringstream();
  std::getline(in, line);
  return std::istringstream(line.substr(0, 512));
}

bool holds(std::string_view bytes, std::string_view text) {
  return bytes.find(std::string(1, '\0') + std::string(text) + '\0') != std::string_view::npos;
}

}  // namespace

std::optional<fs::path> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return can_run(name) ? std::optional<fs::path>(name) : std::nullopt;
  const char* places = std::getenv("PATH");
  std::istringstream list(places != nullptr ? places : "/usr/local/bin:/usr/bin:/bin");
  for (std::string place; std::getline(list, place, ':');)
    if (const fs::path file = fs::path(place.empty() ? "." : place) / name; can_run(file)) return file;
  return std::nullopt;
}

std::optional<fs::path> python_of(const fs::path& program) {
  if (is_python_name(program)) return program;
  std::istringstream words = first_line(program);
  std::string interpreter, argument;
  words >> interpreter;
  if (is_python_name(interpreter)) return interpreter;
  if (fs::path(interpreter).filename() != "env") return std::nullopt;
  while (words >> argument)
    if (!argument.starts_with('-')) break;
  return is_python_name(argument) ? find_program(argument) : std::nullopt;
}

bool has_static_cudart(const fs::path& program) {
  const auto file = MappedFile::open(program);
  if (!file) return false;
  const std::string_view bytes(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  return bytes.starts_with(
             "\x7f"
             "ELF") &&
         holds(bytes, "cudaErrorCudartUnloading") && holds(bytes, "cudaErrorMemoryAllocation") &&
         holds(bytes, "libcuda.so.1");
}

}  // namespace zerostall
