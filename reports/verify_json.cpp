#include "reports/json_parts.h"
#include "reports/verify_all_report.h"

namespace zerostall {
namespace {

Json run_json(const VerifyRun& run) {
  Json regions = Json::object();
  for (const RegionSummary& region : run.summary.regions)
    regions[region.name] = {{"per_step", to_json(region.per_step)}};
  regions["step"] = {{"per_step", to_json(run.summary.per_step)}};  // the whole step
  Json json = {{"fixes", run.fixes},
               {"steps", {{"total", run.summary.steps.size()}, {"judged", run.summary.judged()}}}};
  json["regions"] = std::move(regions);
  json["outside_regions"] = Json::object();  // waits between the steps, not judged
  for (const RegionRow& region : run.summary.outside_regions)
    json["outside_regions"][region.name]["waits"] = to_json(region.counters)["waits"];
  json["copies"] = to_json(run.summary.copies);
  json["unreal_readbacks"] = run.summary.unreal_readbacks.judged;
  return json;
}

}  // namespace

std::optional<Clock> clock_of(const VerifyReport& report) {
  if (report.plan.device.starts_with("sim")) return Clock::modelled;
  for (const VerifyRun& run : report.runs)
    if (!run.summary.meta.format.empty()) return run.summary.meta.clock;
  return std::nullopt;
}

namespace {

Json job_json(const VerifyReport& report) {
  const VerifyPlan& plan = report.plan;
  const auto clock = clock_of(report);
  Json json = {{"schema", "zerostall/verify/1"},
               {"scenario", plan.scenario},
               {"size", plan.size},
               {"device", plan.device},
               {"clock", clock ? Json(*clock == Clock::modelled ? "modelled" : "measured") : Json(nullptr)},
               {"batch", plan.batch},
               {"accum", plan.accum},
               {"steps", plan.steps},
               {"warmup", plan.warmup}};
  json["settings"] = plan.settings;
  json["verdict"] = name_of(report.judgement.verdict);
  json["reasons"] = Json::array();
  json["reason_verdicts"] = Json::array();  // one for each of `reasons`
  for (const Reason& reason : report.judgement.reasons) {
    json["reasons"].push_back(reason.text);
    json["reason_verdicts"].push_back(name_of(reason.verdict));
  }
  json["notes"] = report.judgement.notes;
  json["rest"] = Json::array();
  for (const RestClaim& rest : report.plan.rest)
    json["rest"].push_back({{"region", rest.region}, {"waits", rest.stays.waits}, {"reason", rest.reason}});
  json["runs"] = Json::array();
  for (const VerifyRun& run : report.runs) json["runs"].push_back(run_json(run));
  return json;
}

}  // namespace

std::string render_verify_json(const VerifyReport& report) { return to_text(job_json(report)); }

std::string render_verify_all_json(const VerifyAllReport& report) {
  Json json = {{"schema", "zerostall/verify-all/1"}, {"verdict", name_of(verdict_of(report))}};
  json["jobs"] = Json::array();
  for (const VerifyReport& job : report.jobs) json["jobs"].push_back(job_json(job));
  return to_text(json);
}

}  // namespace zerostall
