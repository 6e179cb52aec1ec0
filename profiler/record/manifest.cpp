#include "profiler/record/manifest.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace zerostall {

std::vector<SimulatedLibrary> read_manifest(const std::filesystem::path& file) {
  std::ifstream in(file);
  const auto json = nlohmann::json::parse(in, nullptr, false);
  std::vector<SimulatedLibrary> libraries;
  if (!json.is_object() || !json.contains("libraries") || !json["libraries"].is_array()) return libraries;
  for (const auto& entry : json["libraries"]) {
    if (!entry.is_object()) continue;
    const auto number = [&](const char* key) -> std::int64_t {
      const auto found = entry.find(key);
      return found != entry.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
    };
    const auto name = entry.find("name");
    if (name == entry.end() || !name->is_string()) continue;
    libraries.push_back({name->get<std::string>(), number("modelled"), number("accepted"), number("unsupported")});
  }
  return libraries;
}

}  // namespace zerostall
