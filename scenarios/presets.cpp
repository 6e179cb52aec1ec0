#include "scenarios/presets.h"

#include <algorithm>
#include <stdexcept>

#include "scenarios/preset_texts.h"

namespace zerostall::scenarios {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

Preset parse_preset(std::string_view name, std::string_view text) {
  Preset preset{.name = std::string(name), .title = {}, .scenario = {}, .settings = {}};
  const auto wrong = [&](std::string_view line, const std::string& why) {
    throw std::invalid_argument("preset " + preset.name + ": '" + std::string(line) + "': " + why);
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('#') && preset.title.empty()) preset.title = trimmed(line.substr(1));
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t at = line.find('=');
    if (at == std::string_view::npos) wrong(line, "expected KEY = VALUE");
    const std::string key(trimmed(line.substr(0, at))), value(trimmed(line.substr(at + 1)));
    if (key == "scenario") {
      preset.scenario = value;
    } else if (const std::string problem = apply_setting(key + "=" + value, preset.settings); !problem.empty()) {
      wrong(line, problem);
    }
  }
  if (preset.scenario.empty()) wrong("", "no scenario is named");
  return preset;
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> list;
    for (const PresetText& text : preset_texts()) list.push_back(parse_preset(text.name, text.text));
    return list;
  }();
  return all;
}

std::optional<Preset> find_preset(std::string_view name) {
  for (const Preset& preset : presets())
    if (preset.name == name) return preset;
  return std::nullopt;
}

}  // namespace zerostall::scenarios
