#include "reports/ranks_json.h"

namespace zerostall {
namespace {

Json number(const std::optional<std::int64_t>& value) { return value ? Json(*value) : Json(nullptr); }

Json over_ranks(const std::optional<Spread>& spread) {
  if (!spread) return nullptr;
  return {{"min", spread->min}, {"median", spread->median}, {"max", spread->max}};
}

Json own_times(const OwnTimes& times, const std::vector<NamedRun>& processes) {
  Json json = {{"compared", times.why_not.empty()},
               {"why_not", times.why_not.empty() ? Json(nullptr) : Json(times.why_not)},
               {"own_ns", over_ranks(times.own_ns)},
               {"stragglers", Json::array()}};
  for (const Straggler& straggler : times.stragglers)
    json["stragglers"].push_back({{"process", processes[straggler.process].name},
                                  {"own_ns", straggler.own_ns},
                                  {"others_ns", straggler.others_ns}});
  return json;
}

Json rows(const Ranks& ranks, const std::vector<NamedRun>& processes) {
  Json list = Json::array();
  for (std::size_t i = 0; i < ranks.rows.size(); ++i) {
    const RankRow& row = ranks.rows[i];
    const auto median = [](const std::optional<TimeSpread>& own) { return own ? Json(own->median) : Json(nullptr); };
    list.push_back({{"process", processes[i].name},
                    {"compared", row.compared},
                    {"waits", number(row.waits)},
                    {"blocked_ns", number(row.blocked_ns)},
                    {"step_ns", number(row.step_ns)},
                    {"own_gpu_ns", median(row.gpu_own)},
                    {"own_host_ns", median(row.host_own)}});
  }
  return list;
}

Json sites_of_some(const Ranks& ranks, const std::vector<NamedRun>& processes) {
  Json list = Json::array();
  for (const SiteOfSome& site : ranks.sites) {
    Json names = Json::array();
    for (const std::size_t process : site.processes) names.push_back(processes[process].name);
    list.push_back({{"site", site.place},
                    {"id", site.id},
                    {"cause", info_of(site.cause).slug},
                    {"what", site.what},
                    {"processes", names},
                    {"waits_per_step", over_ranks(site.per_step)}});
  }
  return list;
}

}  // namespace

Json ranks_json(const Ranks& ranks, const std::vector<NamedRun>& processes) {
  return {{"compared", ranks.compared},
          {"modelled", ranks.modelled},
          {"waits", over_ranks(ranks.waits)},
          {"blocked_ns", over_ranks(ranks.blocked_ns)},
          {"step_ns", over_ranks(ranks.step_ns)},
          {"by_process", rows(ranks, processes)},
          {"gpu", own_times(ranks.gpu, processes)},
          {"host", own_times(ranks.host, processes)},
          {"sites_of_some", sites_of_some(ranks, processes)},
          {"notes", ranks.notes}};
}

}  // namespace zerostall
