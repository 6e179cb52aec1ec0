#include "profiler/cli/source_texts.h"

#include <fstream>
#include <map>
#include <set>
#include <string>

#include "profiler/analyze/wait_stacks.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 4 << 20;
constexpr std::size_t kMostFiles = 500;

bool is_worth_reading(const fs::path& file, fs::file_time_type written) {
  std::error_code error;
  if (!fs::is_regular_file(file, error) || error) return false;
  const auto size = fs::file_size(file, error);
  if (error || size > kLargestFile) return false;
  const auto changed = fs::last_write_time(file, error);
  return !error && changed <= written;
}

std::map<std::string, std::set<std::uint32_t>> own_lines(const RawTrace& trace) {
  std::map<std::string, std::set<std::uint32_t>> lines;
  for (const auto& [id, stack] : trace.stacks.stacks)
    for (const PythonFrame& frame : stack.python) {
      const std::string_view file = trace.strings.text(frame.file);
      if (frame.line > 0 && !file.empty() && !is_library_path(file)) lines[std::string(file)].insert(frame.line);
    }
  return lines;
}

}  // namespace

SourceTexts read_sources(const RawTrace& trace, const fs::path& trace_file) {
  SourceTexts texts;
  std::error_code error;
  const auto written = fs::last_write_time(trace_file, error);
  if (error) return texts;
  std::size_t files = 0;
  for (const auto& [file, lines] : own_lines(trace)) {
    if (++files > kMostFiles) break;
    const fs::path beside = trace_file.parent_path() / file;
    const bool here = is_worth_reading(file, written);
    if (!here && !is_worth_reading(beside, written)) continue;
    std::ifstream source(here ? fs::path(file) : beside);
    std::string text;
    for (std::uint32_t line = 1; line <= *lines.rbegin() && std::getline(source, text); ++line)
      if (lines.contains(line)) texts[{file, line}] = text;
  }
  return texts;
}

}  // namespace zerostall::cli
