#include "scenarios/options.h"

#include <gtest/gtest.h>

namespace zerostall::scenarios {
namespace {

CommandLine parse(std::vector<std::string> words) {
  words.insert(words.begin(), "zerostall-scenario");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return parse_command_line(static_cast<int>(argv.size()), argv.data());
}

std::string error_of(const std::vector<std::string>& words) {
  try {
    parse(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ScenarioOptions, FillsDefaultsFromTheCatalog) {
  const CommandLine line = parse({"flux2"});
  EXPECT_EQ(line.size, "klein-9b");
  EXPECT_EQ(line.batch, 2);
  EXPECT_EQ(line.steps, 12);
  EXPECT_TRUE(line.fixes.empty());
  EXPECT_EQ(line.sabotaged_from("bn-pinning"), -1);
}

TEST(ScenarioOptions, ReadsFixesAndSabotage) {
  const CommandLine line = parse({"flux2", "--fix", "bn-pinning", "--fix", "async-loss=upstream", "--sabotage",
                                  "bn-pinning@7", "--sabotage", "async-loss"});
  EXPECT_TRUE(line.has_fix("bn-pinning") && line.has_fix("async-loss=upstream"));
  EXPECT_FALSE(line.has_fix("async-loss"));
  EXPECT_EQ(line.sabotaged_from("bn-pinning"), 7);
  EXPECT_EQ(line.sabotaged_from("async-loss"), 0);
}

TEST(ScenarioOptions, BadUseIsOneLineThatNamesTheCulprit) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "scenario"},
      {{"flux9"}, "unknown scenario 'flux9'"},
      {{"flux2", "--size", "huge"}, "unknown size 'huge'"},
      {{"flux2", "--fix", "magic"}, "unknown fix 'magic'"},
      {{"flux2", "--fix", "async-loss", "--fix", "async-loss=upstream"}, "given twice"},
      {{"flux2", "--sabotage", "bn-pinning"}, "add --fix bn-pinning"},
      {{"flux2", "--fix", "bn-pinning", "--sabotage", "bn-pinning@x"}, "FIX@STEP"},
      {{"flux2", "--fix", "bn-pinning", "--sabotage", "bn-pinning@-1"}, "FIX@STEP"},
      {{"flux2", "--fix", "bn-pinning", "--sabotage", "bn-pinning@"}, "FIX@STEP"},
      {{"flux2", "--steps", "0"}, "--steps"},
      {{"flux2", "--batch", "-2"}, "--batch"},
      {{"flux2", "--device", "tpu"}, "--device"},
      {{"flux2", "--device", "cpu"}, "--size tiny"},
      {{"flux2", "--size"}, "--size"},
      {{"flux2", "--dump-weights", "/nonexistent/w"}, "'/nonexistent'"},
      {{"flux2", "--unknown"}, "unknown"},
  };
  for (const auto& [words, expected] : cases) {
    const std::string error = error_of(words);
    EXPECT_NE(error.find(expected), std::string::npos) << "got: " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(ScenarioOptions, HelpIsNoError) { EXPECT_THROW(parse({"--help"}), HelpRequested); }

}  // namespace
}  // namespace zerostall::scenarios
