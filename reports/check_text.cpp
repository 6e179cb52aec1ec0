#include "reports/check_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "profiler/analyze/causes.h"
#include "profiler/base/strings.h"
#include "reports/check_words.h"

namespace zerostall {
namespace {

constexpr std::size_t kMostShown = 20;  // findings, budgets, processes

std::string coloured(const std::string& text, std::string_view code, const TextStyle& style) {
  return style.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

std::string_view colour_of(Verdict verdict) {
  return verdict == Verdict::pass ? "32" : verdict == Verdict::violation ? "31" : "33";
}

std::string first_line(const CheckReport& report, const TextStyle& style) {
  const std::string line = headline(report);
  const std::size_t colon = line.find(':');
  return coloured(line.substr(0, colon), colour_of(report.verdict), style) + line.substr(colon) + "\n";
}

std::string label_of(const Finding& finding, const TextStyle& style) {
  const bool error = finding.level == Level::error;
  if (finding.kind == FindingKind::improved && !error) return "note   ";
  return error ? coloured("error", "31", style) + "  " : coloured("warning", "33", style);
}

struct Told {
  std::set<CauseKind> advice;
  std::set<std::string> sites;  // by id
};

std::string finding_lines(const Finding& finding, const Finding* before, const TextStyle& style, Told& told) {
  std::string text = before != nullptr && differs_in_place_alone(finding, *before)
                         ? fmt::format("      and  {}\n", inert(finding.place))
                         : fmt::format("  {}  {}\n", label_of(finding, style), sentence(finding));
  if (!finding.site || finding.kind == FindingKind::improved) return text;
  const CauseInfo& cause = info_of(finding.site->cause);
  if (told.sites.insert(finding.site->id).second)
    text += fmt::format("           {}: {}\n", inert(finding.site->what, kMostCharacters), cause.title);
  if (told.advice.insert(finding.site->cause).second) text += fmt::format("           fix: {}\n", cause.advice);
  return text;
}

// What cannot be told and is an error is a reason, and shown as one.
bool is_doubt(const Finding& finding) {
  return finding.kind == FindingKind::cannot_tell && finding.level == Level::error;
}

// Errors come before warnings, so that those are cut first.
std::string findings(const CheckReport& report, const TextStyle& style) {
  std::string text;
  Told told;
  std::size_t count = 0, all = 0;
  const Finding* before = nullptr;
  for (const Finding& finding : report.findings) {
    if (is_doubt(finding)) continue;
    ++all;
    if (count == kMostShown) continue;
    ++count;
    text += finding_lines(finding, before, style, told);
    before = &finding;
  }
  if (const auto rest = left_out(all, count, "finding"); !rest.empty())
    text += fmt::format("  ... {}: --out json=FILE has them\n", rest);
  return text;
}

std::string doubt_lines(const CheckReport& report, const TextStyle& style) {
  std::string text;
  const std::vector<std::string> doubts = doubts_in(report);
  const std::size_t count = std::min(doubts.size(), kMostShown);
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("  {}  {}\n", coloured("cannot tell", "33", style), doubts[i]);
  if (const auto rest = left_out(doubts.size(), count, "reason"); !rest.empty()) text += "  ... " + rest + "\n";
  if (const auto advice = what_to_do(report); !advice.empty()) text += "  to do    " + advice + "\n";
  return text;
}

std::string budget_lines(const CheckReport& report) {
  std::string text;
  const std::size_t count = std::min(report.budgets.size(), kMostShown);
  for (std::size_t i = 0; i < count; ++i) {
    const BudgetResult& result = report.budgets[i];
    text += fmt::format("  budget   {}{}; {}\n", result.run.empty() ? "" : inert(result.run, kMostCharacters) + ": ",
                        inert(describe(result.budget)), describe(report, result));
  }
  if (const auto rest = left_out(report.budgets.size(), count, "budget"); !rest.empty()) text += "  ... " + rest + "\n";
  return text;
}

std::string compared_lines(const CheckReport& report) {
  std::string text;
  const std::size_t count = std::min(report.compared.size(), kMostShown);
  for (std::size_t i = 0; i < count; ++i) {
    const BeforeAfter& row = report.compared[i];
    if (row.before != row.after) text += fmt::format("  changed  {}\n", describe(row));
  }
  if (const auto rest = left_out(report.compared.size(), count, "figure"); !rest.empty())
    text += "  ... " + rest + " compared\n";
  if (text.empty() && !report.compared.empty()) text = "  changed  nothing against the baseline\n";
  return text;
}

std::string checked_lines(const CheckReport& report) {
  std::string text;
  const std::size_t count = std::min(report.checked.size(), kMostShown);
  for (std::size_t i = 0; i < count; ++i) text += fmt::format("  checked  {}\n", describe(report.checked[i]));
  if (const auto rest = left_out(report.checked.size(), count, "process"); !rest.empty())
    text += fmt::format("  ... {} more processes\n", report.checked.size() - count);
  for (std::size_t i = 0; i < std::min(report.notes.size(), kMostShown); ++i)
    text += fmt::format("  note     {}\n", inert(report.notes[i]));
  return text;
}

std::string how_to_go_on(const CheckReport& report, bool command) {
  std::string text;
  if (const std::string block = allow_toml(report.suggested); !block.empty())
    text +=
        fmt::format("\nTo let these waits pass, add this to {} and say why:\n\n{}",
                    report.policy.empty() ? "a policy (zerostall.toml)" : inert(report.policy, kMostCharacters), block);
  const bool of_baseline = std::any_of(report.findings.begin(), report.findings.end(), [](const Finding& finding) {
    return finding.kind == FindingKind::baseline && finding.level == Level::error;
  });
  if (of_baseline && report.suggested.empty())
    text += "\nTo accept what is new:  zerostall baseline update --accept-more\n";
  if (command && report.verdict != Verdict::pass && !report.command.empty())
    text += fmt::format("\nThe same check again:  {}\n", inert(report.command, 4000));
  return text;
}

}  // namespace

std::string render_check_text(const CheckReport& report, const CheckTextOptions& options) {
  std::string text = first_line(report, options.style) + findings(report, options.style);
  text += doubt_lines(report, options.style) + budget_lines(report) + compared_lines(report) + checked_lines(report);
  if (report.verdict != Verdict::pass && report.exit_code == 0)
    text += "  note     the exit code is 0: the policy says so\n";
  return text + how_to_go_on(report, options.command);
}

}  // namespace zerostall
