#include <fmt/format.h>

#include <algorithm>

#include "reports/check_markdown.h"
#include "reports/verify_report.h"

namespace zerostall {
namespace {

constexpr std::size_t kMostReasons = 8;  // above the fold

// A fence that no line of the text ends: one backtick more than its longest run of them.
std::string fence_for(const std::string& text) {
  std::size_t run = 0, longest = 2;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

std::string summary_of(const VerifyReport& report) {
  switch (report.judgement.verdict) {
    case Verdict::pass:
      return "pass: each fix removes exactly the waits it claims";
    case Verdict::violation:
      return "violation: a fix does not do what it claims";
    case Verdict::cannot_tell:
      break;
  }
  return "cannot tell";
}

}  // namespace

std::string render_verify_markdown(const VerifyReport& report) {
  const VerifyPlan& plan = report.plan;
  std::string text = fmt::format("**zerostall verify {}: {}** ({}, {})\n", markdown_text(plan.scenario),
                                 summary_of(report), markdown_text(plan.size), markdown_text(plan.device_title));
  const auto& reasons = report.judgement.reasons;
  const std::size_t shown = std::min(reasons.size(), kMostReasons);
  if (shown > 0) text += "\n";
  for (std::size_t i = 0; i < shown; ++i) text += "- " + markdown_text(reasons[i].text) + "\n";
  if (shown < reasons.size()) text += fmt::format("- and {} more\n", reasons.size() - shown);
  const std::string whole = render_verify_text(report), fence = fence_for(whole);
  return text + fmt::format("\n<details><summary>All figures</summary>\n\n{}text\n{}{}\n\n</details>\n\n{}\n", fence,
                            whole, fence, kVerifyMarker);
}

}  // namespace zerostall
