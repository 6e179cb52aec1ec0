#include "reports/check_gitlab.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "profiler/analyze/causes.h"
#include "reports/check_words.h"
#include "reports/json_parts.h"

namespace zerostall {
namespace {

std::string_view severity_of(const Finding& finding) {
  const bool error = finding.level == Level::error;
  switch (finding.kind) {
    case FindingKind::cannot_tell:
      return error ? "major" : "minor";
    case FindingKind::improved:
    case FindingKind::allowance_expiring:
    case FindingKind::allowance_unused:
      return error ? "critical" : "info";
    case FindingKind::budget:
    case FindingKind::baseline:
    case FindingKind::allowance_expired:
      break;
  }
  return error ? "critical" : "minor";
}

Location place_of(const CheckReport& report, const Finding& finding) {
  if (const auto location = location_of(report, finding)) return *location;
  return {repository_path(report.policy).value_or("zerostall.toml"), 0};
}

std::string description_of(const Finding& finding) {
  std::string text = finding.run.empty() ? "" : inert(finding.run, kMostCharacters) + ": ";
  text += inert(finding.text);
  if (finding.site && finding.kind != FindingKind::improved)
    text += fmt::format(" - {}", info_of(finding.site->cause).advice);
  return text;
}

Json issue(std::string_view severity, const std::string& rule, const std::string& description, const std::string& print,
           const Location& place) {
  return {{"type", "issue"},
          {"check_name", "zerostall/" + rule},
          {"description", description},
          {"categories", {"Performance"}},
          {"severity", severity},
          {"fingerprint", print},
          {"location", {{"path", place.file}, {"lines", {{"begin", std::max<std::uint32_t>(place.line, 1)}}}}}};
}

}  // namespace

std::string render_check_gitlab(const CheckReport& report) {
  Json issues = Json::array();
  std::map<std::string, int> seen;
  const std::size_t shown = std::min(report.findings.size(), kMostFindings);
  for (std::size_t i = 0; i < shown; ++i) {
    const Finding& finding = report.findings[i];
    std::string print = fingerprint(report, finding);
    // The same rule broken at the same place in two ways: told apart by their order, which is stable.
    if (const int n = ++seen[print]; n > 1) print += fmt::format("-{}", n);
    issues.push_back(
        issue(severity_of(finding), rule_of(finding), description_of(finding), print, place_of(report, finding)));
  }
  if (const auto rest = left_out(report.findings.size(), shown, "finding"); !rest.empty())
    issues.push_back(issue("info", "left-out", rest + " are not listed", "zerostall-left-out", place_of(report, {})));
  return to_text(issues);
}

}  // namespace zerostall
