#include "profiler/trace/native_meta.h"

#include <algorithm>
#include <optional>

namespace zerostall {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostCost = std::int64_t{1} << 53;  // 100 days: sums of a few do not overflow

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::optional<std::int64_t> number_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

void resolve_process(const Json& object, TraceMeta& meta) {
  meta.program = text_at(object, "program");
  meta.host_clock = text_at(object, "host_clock");
  meta.pid = number_at(object, "pid");
  meta.rank = number_at(object, "rank");
  meta.local_rank = number_at(object, "local_rank");
  meta.world_size = number_at(object, "world_size");
  meta.gpu_records = object.value("gpu_records", Json()) == true;
  meta.counts_only = object.value("gpu_records", Json()) == false;
  meta.host_number = number_at(object, "host_number");
  meta.host = text_at(object, "host");
  meta.script = text_at(object, "script");
  meta.arguments = number_at(object, "arguments");
}

void resolve_cupti(const Json& object, TraceMeta& meta) {
  const auto tells = object.find("tells_queue_full");
  meta.tells_queue_full = tells != object.end() && tells->is_boolean() && tells->get<bool>();
  const auto unknown = object.find("unknown_apis");
  if (unknown == object.end() || !unknown->is_array()) return;
  for (const Json& name : *unknown)
    if (name.is_string()) meta.unknown_apis.push_back(name.get<std::string>());
}

void resolve_own_cost(const Json& object, TraceMeta& meta) {
  const auto costs = object.find("own_cost");
  if (costs == object.end() || !costs->is_object()) return;
  for (const auto& [kind, cost] : costs->items()) {
    if (!cost.is_object()) continue;
    const auto samples = number_at(cost, "samples"), ns = number_at(cost, "ns");
    if (samples && ns && *samples > 0 && *samples <= kMostCost && *ns >= 0 && *ns <= kMostCost)
      meta.own_cost[kind] = {*samples, *ns};
  }
}

// Copies of deeply nested values would use up the stack.
constexpr int kDeepest = 16;

std::int64_t samples_in(const Json& costs) {
  std::int64_t samples = 0;
  if (costs.is_object())
    for (const auto& [kind, cost] : costs.items())
      if (cost.is_object()) samples += std::clamp<std::int64_t>(number_at(cost, "samples").value_or(0), 0, kMostCost);
  return samples;
}

}  // namespace

bool add_meta(std::string_view json, Json& all) {
  bool deep = false;
  const Json object = Json::parse(
      json,
      [&](int depth, Json::parse_event_t, Json&) {
        deep = deep || depth > kDeepest;
        return depth <= kDeepest;
      },
      false);
  if (deep || !object.is_object()) return false;
  for (const auto& [key, value] : object.items())
    if (key != "own_cost" || samples_in(value) >= samples_in(all[key])) all[key] = value;
  return true;
}

TraceMeta meta_of(Json object) {
  TraceMeta meta;
  resolve_process(object, meta);
  resolve_cupti(object, meta);
  resolve_own_cost(object, meta);
  meta.format = "zstall";
  meta.tool = text_at(object, "tool");
  if (const auto version = text_at(object, "version"); !version.empty()) meta.tool += " " + version;
  meta.clock = text_at(object, "clock") == "modelled" ? Clock::modelled : Clock::measured;
  if (const auto model = text_at(object, "simulated_model"); !model.empty() && !object.contains("device"))
    object["device"] = {{"name", "simulated " + upper(model)}, {"simulated_model", model}};
  const auto device = object.find("device");
  if (device == object.end() || !device->is_object()) return meta;
  meta.device = device->dump(-1, ' ', false, Json::error_handler_t::replace);
  meta.device_name = text_at(*device, "name");
  return meta;
}

}  // namespace zerostall
