#include "reports/json_parts.h"

namespace zerostall {

Json to_json(const std::optional<Spread>& spread) {
  if (!spread) return nullptr;
  return {{"min", spread->min}, {"median", spread->median}, {"p95", spread->p95}, {"max", spread->max}};
}

Json to_json(const Counters& counters) {
  Json json = Json::object();
  for (const CounterInfo& info : all_counters()) {
    const Count& value = counters[info.counter];
    json[std::string(info.key)] = value ? Json(*value) : Json(nullptr);
  }
  return json;
}

Json to_json(const CounterSpreads& spreads) {
  Json json = Json::object();
  for (const CounterInfo& info : all_counters()) json[std::string(info.key)] = to_json(spreads[info.counter]);
  return json;
}

Json to_json(const std::vector<CopyRow>& copies) {
  Json json = Json::array();
  for (const CopyRow& copy : copies)
    json.push_back({{"direction", copy.direction},
                    {"host_memory", copy.host_memory},
                    {"api", copy.api},
                    {"bytes", copy.bytes},
                    {"count", copy.count},
                    {"per_step", to_json(copy.per_step)}});
  return json;
}

std::string to_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace zerostall
