#include "reports/check_json.h"

#include <algorithm>

#include "profiler/analyze/causes.h"
#include "reports/check_words.h"
#include "reports/json_parts.h"

namespace zerostall {
namespace {

constexpr std::size_t kMostSites = 20;  // of one budget

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json site_json(const SiteAtFault& site) {
  return {{"id", site.id},
          {"site", site.place},
          {"file", text_or_null(site.file)},
          {"line", site.line > 0 ? Json(site.line) : Json(nullptr)},
          {"function", text_or_null(site.function)},
          {"what", site.what},
          {"cause", info_of(site.cause).slug},
          {"waits", site.waits},
          {"advice", info_of(site.cause).advice}};
}

std::string_view name_of_part(Scope::Part part) {
  return part == Scope::Part::steps ? "steps" : part == Scope::Part::background ? "background" : "outside";
}

Json scope_json(const Scope& scope) {
  return {{"part", name_of_part(scope.part)},     {"region", text_or_null(scope.region)},
          {"cause", text_or_null(scope.cause)},   {"site", text_or_null(scope.site)},
          {"device", text_or_null(scope.device)}, {"rank", or_null(scope.rank)}};
}

Json limit_json(const Limit& limit) {
  return {{"statistic", name_of(limit.of)},
          {"at_most", limit.slower ? Json(nullptr) : Json(limit.at_most)},
          {"steps", limit.of == Statistic::window ? Json(limit.steps) : Json(nullptr)},
          {"slower", or_null(limit.slower)}};
}

Json budget_json(const BudgetResult& result) {
  Json json = {{"budget", describe(result.budget)},
               {"metric", result.budget.metric->key},
               {"unit", result.budget.metric->is_time ? "ns" : "count"},
               {"scope", scope_json(result.budget.scope)},
               {"limit", limit_json(result.budget.limit)},
               {"level", name_of(result.budget.level)},
               {"process", text_or_null(result.run)},
               {"applies", result.applies},
               {"verdict", name_of(result.verdict)},
               {"why", text_or_null(result.why)},
               {"actual", or_null(result.actual)},
               {"step", or_null(result.step)},
               {"steps_over", result.steps_over}};
  json["sites"] = Json::array();
  const std::size_t shown = std::min(result.sites.size(), kMostSites);
  for (std::size_t i = 0; i < shown; ++i) json["sites"].push_back(site_json(result.sites[i]));
  json["sites_left_out"] = result.sites.size() - shown;
  return json;
}

Json finding_json(const CheckReport& report, const Finding& finding) {
  const bool of_budget = finding.budget && *finding.budget < std::min(report.budgets.size(), kMostFindings);
  return {{"kind", name_of(finding.kind)},
          {"level", name_of(finding.level)},
          {"text", finding.text},
          {"process", text_or_null(finding.run)},
          {"budget", of_budget ? Json(*finding.budget) : Json(nullptr)},
          {"site", finding.site ? site_json(*finding.site) : Json(nullptr)},
          {"policy_line", finding.policy_line > 0 ? Json(finding.policy_line) : Json(nullptr)},
          {"fingerprint", fingerprint(report, finding)}};
}

Json in_program_json(const AllowedInProgram& allowed) {
  return {{"reason", allowed.reason}, {"waits", allowed.waits}, {"sites", allowed.places}};
}

Json facts_json(const CheckedFacts& facts) {
  Json in_program = Json::array();
  const std::size_t shown = std::min(facts.allowed_in_program.size(), kMostFindings);
  for (std::size_t i = 0; i < shown; ++i) in_program.push_back(in_program_json(facts.allowed_in_program[i]));
  return {{"process", text_or_null(facts.name)},
          {"trace", text_or_null(name_without_folders(facts.trace))},
          {"device", text_or_null(facts.device)},
          {"clock", facts.modelled ? "modelled" : "measured"},
          {"steps_from", facts.steps_from},
          {"steps", {{"total", facts.steps}, {"judged", facts.judged}, {"warmup", facts.warmup}}},
          {"most_waits", or_null(facts.most_waits)},
          {"allowed", facts.allowed},
          {"outside", facts.outside},
          {"background", facts.background},
          {"unreal_readbacks", facts.unreal_readbacks},
          {"allowed_in_program", std::move(in_program)}};
}

Json allowance_json(const Allowance& allow) {
  return {{"site", text_or_null(allow.site)},       {"cause", text_or_null(allow.cause)},
          {"kernel", text_or_null(allow.kernel)},   {"region", text_or_null(allow.region)},
          {"waits_per_step", allow.waits_per_step}, {"every", allow.every}};
}

// At most kMostFindings of a list.
template <class T, class F>
Json list(const std::vector<T>& all, const char* name, Json& left_out, F to_json) {
  Json json = Json::array();
  const std::size_t shown = std::min(all.size(), kMostFindings);
  for (std::size_t i = 0; i < shown; ++i) json.push_back(to_json(all[i]));
  left_out[name] = all.size() - shown;
  return json;
}

}  // namespace

std::string render_check_json(const CheckReport& report) {
  Json left_out = Json::object();
  Json json = {{"schema", "zerostall/check/1"},
               {"verdict", name_of(report.verdict)},
               {"exit_code", report.exit_code},
               {"summary", headline(report)},
               {"commit", text_or_null(report.commit)},
               {"policy", text_or_null(name_without_folders(report.policy))},
               {"baseline", text_or_null(name_without_folders(report.baseline))}};
  json["reasons"] = list(report.reasons, "reasons", left_out, [](const Reason& reason) -> Json {
    return {{"verdict", name_of(reason.verdict)}, {"text", reason.text}};
  });
  json["notes"] = list(report.notes, "notes", left_out, [](const std::string& note) { return Json(note); });
  json["processes"] = list(report.checked, "processes", left_out, facts_json);
  json["budgets"] = list(report.budgets, "budgets", left_out, budget_json);
  json["findings"] = list(report.findings, "findings", left_out,
                          [&](const Finding& finding) { return finding_json(report, finding); });
  json["compared"] = list(report.compared, "compared", left_out, [](const BeforeAfter& row) -> Json {
    return {{"process", text_or_null(row.run)},
            {"figure", row.name},
            {"before", or_null(row.before)},
            {"after", or_null(row.after)}};
  });
  json["suggested"] = list(report.suggested, "suggested", left_out, allowance_json);
  json["left_out"] = std::move(left_out);
  return to_text(json);
}

}  // namespace zerostall
