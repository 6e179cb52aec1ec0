#include "profiler/trace/import/kineto_meta.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace zerostall::kineto {
namespace {

using nlohmann::json;

std::optional<std::int64_t> whole(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

void read_device(const json& outside, std::uint32_t device, TraceMeta& meta) {
  const auto devices = outside.find("deviceProperties");
  if (devices == outside.end() || !devices->is_array() || devices->empty()) return;
  const json* shown = &devices->front();
  for (const json& d : *devices)
    if (d.is_object() && whole(d, "id") == device) shown = &d;
  if (!shown->is_object()) return;
  meta.device = shown->dump(-1, ' ', false, json::error_handler_t::replace);
  if (const auto name = shown->find("name"); name != shown->end() && name->is_string()) meta.device_name = *name;
}

}  // namespace

void read_meta(std::string_view outside, std::uint32_t device, TraceMeta& meta) {
  meta.format = "kineto";
  meta.tool = "Chrome trace";
  const json object = json::parse(outside, nullptr, false);
  if (!object.is_object()) return;
  if (object.contains("schemaVersion") || object.contains("deviceProperties")) meta.tool = "PyTorch profiler";
  if (const auto clock = object.find("clock"); clock != object.end() && *clock == "modelled")
    meta.clock = Clock::modelled;  // our own exports say so
  if (const auto version = whole(object, "cupti_version")) meta.tool += fmt::format(", CUPTI {}", *version);
  read_device(object, device, meta);
  const auto job = object.find("distributedInfo");
  if (job == object.end() || !job->is_object()) return;
  meta.rank = whole(*job, "rank");
  meta.world_size = whole(*job, "world_size");
}

}  // namespace zerostall::kineto
