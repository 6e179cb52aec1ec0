#include "scenarios/settings.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "scenarios/catalog.h"
#include "scenarios/presets.h"

namespace zerostall::scenarios {
namespace {

TEST(Settings, WordsSetAndShowThem) {
  Settings settings;
  EXPECT_TRUE(words_of(settings).empty());
  for (const char* word : {"ema=cpu", "resume", "offload=0.7", "weights=fp8", "samples=12"})
    EXPECT_EQ(apply_setting(word, settings), "") << word;
  EXPECT_EQ(words_of(settings),
            (std::vector<std::string>{"weights=fp8", "ema=cpu", "offload=0.7", "resume=on", "samples=12"}));
  Settings again;
  for (const std::string& word : words_of(settings)) EXPECT_EQ(apply_setting(word, again), "");
  EXPECT_EQ(words_of(again), words_of(settings));
}

TEST(Settings, EveryKeyTakesWhatItSaysAndRefusesTheRest) {
  for (const SettingKey& key : setting_keys()) {
    Settings settings;
    const std::string wrong = apply_setting(std::string(key.name) + "=nonsense", settings);
    EXPECT_NE(wrong.find(key.values), std::string::npos) << wrong;
    EXPECT_TRUE(words_of(settings).empty()) << key.name;
  }
  Settings settings;
  for (const char* word : {"ema=", "offload=1.5", "offload=nan", "samples=-1", "pixels=513", "=on", ""})
    EXPECT_NE(apply_setting(word, settings), "") << word;
}

TEST(Presets, EachNamesAScenarioAndSettingsThatGoTogether) {
  EXPECT_GE(presets().size(), 10u);
  for (const Preset& preset : presets()) {
    EXPECT_TRUE(find(preset.scenario)) << preset.name;
    EXPECT_EQ(conflict_in(preset.settings), "") << preset.name;
    EXPECT_FALSE(preset.title.empty()) << preset.name;
  }
  EXPECT_EQ(find_preset("flux2-lora-8gb")->settings.offload, 0.7);
  EXPECT_FALSE(find_preset("flux2-lora"));
}

TEST(Presets, AWrongLineIsNamed) {
  for (const char* text : {"scenario = flux2\nema = disk\n", "scenario = flux2\nnonsense\n", "ema = cpu\n"})
    EXPECT_THROW(parse_preset("p", text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace zerostall::scenarios
