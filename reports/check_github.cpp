#include "reports/check_github.h"

#include <fmt/format.h>

#include <vector>

#include "profiler/analyze/causes.h"
#include "reports/check_words.h"

namespace zerostall {
namespace {

std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else if (property && c == ':')
      out += "%3A";
    else if (property && c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

std::string command(std::string_view level, const std::string& title, const std::string& message,
                    const std::optional<Location>& location = std::nullopt) {
  std::string text = fmt::format("::{} ", level);
  if (location) text += fmt::format("file={},", escaped(location->file, true));
  if (location && location->line > 0) text += fmt::format("line={},", location->line);
  return text + fmt::format("title={}::{}\n", escaped(title, true), escaped(message, false));
}

std::string_view level_of(const Finding& finding) {
  if (finding.level == Level::error) return "error";
  return finding.kind == FindingKind::improved ? "notice" : "warning";
}

std::string message_of(const Finding& finding) {
  std::string text = finding.run.empty() ? "" : inert(finding.run, kMostCharacters) + ": ";
  text += inert(finding.text);
  if (finding.site && finding.kind != FindingKind::improved)
    text += fmt::format("\n{}: {}", info_of(finding.site->cause).title, info_of(finding.site->cause).advice);
  return text;
}

}  // namespace

std::string render_check_github(const CheckReport& report) {
  const bool failed = report.exit_code != 0;
  std::string text;
  for (const std::string_view level : {"error", "warning", "notice"}) {
    std::vector<const Finding*> found;
    for (const Finding& finding : report.findings)
      if (level_of(finding) == level) found.push_back(&finding);
    // The verdict is one of its level.
    const bool has_verdict = level == (failed ? "error" : "notice");
    const std::size_t room = kMostAnnotations - (has_verdict ? 1 : 0);
    const std::size_t shown = found.size() > room ? room - 1 : found.size();
    for (std::size_t i = 0; i < shown; ++i)
      text += command(level, "zerostall " + rule_of(*found[i]), message_of(*found[i]), location_of(report, *found[i]));
    if (const auto rest = left_out(found.size(), shown, level); !rest.empty())
      text += command(level, "zerostall", rest + ": the job's log and its summary have them");
  }
  return text + command(failed ? "error" : "notice", "zerostall", headline(report));
}

}  // namespace zerostall
