#include "tests/architecture/source_tree.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>

namespace zerostall {
namespace fs = std::filesystem;

const fs::path& source_root() {
  static const fs::path root = ZEROSTALL_SOURCE_DIR;
  return root;
}

bool is_source(const fs::path& path) {
  return path.extension() == ".cpp" || path.extension() == ".h" || path.extension() == ".cu";
}

std::vector<fs::path> files_below(const std::string& folder, bool (*wanted)(const fs::path&)) {
  std::vector<fs::path> files;
  const fs::path top = source_root() / folder;
  if (!fs::exists(top)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(top))
    if (entry.is_regular_file() && wanted(entry.path())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string path_from_root(const fs::path& file) { return file.lexically_relative(source_root()).string(); }

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<Include> includes_of(const fs::path& file) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
  std::vector<Include> includes;
  for (const std::string& line : lines_of(read_text(file))) {
    std::smatch match;
    if (line.find("include") != std::string::npos && std::regex_match(line, match, pattern))
      includes.push_back({match[2], match[1] == "\""});
  }
  return includes;
}

bool is_below(const std::string& file, const std::string& place) {
  return file == place || file.starts_with(place + "/");
}

namespace {

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return text.starts_with(word); });
}

bool is_class(std::string_view line) { return starts_with_any(line, {"struct ", "class ", "union "}); }

bool can_open_function(std::string_view line) {
  return !line.empty() && !is_class(line) &&
         !starts_with_any(line, {"//", "#", "}", ")", "enum ", "namespace", "using ", "extern \"C\" {"});
}

// Follows raw strings, whose lines are no code.
class RawStrings {
 public:
  // Whether the line begins inside a raw string.
  bool inside(const std::string& line) {
    const bool was_inside = !end_.empty();
    std::size_t at = 0;
    if (was_inside) {
      at = line.find(end_);
      if (at == std::string::npos) return true;
      end_.clear();
    }
    static const std::regex opening(R"(\bR"([^\s()\\]*)\()");
    std::smatch match;
    if (line.find("R\"", at) != std::string::npos &&
        std::regex_search(line.begin() + static_cast<std::ptrdiff_t>(at), line.end(), match, opening)) {
      const std::string end = ")" + match[1].str() + "\"";
      if (match.suffix().str().find(end) == std::string::npos) end_ = end;
    }
    return was_inside;
  }

 private:
  std::string end_;  // what ends the string that is open; "" = none is
};

// What opened at one depth of indentation and is not closed.
struct Opened {
  std::string line;
  std::size_t number = 0;  // from 1
  bool parenthesis = false;
};

void close_at(std::size_t number, Opened& opened, std::vector<Function>& functions) {
  if (opened.parenthesis && can_open_function(opened.line))
    functions.push_back({opened.line, opened.number, number - opened.number + 1});
  opened = {};
}

}  // namespace

std::vector<Function> functions_of(std::string_view text) {
  std::vector<Function> functions;
  Opened outer, member;
  RawStrings raw;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (raw.inside(line)) continue;
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::string code = line.substr(indent);
    if (code.empty() || code.starts_with("//") || code.starts_with("#")) continue;
    Opened* opened = indent == 0 ? &outer : indent == 2 && is_class(outer.line) ? &member : nullptr;
    if (opened != nullptr) {
      if (code == "}") {
        close_at(number, *opened, functions);
        continue;
      }
      *opened = {code, number, false};
      if (indent == 0) member = {};
    }
    for (Opened* open : {&outer, &member})
      if (open->number != 0 && code.find('(') != std::string::npos) open->parenthesis = true;
    if (opened != nullptr && code.ends_with("}") && code.find(") ") != std::string::npos)
      close_at(number, *opened, functions);
  }
  return functions;
}

}  // namespace zerostall
