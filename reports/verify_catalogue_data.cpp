#include <fmt/format.h>

#include "reports/json_parts.h"
#include "reports/junit.h"
#include "reports/verify_catalogue_report.h"

namespace zerostall {
namespace {

Json to_json(const CatalogueRun& run, const Judgement& judgement) {
  const CatalogueClaim& claim = run.claim;
  Json causes = Json::array();
  for (const CauseFound& cause : causes_found(run.summary))
    causes.push_back({{"cause", info_of(cause.kind).slug},
                      {"confidence", name_of(cause.confidence)},
                      {"evidence", cause.evidence},
                      {"judged", cause.judged}});
  Json json = {{"class", claim.scenario}, {"variant", claim.variant}, {"verdict", name_of(judgement.verdict)}};
  json["expected"] = {{"waits", claim.waits},
                      {"memory_calls", claim.memory_calls},
                      {"cause", claim.cause.empty() ? Json(nullptr) : Json(claim.cause)}};
  json["why_near_miss"] = claim.why.empty() ? Json(nullptr) : Json(claim.why);
  json["steps"] = {{"total", run.summary.steps.size()}, {"judged", run.summary.judged()}};
  json["per_step"] = zerostall::to_json(run.summary.per_step);
  json["causes"] = std::move(causes);
  json["unreal_readbacks"] = run.summary.unreal_readbacks.judged;
  json["reasons"] = Json::array();
  json["reason_verdicts"] = Json::array();  // one for each of `reasons`
  for (const Reason& reason : judgement.reasons) {
    json["reasons"].push_back(reason.text);
    json["reason_verdicts"].push_back(name_of(reason.verdict));
  }
  return json;
}

JunitCase to_case(const CatalogueRun& run, const Judgement& judgement) {
  JunitCase one{run.claim.scenario, run.claim.variant, {}, {}, {}};
  if (judgement.verdict != Verdict::pass)
    one.result = judgement.verdict == Verdict::violation ? JunitResult::failure : JunitResult::error;
  for (const Reason& reason : judgement.reasons) one.lines.push_back(reason.text);
  if (!one.lines.empty()) one.message = one.lines.front();
  return one;
}

}  // namespace

std::string render_verify_catalogue_json(const CatalogueReport& report) {
  Json json = {{"schema", "zerostall/verify-catalogue/1"},
               {"device", report.device},
               {"steps", report.steps},
               {"warmup", report.warmup},
               {"verdict", name_of(verdict_of(report))}};
  json["runs"] = Json::array();
  for (std::size_t i = 0; i < report.runs.size(); ++i)
    json["runs"].push_back(to_json(report.runs[i], report.verdicts[i]));
  return to_text(json);
}

std::string render_verify_catalogue_junit(const CatalogueReport& report) {
  JunitSuite suite{"zerostall verify --catalogue", "zerostall.verify.catalogue", {}, {}};
  suite.properties = {{"verdict", std::string(name_of(verdict_of(report)))}, {"device", report.device_title}};
  for (std::size_t i = 0; i < report.runs.size(); ++i)
    suite.cases.push_back(to_case(report.runs[i], report.verdicts[i]));
  return render_junit(suite);
}

}  // namespace zerostall
