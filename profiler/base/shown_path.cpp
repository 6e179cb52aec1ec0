#include "profiler/base/shown_path.h"

#include <cstdlib>
#include <string_view>
#include <vector>

namespace zerostall {
namespace {

namespace fs = std::filesystem;

// As named and as resolved. A home of "/" is that of a container without users.
std::vector<std::string> homes() {
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') return {};
  std::string named = fs::path(home).lexically_normal().string();
  while (named.ends_with('/')) named.pop_back();
  if (named.empty()) return {};
  std::error_code error;
  const fs::path real = fs::canonical(named, error);
  if (error || real.string() == named || real == "/") return {named};
  return {named, real.string()};
}

bool is_user(std::string_view name) {
  for (const char* variable : {"USER", "LOGNAME"})
    if (const char* user = std::getenv(variable); user != nullptr && *user != '\0' && name == user)
      return name != "root";
  return false;
}

// "/home/alice" in "/home/alice/x" and "/home/alice", not in "/home/alice2".
void replace_home(std::string& text, const std::string& home) {
  for (std::size_t at = 0; (at = text.find(home, at)) != std::string::npos; ++at) {
    const std::size_t behind = at + home.size();
    const bool starts =
        at == 0 || (text[at - 1] != '/' && std::string_view("\"'(=: ").find(text[at - 1]) != std::string_view::npos);
    const bool ends =
        behind == text.size() || std::string_view("/\"'):;, ").find(text[behind]) != std::string_view::npos;
    if (starts && ends) text.replace(at, home.size(), "~");
  }
}

}  // namespace

std::string shown_path(const fs::path& path) {
  const std::string text = without_home(path.string());
  fs::path shown;
  for (const fs::path& part : fs::path(text)) shown /= is_user(part.string()) ? fs::path("...") : part;
  return shown.string();
}

std::string without_home(std::string text) {
  for (const std::string& home : homes()) replace_home(text, home);
  return text;
}

}  // namespace zerostall
