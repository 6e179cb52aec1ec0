#include "profiler/cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zerostall::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Options> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "zerostall");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

TEST(ParseOptions, FillsTheStructOfTheCommand) {
  const auto parsed =
      parse({"verify", "flux2", "--fix", "a", "--steps", "7", "--fix=b=c", "--json", "--device", "sim:h200"});
  ASSERT_TRUE(parsed);
  const auto& verify = std::get<VerifyOptions>(*parsed);
  EXPECT_EQ(verify.scenario, "flux2");
  EXPECT_THAT(verify.fixes, ElementsAre("a", "b=c"));
  EXPECT_EQ(verify.steps, 7);
  EXPECT_EQ(verify.warmup, 2);
  EXPECT_EQ(verify.accum, 1);
  EXPECT_TRUE(verify.json);
  EXPECT_EQ(verify.device, "sim:h200");
  const auto stat = parse({"stat", "--warmup", "0", "file"});
  EXPECT_EQ(std::get<StatOptions>(*stat).file, "file");
  EXPECT_EQ(std::get<StatOptions>(*stat).warmup, 0);
}

TEST(ParseOptions, AFixTakesOneNameOnly) {
  const auto parsed = parse({"verify", "--fix", "a", "flux2"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(std::get<VerifyOptions>(*parsed).scenario, "flux2");
}

TEST(ParseOptions, ShowsHelpAndVersion) {
  EXPECT_THAT(std::get<ShowOptions>(*parse({"--help"})).text, HasSubstr("zerostall verify flux2"));
  EXPECT_THAT(std::get<ShowOptions>(*parse({"verify", "--help"})).text, HasSubstr("zerostall verify [OPTIONS]"));
  EXPECT_THAT(std::get<ShowOptions>(*parse({"stat", "-h"})).text, HasSubstr("GPU ran dry"));
  EXPECT_EQ(std::get<ShowOptions>(*parse({"--version"})).text, "zerostall " ZEROSTALL_VERSION "\n");
}

TEST(ParseOptions, RefusesNumbersOutOfRange) {
  for (const char* option : {"--steps", "--batch", "--accum"})
    EXPECT_FALSE(parse({"verify", "flux2", option, "0"})) << option;
  EXPECT_FALSE(parse({"verify", "flux2", "--warmup", "-1"}));
  EXPECT_FALSE(parse({"verify", "flux2", "--steps", "99999999999999999999"}));
}

}  // namespace
}  // namespace zerostall::cli
