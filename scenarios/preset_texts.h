// The files of presets/ as texts. Generated at build time from preset_texts.cpp.in.
#pragma once
#include <span>
#include <string_view>

namespace zerostall::scenarios {

struct PresetText {
  std::string_view name, text;
};
std::span<const PresetText> preset_texts();

}  // namespace zerostall::scenarios
