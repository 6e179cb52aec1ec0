#include "profiler/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace zerostall::cli {
namespace {

constexpr std::size_t kNarrowest = 20;  // with less, nothing can be shown

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

std::size_t width_of_output() {
  const std::string_view columns = variable("COLUMNS");
  std::size_t width = 0;
  const auto parsed = std::from_chars(columns.data(), columns.data() + columns.size(), width);
  const bool is_number = parsed.ec == std::errc{} && parsed.ptr == columns.data() + columns.size();
  if (!is_number || width == 0) {
    winsize size{};
    if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
    width = size.ws_col;
  }
  return width == 0 ? 0 : std::max(width, kNarrowest);
}

bool wants_colour(Colour colour) {
  if (colour != Colour::when_terminal) return colour == Colour::always;
  return ::isatty(STDOUT_FILENO) != 0 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

}  // namespace

TextStyle style_of_output(Colour colour) { return {width_of_output(), wants_colour(colour)}; }

}  // namespace zerostall::cli
