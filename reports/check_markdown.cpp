#include "reports/check_markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "profiler/analyze/causes.h"
#include "profiler/base/strings.h"
#include "reports/check_words.h"

namespace zerostall {
namespace {

constexpr std::size_t kMostVisible = 6;     // findings above the fold
constexpr std::size_t kMostRows = 50;       // of a table below it
constexpr std::size_t kMostBytes = 60'000;  // of the whole

std::string bullet(const Finding& finding, const Finding* before) {
  if (before != nullptr && differs_in_place_alone(finding, *before))
    return fmt::format("- and {}\n", markdown_text(finding.place));
  const bool note = finding.kind == FindingKind::improved && finding.level != Level::error;
  const std::string_view level = note ? "note" : finding.level == Level::error ? "error" : "warning";
  return fmt::format("- {}: {}{}\n", level, finding.run.empty() ? "" : markdown_code(finding.run) + " ",
                     markdown_text(finding.text));
}

// At most 3 lines more than kMostVisible.
std::string visible_findings(const CheckReport& report) {
  std::string text;
  std::size_t shown = 0, all = 0;
  const Finding* before = nullptr;
  for (const Finding& finding : report.findings) {
    if (finding.kind == FindingKind::cannot_tell && finding.level == Level::error) continue;
    if (all++ < kMostVisible) text += bullet(finding, before), ++shown;
    before = &finding;
  }
  if (const auto rest = left_out(all, shown, "finding"); !rest.empty()) text += "- and " + rest + "\n";
  if (report.verdict == Verdict::cannot_tell) {
    const std::vector<std::string> doubts = doubts_in(report);
    for (std::size_t i = 0; i < doubts.size() && shown < kMostVisible; ++i, ++shown)
      text += fmt::format("- cannot tell: {}\n", markdown_text(doubts[i]));
    if (const auto advice = what_to_do(report); !advice.empty()) text += "- to do: " + advice + "\n";
  }
  return text;
}

std::string table(const std::string& header, const std::vector<std::string>& rows, std::string_view noun) {
  if (rows.empty()) return {};
  std::string text = "\n" + header + "\n|" + [&] {
    std::string line;
    for (auto i = std::count(header.begin(), header.end(), '|'); i > 1; --i) line += "---|";
    return line;
  }() + "\n";
  const std::size_t shown = std::min(rows.size(), kMostRows);
  for (std::size_t i = 0; i < shown; ++i) text += rows[i] + "\n";
  if (const auto rest = left_out(rows.size(), shown, noun); !rest.empty()) text += "\nand " + rest + "\n";
  return text;
}

std::string places(const CheckReport& report) {
  std::vector<std::string> rows;
  std::set<std::string> seen;
  const auto add = [&](const SiteAtFault& site) {
    if (rows.size() > 10 * kMostRows || !seen.insert(site.id + site.place).second) return;
    const CauseInfo& cause = info_of(site.cause);
    rows.push_back(fmt::format("| {} | {} | {} | {} |", markdown_code(site.place), site.waits,
                               markdown_text(fmt::format("{}: {}", cause.slug, cause.title)),
                               markdown_text(cause.advice)));
  };
  for (const Finding& finding : report.findings)
    if (finding.site && finding.kind != FindingKind::improved) add(*finding.site);
  for (const BudgetResult& result : report.budgets)
    if (result.verdict == Verdict::violation)
      for (const SiteAtFault& site : result.sites) add(site);
  return table("| place | waits | cause | what to do |", rows, "place");
}

std::string budgets(const CheckReport& report) {
  std::vector<std::string> rows;
  for (const BudgetResult& result : report.budgets) {
    const bool judged = result.applies && result.budget.level != Level::off;
    rows.push_back(fmt::format("| {}{} | {} | {} |", result.run.empty() ? "" : markdown_code(result.run) + " ",
                               markdown_code(describe(result.budget)), judged ? name_of(result.verdict) : "not judged",
                               markdown_text(describe(report, result))));
    if (rows.size() > 10 * kMostRows) break;
  }
  return table("| budget | verdict | found |", rows, "budget");
}

std::string compared(const CheckReport& report) {
  std::vector<std::string> rows;
  const auto figure = [](const std::optional<std::int64_t>& n) { return n ? fmt::to_string(*n) : "unknown"; };
  for (const BeforeAfter& row : report.compared)
    rows.push_back(fmt::format("| {}{} | {} | {} |", row.run.empty() ? "" : markdown_code(row.run) + " ",
                               markdown_code(row.name), figure(row.before), figure(row.after)));
  return table("| figure | before | after |", rows, "figure");
}

std::string facts(const CheckReport& report) {
  std::string text;
  for (std::size_t i = 0; i < std::min(report.checked.size(), kMostRows); ++i)
    text += "- " + markdown_text(describe(report.checked[i])) + "\n";
  if (report.checked.size() > kMostRows)
    text += fmt::format("- and {} more processes\n", report.checked.size() - kMostRows);
  for (std::size_t i = 0; i < std::min(report.notes.size(), kMostRows); ++i)
    text += "- " + markdown_text(report.notes[i]) + "\n";
  return text.empty() ? "" : "\n" + text;
}

// No text of TOML has a line of backticks: its strings are quoted, and stand behind a key.
std::string allow_block(const CheckReport& report) {
  const std::string block = allow_toml(report.suggested);
  if (block.empty()) return {};
  return fmt::format("\nTo let these waits pass, add this to the policy and say why:\n\n```toml\n{}```\n", block);
}

std::string folded(std::string_view title, const std::string& content) {
  return content.empty() ? "" : fmt::format("\n<details><summary>{}</summary>\n{}\n</details>\n", title, content);
}

}  // namespace

std::string markdown_code(std::string_view text) {
  std::string inside;
  std::size_t run = 0, longest = 0;
  for (const char c : inert(text, kMostCharacters)) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    inside += c == '|' ? std::string("\\|") : std::string(1, c);
  }
  const std::string fence(longest + 1, '`');
  const bool apart = longest > 0 || inside.empty() || inside.front() == ' ' || inside.back() == ' ';
  return fmt::format("{}{}{}{}{}", fence, apart ? " " : "", inside, apart ? " " : "", fence);
}

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kSpecial = "\\`*_{}[]<>&|~!$";
  std::string out;
  for (const char c : inert(text)) {
    if (kSpecial.find(c) != std::string_view::npos) out += '\\';
    out += c;
    if (c == '@' || c == '#') out += "<!-- -->";  // no mention, no reference
  }
  for (const std::string_view link : {"://", "www."})
    for (std::size_t at = 0; (at = out.find(link, at)) != std::string::npos; at += link.size())
      out.insert(at + (link.front() == ':' ? 1 : 3), "<!-- -->");
  return out;
}

std::string render_check_markdown(const CheckReport& report) {
  std::string text = fmt::format("**zerostall {}**\n", markdown_text(headline(report)));
  if (const std::string list = visible_findings(report); !list.empty()) text += "\n" + list;
  if (!report.commit.empty()) text += "\nCommit " + markdown_code(report.commit) + "\n";
  // What is dropped first where all is too much comes last.
  const std::string parts[] = {folded("How to go on", allow_block(report)), folded("Places", places(report)),
                               folded("Before and after", compared(report)), folded("Budgets", budgets(report)),
                               folded("What was checked", facts(report))};
  bool whole = true;
  for (const std::string& part : parts) {
    const bool fits = text.size() + part.size() <= kMostBytes;
    whole = whole && fits;
    if (fits) text += part;
  }
  if (!whole) text += "\nMore than fits into a comment: the job's log has the rest.\n";
  return text + "\n" + std::string(kCheckMarker) + "\n";
}

}  // namespace zerostall
