#include "profiler/cli/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiler/base/strings.h"

namespace zerostall::cli {
namespace {

// As --help lists them.
constexpr auto kOrder =
    std::to_array<std::string_view>({"", "record", "stat", "diff", "check", "baseline", "history", "export", "report",
                                     "init", "verify", "explain", "doctor", "completion"});

std::vector<Page> in_order() {
  std::vector<Page> pages;
  for (auto* part : {trace_pages, gate_pages, other_pages})
    for (Page& page : part()) pages.push_back(std::move(page));
  const auto place = [](const Page& page) { return std::find(kOrder.begin(), kOrder.end(), page.name); };
  std::sort(pages.begin(), pages.end(), [&](const Page& a, const Page& b) { return place(a) < place(b); });
  return pages;
}

// "  word   meaning", meanings below each other; a word that is longer stands on a line of its own.
std::string terms_text(const std::vector<Term>& terms, std::size_t most_for_words) {
  std::size_t column = 0;
  for (const Term& term : terms)
    if (const std::size_t end = characters(term.word) + 4; end <= most_for_words) column = std::max(column, end);
  column = std::max<std::size_t>(column, 8);
  std::string text;
  for (const Term& term : terms) {
    std::string head = "  " + term.word;
    if (characters(head) + 2 > column)
      head += "\n" + std::string(column, ' ');
    else
      head.append(column - characters(head), ' ');
    text += head + filled(term.meaning, kHelpWidth, column) + "\n";
  }
  return text;
}

std::string prose(std::string_view text) {
  std::string out, paragraph;
  const auto flush = [&] {
    if (!paragraph.empty()) out += filled(paragraph, kHelpWidth, 0) + "\n";
    paragraph.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("  ") || line.empty()) {
      flush();
      out.append(line).append("\n");
    } else {
      paragraph.append(paragraph.empty() ? "" : " ").append(line);
    }
  }
  flush();
  return out;
}

std::string examples_text(const std::vector<Example>& examples) {
  std::vector<Term> terms;
  for (const Example& example : examples) terms.push_back({example.line, example.says});
  // Beside the lines where that looks well, else below each.
  constexpr std::size_t kMostForLines = 46;
  const bool beside = std::all_of(terms.begin(), terms.end(), [](const Term& term) {
    return characters(term.word) + 4 <= kMostForLines && characters(term.word) + characters(term.meaning) < 74;
  });
  return terms_text(terms, beside ? kMostForLines : 0);
}

}  // namespace

std::span<const Page> pages() {
  static const std::vector<Page> kPages = in_order();
  return kPages;
}

const Page& page_of(std::string_view command) {
  static const Page kNone;
  const auto found =
      std::find_if(pages().begin(), pages().end(), [&](const Page& page) { return page.name == command; });
  return found != pages().end() ? *found : kNone;
}

std::string filled(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t length = characters(word);
    if (column > indent && column + 1 + length > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += length;
  }
  return out;
}

std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string help_text(const Page& page) {
  std::string text;
  for (const Section& section : page.sections) {
    if (!text.empty()) text += "\n";
    if (!section.title.empty()) text += section.title + ":\n";
    text += prose(section.text);
    text += terms_text(section.terms, 24);
  }
  text += "\nExamples:\n" + examples_text(page.examples);
  text += "\nExit codes:\n" + terms_text(page.exit_codes, 24);
  text.pop_back();  // CLI11 ends the footer itself
  return text;
}

}  // namespace zerostall::cli
