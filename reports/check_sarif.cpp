#include "reports/check_sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "profiler/analyze/causes.h"
#include "reports/check_words.h"
#include "reports/explain_text.h"
#include "reports/json_parts.h"

namespace zerostall {
namespace {

constexpr std::string_view kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr std::string_view kCannotTell = "cannot-tell";
constexpr std::string_view kLeftOut = "left-out";

// RFC 3986: what is not unreserved is encoded, but for the slashes.
std::string uri_of(std::string_view path) {
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

Json message(std::string text) { return {{"text", std::move(text)}}; }

Json rule_of_cause(const CauseInfo& cause) {
  const auto explanations = cause_explanations();
  const auto found = std::find_if(explanations.begin(), explanations.end(),
                                  [&](const Explanation& e) { return e.name == cause.slug; });
  std::string text = fmt::format("{}\n\nWhat to do: {}", cause.title, cause.advice);
  std::string markdown = fmt::format("**{}**\n\nWhat to do: {}", cause.title, cause.advice);
  if (found != explanations.end()) {
    text = fmt::format("{}\n\nWhat to do: {}\n\n{}", found->what, cause.advice, found->pytorch);
    markdown = fmt::format("{}\n\n**What to do:** {}\n\n{}", found->what, cause.advice, found->pytorch);
    if (!found->before.empty() && !found->after.empty())
      markdown +=
          fmt::format("\n\nBefore:\n\n```python\n{}\n```\n\nAfter:\n\n```python\n{}\n```", found->before, found->after);
  }
  return {{"id", cause.slug},
          {"shortDescription", message(std::string(cause.title))},
          {"fullDescription", message(fmt::format("The host waits for the GPU: {}.", cause.title))},
          {"help", {{"text", text}, {"markdown", markdown}}},
          {"properties", {{"tags", {"performance", "gpu"}}}}};
}

std::string_view meaning_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::budget:
      return "A budget of the policy is exceeded";
    case FindingKind::baseline:
      return "More waits than the baseline has";
    case FindingKind::improved:
      return "Fewer waits than the baseline has: update it, so that they stay away";
    case FindingKind::allowance_expired:
      return "An allowance of the policy has expired";
    case FindingKind::allowance_expiring:
      return "An allowance of the policy expires soon";
    case FindingKind::allowance_unused:
      return "An allowance of the policy lets nothing pass: remove it";
    case FindingKind::cannot_tell:
      break;
  }
  return "The recording does not tell";
}

Json rule_of_kind(FindingKind kind) {
  return {{"id", name_of(kind)},
          {"shortDescription", message(std::string(meaning_of(kind)))},
          {"help", message(std::string(meaning_of(kind)))}};
}

// Rules by first use.
class Rules {
 public:
  std::size_t index_of(const Finding& finding) {
    const std::string id = rule_of(finding);
    const auto [at, is_new] = at_.try_emplace(id, at_.size());
    if (is_new) {
      const bool of_cause = finding.site && id == info_of(finding.site->cause).slug;
      rules_.push_back(of_cause ? rule_of_cause(info_of(finding.site->cause)) : rule_of_kind(finding.kind));
    }
    return at->second;
  }
  Json take() { return std::move(rules_); }

 private:
  Json rules_ = Json::array();
  std::map<std::string, std::size_t> at_;
};

std::string_view level_of(const Finding& finding) {
  if (finding.level == Level::error) return "error";
  return finding.kind == FindingKind::improved ? "note" : "warning";
}

Json location_json(const CheckReport& report, const Finding& finding) {
  Json location = Json::object();
  if (const auto place = location_of(report, finding)) {
    location["physicalLocation"]["artifactLocation"] = {{"uri", uri_of(place->file)}, {"uriBaseId", "%SRCROOT%"}};
    if (place->line > 0) location["physicalLocation"]["region"] = {{"startLine", place->line}};
  }
  if (finding.site && !finding.site->function.empty())
    location["logicalLocations"] =
        Json::array({{{"name", inert(finding.site->function, kMostCharacters)}, {"kind", "function"}}});
  return location;
}

Json result_json(const CheckReport& report, const Finding& finding, std::size_t rule, const std::string& print) {
  std::string text = finding.run.empty() ? "" : inert(finding.run, kMostCharacters) + ": ";
  Json json = {{"ruleId", rule_of(finding)},
               {"ruleIndex", rule},
               {"level", level_of(finding)},
               {"message", message(text + inert(finding.text))}};
  if (Json location = location_json(report, finding); !location.empty())
    json["locations"] = Json::array({std::move(location)});
  json["partialFingerprints"] = {{"zerostallFinding/v1", print}};
  json["properties"]["kind"] = name_of(finding.kind);
  return json;
}

Json notification(std::string_view id, std::string_view level, std::string text) {
  return {{"level", level},
          {"message", message(std::move(text))},
          {"descriptor", {{"id", id}, {"index", id == kCannotTell ? 0 : 1}}}};
}

Json notifications(const CheckReport& report, std::size_t results_left_out) {
  Json json = Json::array();
  const std::string_view level = report.exit_code == 0 ? "warning" : "error";
  std::size_t count = 0;
  for (const Reason& reason : report.reasons)
    if (reason.verdict == Verdict::cannot_tell && count++ < kMostFindings)
      json.push_back(notification(kCannotTell, level, inert(reason.text)));
  if (const auto advice = what_to_do(report); !advice.empty())
    json.push_back(notification(kCannotTell, "note", advice));
  if (const auto rest = left_out(results_left_out, 0, "finding"); !rest.empty())
    json.push_back(notification(kLeftOut, "warning", rest + " are not listed"));
  return json;
}

Json driver(Json rules) {
  return {{"name", "zerostall"},
          {"version", ZEROSTALL_VERSION},
          {"rules", std::move(rules)},
          {"notifications",
           Json::array({{{"id", kCannotTell}, {"shortDescription", message("The recording does not tell")}},
                        {{"id", kLeftOut}, {"shortDescription", message("There are more findings than listed")}}})}};
}

}  // namespace

std::string render_check_sarif(const CheckReport& report) {
  Rules rules;
  Json results = Json::array();
  std::map<std::string, int> seen;
  std::size_t all = 0;
  for (const Finding& finding : report.findings) {
    if (finding.kind == FindingKind::cannot_tell || all++ >= kMostFindings) continue;
    std::string print = fingerprint(report, finding);
    if (const int n = ++seen[print]; n > 1) print += fmt::format("-{}", n);
    const std::size_t rule = rules.index_of(finding);
    results.push_back(result_json(report, finding, rule, print));
  }
  // What failed is the program under test: the check has run, unless it could not tell.
  Json invocation = {{"executionSuccessful", report.verdict != Verdict::cannot_tell},
                     {"exitCode", report.exit_code},
                     {"exitCodeDescription", name_of(report.verdict)}};
  invocation["toolExecutionNotifications"] = notifications(report, all - results.size());
  Json run = {{"tool", {{"driver", driver(rules.take())}}},
              {"invocations", Json::array({std::move(invocation)})},
              {"columnKind", "utf16CodeUnits"},
              {"results", std::move(results)}};
  run["properties"] = {{"verdict", name_of(report.verdict)}, {"summary", headline(report)}};
  if (!report.commit.empty()) run["properties"]["commit"] = inert(report.commit);
  return to_text({{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({std::move(run)})}});
}

}  // namespace zerostall
