#include "reports/stacks_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "profiler/base/printable.h"
#include "profiler/base/strings.h"
#include "reports/words.h"

namespace zerostall {
namespace {

constexpr std::size_t kMostLibraryLines = 4, kMostNativeLines = 6, kMostOwnLines = 12;
constexpr std::size_t kMostKinds = 5;  // of waits of one place

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string heading(const WaitStack& stack) {
  std::string text;
  const std::size_t shown = stack.waits.size() <= kMostKinds + 1 ? stack.waits.size() : kMostKinds;
  for (const WaitsThere& waits : std::span(stack.waits).first(shown)) {
    const std::string rate = waits.per_step ? fmt::format("{} per judged step", show_range(waits.per_step)) : "";
    text += fmt::format("{}{}{} in all: {}\n", rate, rate.empty() ? "" : ", ", waits.count, printable(waits.what));
  }
  std::int64_t others = 0;
  for (const WaitsThere& waits : std::span(stack.waits).subspan(shown)) others += waits.count;
  if (others > 0) text += fmt::format("{} in all: {} more kinds\n", others, stack.waits.size() - shown);
  return text;
}

std::string python_line(const SourceLine& line) {
  const std::string place = line.line > 0 ? fmt::format("{}:{}", line.file, line.line) : line.file;
  if (place.empty()) return fmt::format("  {}\n", printable(line.function));
  return fmt::format("  {} in {}\n", printable(place), printable(line.function));
}

std::string more(std::size_t left, std::string_view what) {
  return left == 0 ? "" : fmt::format("  ... {} more {}\n", left, what);
}

std::string python_lines(const WaitStack& stack, bool library, std::size_t most, std::string_view what) {
  std::string text;
  std::size_t shown = 0, left = 0;
  for (const SourceLine& line : stack.python) {
    if (line.library != library) continue;
    if (shown == most) {
      ++left;
      continue;
    }
    ++shown;
    text += python_line(line);
  }
  return text + more(left, what);
}

bool says_nothing(const NativeLine& frame) { return frame.module.empty() || is_machinery(frame.module); }

constexpr std::size_t kMostOfFunction = 140;  // names of C++ templates can fill a screen

std::string native_line(const NativeLine& frame, const SourceLine& source) {
  const std::string module = printable(file_name(frame.module));
  if (source.function.empty())
    return fmt::format("  {} +{:#x}{}\n", module, frame.offset,
                       frame.why_not.empty() ? "" : fmt::format(" ({})", frame.why_not));
  const std::string place =
      source.line > 0 ? fmt::format(" {}:{}", printable(file_name(source.file)), source.line) : "";
  return fmt::format("  {}{} [{}]\n", shortened(printable(source.function), kMostOfFunction), place, module);
}

std::string native_lines(const WaitStack& stack) {
  std::string text;
  std::size_t shown = 0, left = 0;
  for (const NativeLine& frame : stack.native) {
    if (says_nothing(frame)) continue;
    const std::vector<SourceLine> unnamed(1);
    for (const SourceLine& source : frame.sources.empty() ? unnamed : frame.sources) {
      if (shown < kMostNativeLines)
        text += native_line(frame, source);
      else
        ++left;
      shown += shown < kMostNativeLines;
    }
  }
  return text.empty() ? "" : " native\n" + text + more(left, "native frames");
}

std::string render_stack(const WaitStack& stack) {
  std::string text = "\n" + heading(stack);
  if (stack.id == 0) return text + "  no call stack was recorded\n";
  if (stack.python_frames == PythonFrames::unknown) text += "  Python frames unknown\n";
  text += python_lines(stack, false, kMostOwnLines, "frames of one's own");
  if (std::string libraries = python_lines(stack, true, kMostLibraryLines, "library frames"); !libraries.empty())
    text += (stack.python_frames == PythonFrames::operators_only ? " operators\n" : " by libraries\n") + libraries;
  if (stack.python_cut) text += "  ... outer Python frames were not recorded\n";
  return text + native_lines(stack);
}

}  // namespace

std::string render_stacks_text(const std::vector<WaitStack>& stacks) {
  if (stacks.empty())
    return "\nno call stacks in this trace: zerostall record keeps them (--stacks=waits), torch.profiler with "
           "with_stack=True\n";
  std::string text = "\nwhere waits come from";
  text += fmt::format(" ({} {})\n", stacks.size(), stacks.size() == 1 ? "place" : "places");
  if (std::any_of(stacks.begin(), stacks.end(),
                  [](const WaitStack& s) { return s.python_frames == PythonFrames::operators_only; }))
    text += "lines of Python were not recorded: torch.profiler.profile(with_stack=True) records their functions\n";
  for (const WaitStack& stack : stacks) text += render_stack(stack);
  return text;
}

}  // namespace zerostall
