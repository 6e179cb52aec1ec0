#include "reports/explain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "reports/explain_parts.h"

namespace zerostall {
namespace {

// The texts are kept by theme; the order of the catalogue is that of the slugs.
std::vector<Explanation> in_order() {
  std::vector<Explanation> texts;
  for (std::size_t kind = 0; kind < kCauseKinds; ++kind) {
    const std::string_view slug = info_of(static_cast<CauseKind>(kind)).slug;
    for (const auto part : {explain::reads(), explain::memory(), explain::shapes(), explain::waits()})
      for (const Explanation& text : part)
        if (text.name == slug) texts.push_back(text);
  }
  return texts;
}

std::string indented(std::string_view text, std::string_view indent) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += end == 0 ? "\n" : fmt::format("{}{}\n", indent, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string part(std::string_view title, std::string_view text) {
  return text.empty() ? "" : fmt::format("\n{}\n{}", title, indented(text, "  "));
}

std::string code(std::string_view language, std::string_view before, std::string_view after) {
  return fmt::format("\n{}, before\n{}{}, after\n{}", language, indented(before, "    "), language,
                     indented(after, "    "));
}

std::string body(const Explanation& text) {
  return part("How it looks", text.looks) + part("What to do in PyTorch", text.pytorch) +
         code("Python", text.before, text.after) + part("What to do in LibTorch", text.libtorch) +
         code("C++", text.cpp_before, text.cpp_after) + part("When it is no problem", text.no_problem);
}

}  // namespace

std::span<const Explanation> cause_explanations() {
  static const std::vector<Explanation> texts = in_order();
  return texts;
}

std::string render_explanation(CauseKind kind) {
  const CauseInfo& info = info_of(kind);
  for (const Explanation& text : cause_explanations())
    if (text.name == info.slug)
      return fmt::format("{}: {}\n", info.slug, info.title) + part("What it is", text.what) + body(text);
  return {};
}

std::string render_explanation(const FixText& fix) {
  std::string text = fmt::format("{}: {}\n", fix.name, fix.title) + part("What it is", fix.explanation) +
                     fmt::format("\nAgainst waits of cause {}: zerostall explain {}\n", fix.cause, fix.cause);
  for (const Explanation& more : fix_explanations())
    if (more.name == fix.name) text += body(more);
  return text;
}

std::string render_names(std::span<const FixText> fixes) {
  std::string text = "Causes of waits\n";
  for (std::size_t kind = 0; kind < kCauseKinds; ++kind) {
    const CauseInfo& info = info_of(static_cast<CauseKind>(kind));
    text += fmt::format("  {:<28}{}\n", info.slug, info.title);
  }
  text += "\nFixes\n";
  for (const FixText& fix : fixes) text += fmt::format("  {:<28}{}\n", fix.name, fix.title);
  return text + "\nzerostall explain NAME says what it is, how it looks, and what to write instead.\n";
}

}  // namespace zerostall
