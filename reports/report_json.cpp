// Schema zerostall/report/1, by schemas.md.
#include "profiler/base/strings.h"
#include "reports/check_json.h"
#include "reports/check_markdown.h"
#include "reports/check_words.h"
#include "reports/json_parts.h"
#include "reports/report_markdown.h"
#include "reports/report_model.h"
#include "reports/verify_report.h"

namespace zerostall {
namespace {

using namespace report;

constexpr std::size_t kMostSteps = 10'000;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json side_json(const std::optional<FigureSide>& side) {
  if (!side) return nullptr;
  return {{"min", or_null(side->min)}, {"median", side->median}, {"p95", side->p95}, {"max", or_null(side->max)}};
}

Json figures_json(const ReportInput& input) {
  Json groups = Json::array();
  for (const FigureGroup& group : figures_of(input)) {
    Json rows = Json::array();
    for (const Figure& row : group.rows)
      rows.push_back({{"key", row.key},
                      {"title", row.title},
                      {"before", side_json(row.before)},
                      {"after", side_json(row.after)},
                      {"change", text_or_null(row.change)},
                      {"sure", name_of(row.sure)},
                      {"why", text_or_null(row.why)}});
    groups.push_back({{"title", group.title}, {"modelled", group.modelled}, {"rows", std::move(rows)}});
  }
  return groups;
}

Json step_json(const StepRow& step) {
  return {{"number", step.number},
          {"judged", step.judged},
          {"unsteady", step.unsteady},
          {"time_ns", step.end_ns - step.begin_ns},
          {"waits", or_null(step.counters[Counter::waits])},
          {"stream_syncs", or_null(step.counters[Counter::stream_syncs])},
          {"h2d_stalls", or_null(step.counters[Counter::h2d_stalls])},
          {"blocked_ns", or_null(step.counters[Counter::blocked_ns])}};
}

Json run_json(const ReportRun& run, bool whole) {
  const RunSummary& summary = *run.summary;
  const RunFacts facts = facts_of(run);
  Json json = {{"name", text_or_null(facts.name)},
               {"trace", text_or_null(facts.trace)},
               {"program", text_or_null(facts.program)},
               {"device", facts.device},
               {"tool", text_or_null(facts.tool)},
               {"clock", is_modelled(summary) ? "modelled" : "measured"},
               {"complete", summary.complete()},
               {"lost", summary.lost},
               {"steps_from", name_of(summary.steps_from)},
               {"steps", summary.steps.size()},
               {"judged", summary.judged()},
               {"warmup", summary.warmup},
               {"missing", facts.missing},
               {"per_step", to_json(summary.per_step)},
               {"outside", to_json(summary.outside)},
               {"background", to_json(summary.background)},
               {"totals", to_json(summary.totals)}};
  if (!whole) return json;
  Json steps = Json::array();
  for (const StepRow& step : summary.steps)
    if (steps.size() < kMostSteps) steps.push_back(step_json(step));
  json["each_step"] = std::move(steps);
  return json;
}

Json runs_json(const std::vector<ReportRun>& runs) {
  Json list = Json::array();
  for (const ReportRun& run : runs) list.push_back(run_json(run, list.empty()));
  return list;
}

Json site_side_json(const std::optional<SiteSide>& side) {
  if (!side) return nullptr;
  return {{"waits", side->waits},
          {"waits_per_step", to_json(side->per_step)},
          {"blocked_ns", or_null(side->blocked_ns)},
          {"avoidable_idle_ns", or_null(side->avoidable_ns)}};
}

Json sites_json(const SiteRows& sites) {
  Json rows = Json::array();
  for (const SiteRow& row : sites.rows)
    rows.push_back({{"id", row.id},
                    {"site", row.place},
                    {"cause", row.cause},
                    {"confidence", text_or_null(row.confidence)},
                    {"what", row.what},
                    {"state", text_or_null(row.state)},
                    {"before", site_side_json(row.before)},
                    {"after", site_side_json(row.after)},
                    {"evidence", text_or_null(row.evidence)},
                    {"advice", text_or_null(row.advice)},
                    {"stack", row.stack}});
  return rows;
}

Json timeline_json(const std::vector<ReportRun>& runs) {
  if (runs.empty() || runs.front().timeline.base64.empty()) return nullptr;
  const TimelineBlob& blob = runs.front().timeline;
  return {{"slices", blob.slices}, {"left_out", blob.left_out}, {"why", text_or_null(shown(blob.why))}};
}

// Of the other schemas, whole: texts in them are the program's own.
Json parsed(const std::string& text) { return Json::parse(text, nullptr, false); }

}  // namespace

std::string render_report_json(const ReportInput& input) {
  const ReportVerdict verdict = verdict_of(input);
  const SiteRows sites = sites_of(input);
  Json json = {{"schema", "zerostall/report/1"}};
  json["verdict"] = {{"kind", verdict.kind},
                     {"sentence", verdict.sentence},
                     {"incomplete", verdict.incomplete},
                     {"reasons", verdict.reasons},
                     {"beside", verdict.beside}};
  json["figures"] = figures_json(input);
  json["before"] = runs_json(input.before);
  json["after"] = runs_json(input.after);
  json["sites"] = sites_json(sites);
  json["sites_left_out"] = sites.left_out;
  json["timeline"] = {{"before", timeline_json(input.before)}, {"after", timeline_json(input.after)}};
  json["check"] = input.check == nullptr ? Json(nullptr) : parsed(render_check_json(*input.check));
  json["verify"] = input.verify == nullptr ? Json(nullptr) : parsed(render_verify_json(*input.verify));
  json["markdown"] = render_report_markdown(input);
  return to_text(json);
}

}  // namespace zerostall
