#include "profiler/record/sim_log.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>

namespace zerostall {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t number_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

std::map<std::string, std::int64_t> counts_at(const Json& object, const char* key) {
  std::map<std::string, std::int64_t> counts;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_object()) return counts;
  for (const auto& [name, count] : found->items())
    if (count.is_number_integer()) counts[name] = count.get<std::int64_t>();
  return counts;
}

// "FILE:LINE" of a Python caller; else the place as it is shown, without the function's name.
std::string match_of(const Json& json, const std::string& at) {
  const std::string file = text_at(json, "file");
  if (!file.empty()) return fs::path(file).filename().string() + ":" + std::to_string(number_at(json, "line"));
  return at.substr(0, at.find(" in "));
}

void add_site(const Json& json, SimLog& log) {
  if (!json.is_object()) return;
  UnrealSite site;
  site.at = text_at(json, "at");
  if (site.at.empty()) site.at = text_at(json, "where");
  site.match = match_of(json, site.at);
  site.range = text_at(json, "range");
  site.bytes = static_cast<Bytes>(number_at(json, "bytes"));
  site.count = number_at(json, "count");
  for (UnrealSite& known : log.unreal_sites)
    if (std::tie(known.at, known.range, known.bytes) == std::tie(site.at, site.range, site.bytes)) {
      known.count += site.count;
      return;
    }
  log.unreal_sites.push_back(site);
}

void add_log(const Json& json, SimLog& log) {
  if (!json.is_object()) return;
  log.found = true;
  for (const auto& [name, count] : counts_at(json, "calls")) log.calls[name] += count;
  for (const auto& [name, count] : counts_at(json, "unsupported")) log.unsupported[name] += count;
  if (const std::string last = text_at(json, "last_unsupported"); !last.empty()) log.last_unsupported = last;
  log.unreal_readbacks += number_at(json, "unreal_readbacks");
  log.supplied_readbacks += number_at(json, "supplied_readbacks");
  if (const auto sites = json.find("unreal_sites"); sites != json.end() && sites->is_array())
    for (const Json& site : *sites) add_site(site, log);
  if (const auto device = json.find("missing_device"); device != json.end() && device->is_number_integer())
    log.missing_device = std::max(log.missing_device.value_or(0), device->get<std::int64_t>());
}

}  // namespace

SimLog read_sim_logs(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    files.push_back(it->path());
  std::sort(files.begin(), files.end());
  SimLog log;
  for (const fs::path& file : files) {
    std::ifstream in(file);
    add_log(Json::parse(in, nullptr, false), log);
  }
  std::stable_sort(log.unreal_sites.begin(), log.unreal_sites.end(),
                   [](const UnrealSite& a, const UnrealSite& b) { return a.count > b.count; });
  return log;
}

}  // namespace zerostall
