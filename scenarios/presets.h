// Ready settings as OneTrainer ships them: the files of presets/, embedded in the program. No torch.
// Source: reference-step.md section G.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/settings.h"

namespace zerostall::scenarios {

struct Preset {
  std::string name;      // "flux2-lora-8gb", the file's name
  std::string title;     // its first line
  std::string scenario;  // "flux2"; the scenario's default size and batch
  Settings settings;
};

// The text of one preset file: a title in a comment, `scenario = NAME`, then settings as on the command line, a line
// each. Throws std::invalid_argument with the line that is wrong.
Preset parse_preset(std::string_view name, std::string_view text);

// All of them, by name.
const std::vector<Preset>& presets();
std::optional<Preset> find_preset(std::string_view name);

}  // namespace zerostall::scenarios
