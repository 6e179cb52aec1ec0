#include "reports/history_json.h"

#include "reports/json_parts.h"

namespace zerostall {
namespace {

Json commit_json(const HistoryCommit& commit, const std::string& metric) {
  Json json = {
      {"commit", commit.commit}, {"parents", commit.parents}, {"committed_at", nullptr}, {"steps", commit.steps}};
  if (commit.committed_at) json["committed_at"] = *commit.committed_at;
  const auto value = commit.values.find(metric);
  const bool known = value != commit.values.end();
  json["per_step"] = known ? Json{{"min", value->second.min}, {"max", value->second.max}} : Json(nullptr);
  json["sum"] = known ? Json(value->second.sum) : Json(nullptr);
  return json;
}

Json rise_json(const HistorySeries& series, const Rise& rise) {
  return {{"after", series.commits[rise.before].commit},
          {"commit", series.commits[rise.at].commit},
          {"from", rise.from},
          {"to", rise.to},
          {"now", rise.now},
          {"more_often", rise.more_often},
          {"from_sum", rise.from_sum},
          {"from_steps", rise.from_steps},
          {"to_sum", rise.to_sum},
          {"to_steps", rise.to_steps},
          {"certain", rise.certain},
          {"seen_once", rise.seen_once}};
}

}  // namespace

std::string render_history_json(std::span<const HistorySeries> series, const HistoryView& view) {
  Json all = {{"schema", "zerostall/history/1"}, {"metric", view.metric}, {"series", Json::array()}};
  for (const HistorySeries& one : series) {
    const HistoryConfiguration& c = one.configuration;
    Json json = {{"device", c.device}, {"program", c.program}, {"ranks", c.ranks}};
    json["branch"] = c.branch.empty() ? Json(nullptr) : Json(c.branch);
    json["commits"] = Json::array();
    const std::size_t first = one.commits.size() - std::min(view.last, one.commits.size());
    for (std::size_t i = first; i < one.commits.size(); ++i)
      json["commits"].push_back(commit_json(one.commits[i], view.metric));
    json["rises"] = Json::array();
    for (const Rise& rise : rises_of(one, view.metric)) json["rises"].push_back(rise_json(one, rise));
    all["series"].push_back(std::move(json));
  }
  return to_text(all);
}

}  // namespace zerostall
