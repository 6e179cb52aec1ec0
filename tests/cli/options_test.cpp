#include "profiler/cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

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
  EXPECT_EQ(std::get<StatOptions>(*stat).files, (std::vector<std::string>{"file"}));
  EXPECT_EQ(std::get<StatOptions>(*stat).warmup, 0);
  const auto exported = parse({"export", "f", "--format", "csv", "--table", "copies", "-o", "x.csv", "--rank", "2"});
  EXPECT_EQ(std::get<ExportArguments>(*exported).format, ExportFormat::csv);
  EXPECT_EQ(std::get<ExportArguments>(*exported).table, CsvTable::copies);
  EXPECT_EQ(std::get<ExportArguments>(*exported).output, "x.csv");
  EXPECT_EQ(std::get<ExportArguments>(*exported).rank, 2);
}

TEST(ParseOptions, RecordsInOneWindow) {
  const auto window = [](std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "record");
    arguments.insert(arguments.end(), {"--", "train"});
    return parse(arguments);
  };
  const auto record = [&](std::vector<const char*> arguments) {
    return std::get<RecordArguments>(*window(std::move(arguments)));
  };
  EXPECT_EQ(record({"--steps", "10:50"}).window, "steps:10:50");
  EXPECT_EQ(record({"--seconds", "0:5"}).window, "seconds:0:5");
  EXPECT_EQ(record({"--profiler-api"}).window, "profiler");
  EXPECT_EQ(record({"--toggle-signal", "USR2"}).window, "signal:12");
  EXPECT_EQ(record({}).window, "");
  for (const char* bad : {"10", "50:10", "5:5", "-1:3", "a:b", "1:2:3", ""})
    EXPECT_THAT(window({"--steps", bad}).error().message, HasSubstr("FIRST:END")) << bad;
  EXPECT_THAT(window({"--toggle-signal", "KILL"}).error().message, HasSubstr("neither USR1 nor USR2"));
  EXPECT_THAT(window({"--steps", "1:2", "--seconds", "1:2"}).error().message, HasSubstr("exclude each other"));
  EXPECT_THAT(window({"--steps", "1:2", "--profiler-api"}).error().message, HasSubstr("exclude each other"));
}

TEST(ParseOptions, ReadsSizes) {
  const auto size = [](const char* text) { return parse({"record", "--max-size", text, "--", "train"}); };
  const auto bytes = [&](const char* text) { return std::get<RecordArguments>(*size(text)).max_bytes; };
  EXPECT_EQ(bytes("5000000"), 5000000);
  EXPECT_EQ(bytes("2048k"), 2 << 20);
  EXPECT_EQ(bytes("500M"), 500LL << 20);
  EXPECT_EQ(bytes("2G"), 2LL << 30);
  for (const char* bad : {"0", "G", "2GB", "1.5G", "-1", "2g", "9999999999"})
    EXPECT_THAT(size(bad).error().message, HasSubstr("is no size")) << bad;
  EXPECT_THAT(size("64k").error().message, HasSubstr("less than 1M"));
}

TEST(ParseOptions, RecordTakesEverythingBehindTheDashesAsTheCommand) {
  const auto parsed = parse({"record", "--device", "sim:a100", "--gpus", "2", "-o", "x.zstall", "--quiet", "--seed",
                             "0", "--", "python", "train.py", "--", "--device", "cuda"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  const auto& record = std::get<RecordArguments>(*parsed);
  EXPECT_THAT(record.command, ElementsAre("python", "train.py", "--", "--device", "cuda"));
  EXPECT_EQ(record.device, "sim:a100");
  EXPECT_EQ(record.gpus, 2);
  EXPECT_TRUE(record.gpus_given);
  EXPECT_EQ(record.output, "x.zstall");
  EXPECT_EQ(record.seed, 0);
  EXPECT_TRUE(record.quiet);
  EXPECT_FALSE(record.no_tracer);
  EXPECT_FALSE(record.whole_graphs);
  EXPECT_TRUE(std::get<RecordArguments>(*parse({"record", "--whole-graphs", "--", "a"})).whole_graphs);
  EXPECT_EQ(std::get<RecordArguments>(*parse({"record", "--", "a"})).seed, std::nullopt);
}

TEST(ParseOptions, StatTakesARankAndNeedsNoFile) {
  EXPECT_TRUE(std::get<StatOptions>(*parse({"stat"})).files.empty());
  EXPECT_EQ(std::get<StatOptions>(*parse({"stat", "--rank", "3"})).rank, 3);
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
  EXPECT_THAT(std::get<ShowOptions>(*parse({"record", "--help"})).text,
              HasSubstr("zerostall record [OPTIONS] -- COMMAND [ARGUMENTS...]"));
  const std::string all = std::get<ShowOptions>(*parse({"--help"})).text;
  for (const char* group : {"\nYour program:", "\nOur reference jobs:", "\nSetup:"}) EXPECT_THAT(all, HasSubstr(group));
  EXPECT_FALSE(std::get<ShowOptions>(*parse({})).asked_for);
  EXPECT_EQ(std::get<ShowOptions>(*parse({"--version"})).text, "zerostall " ZEROSTALL_VERSION "\n");
}

TEST(ParseOptions, UnderstandsPlainWordsForHelpAndVersion) {
  const auto text = [](std::vector<const char*> arguments) { return std::get<ShowOptions>(*parse(arguments)).text; };
  EXPECT_EQ(text({"help"}), text({"--help"}));
  EXPECT_EQ(text({"help", "help"}), text({"--help"}));
  EXPECT_EQ(text({"help", "verify"}), text({"verify", "--help"}));
  EXPECT_EQ(text({"version"}), text({"--version"}));
  EXPECT_THAT(parse({"help", "verfy"}).error().message, HasSubstr("did you mean 'verify'?"));
}

TEST(ParseOptions, HelpOfVerifyExplainsItsWords) {
  std::istringstream text(std::get<ShowOptions>(*parse({"verify", "--help"})).text);
  std::string help;  // in one line: where lines end is no matter here
  for (std::string word; text >> word;) help += word + " ";
  EXPECT_THAT(help, HasSubstr("GPU ran dry: waits after which the GPU had nothing left to do"));
  EXPECT_THAT(help, HasSubstr("modelled kernel times"));
  EXPECT_THAT(help, HasSubstr("from that step on"));
}

TEST(ParseOptions, ReadsNumbersAsDecimal) {
  const auto parsed = parse({"verify", "flux2", "--steps", "010", "--warmup", "00"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(std::get<VerifyOptions>(*parsed).steps, 10);
  EXPECT_EQ(std::get<VerifyOptions>(*parsed).warmup, 0);
  for (const char* text : {"abc", "0x10", "1e3", "5.0", "1_0", "1'0", "+5", "7x", "--", ""})
    EXPECT_FALSE(parse({"verify", "flux2", "--steps", text})) << text;
  EXPECT_THAT(parse({"verify", "flux2", "--steps", "abc"}).error().message,
              HasSubstr("--steps: 'abc' is not a whole number"));
  EXPECT_THAT(parse({"stat", "f", "--warmup", "two"}).error().message, HasSubstr("'two' is not a whole number"));
}

TEST(ParseOptions, RefusesEmptyValues) {
  for (const char* option : {"--keep", "--size", "--fix", "--sabotage", "--device"}) {
    EXPECT_FALSE(parse({"verify", "flux2", option, ""})) << option;
    EXPECT_FALSE(parse({"verify", "flux2", (std::string(option) + "=").c_str()})) << option;
  }
  EXPECT_FALSE(parse({"stat", "f", "--step-pattern", ""}));
  EXPECT_THAT(parse({"verify", "flux2", "--keep", ""}).error().message, HasSubstr("--keep: the value is empty"));
}

TEST(ParseOptions, RefusesNumbersOutOfRange) {
  for (const char* option : {"--batch", "--accum"}) {
    EXPECT_TRUE(parse({"verify", "flux2", option, "1024"})) << option;
    EXPECT_THAT(parse({"verify", "flux2", option, "1025"}).error().message, HasSubstr("not in the range 1 to 1024"));
  }
  for (const char* option : {"--steps", "--batch", "--accum"})
    EXPECT_FALSE(parse({"verify", "flux2", option, "0"})) << option;
  EXPECT_FALSE(parse({"verify", "flux2", "--warmup", "-1"}));
  EXPECT_FALSE(parse({"verify", "flux2", "--steps", "99999999999999999999"}));
}

}  // namespace
}  // namespace zerostall::cli
