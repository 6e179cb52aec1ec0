// `init` with the real tracer and the real simulated GPU: what it writes, and what it does when there is nothing to
// write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "profiler/base/files.h"
#include "profiler/gate/policy_file.h"
#include "tests/cli/program.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Init : public ::testing::Test {
 protected:
  ChildResult shell(const std::string& text) {
    return run_program("/bin/sh", {"-c", "cd \"$here\"; " + text},
                       {{"here", folder.path().string()}, {"zerostall", ZEROSTALL_PROGRAM}, {"subject", SUBJECT}});
  }
  ChildResult init(const std::string& arguments) { return shell("exec \"$zerostall\" init " + arguments); }
  std::string file(const std::string& name = "zerostall.toml") {
    std::ostringstream text;
    text << std::ifstream(folder.path() / name).rdbuf();
    return text.str();
  }
  Policy policy(const std::string& name = "zerostall.toml") {
    const auto read = parse_policy(file(name), name);
    EXPECT_TRUE(read) << read.error().message;
    return read ? *read : Policy{};
  }
  std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      names.push_back(entry.path().filename());
    return names;
  }
  TempFolder folder = std::move(*TempFolder::make());
};

TEST_F(Init, WritesWhatARunShows) {
  const ChildResult result = init("--device sim:a100 --seed 3 --warmup 1 -- \"$subject\" steps");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "zerostall.toml: 4 budgets from 4 judged steps\nread it, then: zerostall check\n");
  const Policy read = policy();
  EXPECT_THAT(read.run.command, ::testing::ElementsAre(SUBJECT, "steps"));
  EXPECT_EQ(read.run.device, "sim:a100");
  EXPECT_EQ(read.run.seed, 3);
  EXPECT_EQ(read.run.warmup, 1);
  ASSERT_EQ(read.budgets.size(), 4u);
  EXPECT_EQ(describe(read.budgets[0]), "waits: at most 2 in each step");
  EXPECT_EQ(describe(read.budgets[3]), "h2d_stalls (region train): at most 2 in each step");
  EXPECT_THAT(files(), ::testing::ElementsAre("zerostall.toml"));  // no trace is left
}

TEST_F(Init, WhatTheProgramPrintsStaysApart) {
  const ChildResult result = init("-o - --device sim -- sh -c 'echo from the program; exec \"$subject\" steps'");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("from the program\n"));
  EXPECT_TRUE(parse_policy(result.out, "out")) << result.out;
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Init, NeverOverwritesUnlessForced) {
  ASSERT_TRUE(write_file(folder.path() / "zerostall.toml", "mine"));
  const ChildResult kept = init("--device sim -- sh -c 'touch it-ran'");
  EXPECT_EQ(kept.exit_code, 2);
  EXPECT_THAT(kept.err, HasSubstr("zerostall.toml is there already: --force overwrites it"));
  EXPECT_EQ(file(), "mine");
  EXPECT_EQ(files().size(), 1u);  // not even run
  EXPECT_EQ(init("--force --device sim -- \"$subject\" steps").exit_code, 0);
  EXPECT_EQ(policy().budgets.size(), 4u);
}

TEST_F(Init, TakesATraceToo) {
  ASSERT_EQ(shell("exec \"$zerostall\" record --device sim -- \"$subject\" steps").exit_code, 0);
  const ChildResult result = init("run.zstall -o ci.toml");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("read it, then: zerostall check run.zstall --policy ci.toml\n"));
  EXPECT_TRUE(policy("ci.toml").run.command.empty());
  EXPECT_EQ(policy("ci.toml").budgets.size(), 4u);
}

TEST_F(Init, NamesFilesFromThePolicysFolder) {
  ASSERT_TRUE(write_file(folder.path() / "values.json", R"({"reads": []})"));
  ASSERT_EQ(
      shell(
          "mkdir ci; exec \"$zerostall\" init -o ci/z.toml --sim-values values.json --device sim -- \"$subject\" steps")
          .exit_code,
      0);
  EXPECT_EQ(policy("ci/z.toml").run.sim_values, "../values.json");
}

TEST_F(Init, AFailedProgramWritesNothing) {
  const ChildResult result = init("--device sim -- sh -c '\"$subject\" steps; exit 7'");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("zerostall: the command failed: sh exited with code 7\n"));
  const ChildResult killed = init("--device sim -- sh -c 'kill -9 $$'");
  EXPECT_EQ(killed.exit_code, 4);
  EXPECT_THAT(killed.err, HasSubstr("the command failed: sh was killed by signal 9 (code 137)\n"));
  EXPECT_EQ(init("--device sim -- no-such-program").exit_code, 4);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Init, StopsWhenItIsTold) {
  const ChildResult result = shell(
      "\"$zerostall\" init --device sim -- sh -c 'touch began; exec sleep 20' & pid=$!; "
      "while ! test -e began; do sleep 0.01; done; kill -TERM $pid; wait $pid");
  EXPECT_EQ(result.exit_code, 143);
  EXPECT_THAT(result.err, HasSubstr("zerostall: interrupted\n"));
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(Init, WithoutCudaOrStepsThereIsNothingToLimit) {
  const ChildResult none = init("--device sim -- true");
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr("the command made no CUDA call"));
  EXPECT_THAT(files(), IsEmpty());
  const ChildResult unmarked = init("--device sim -- \"$subject\" forked");
  EXPECT_EQ(unmarked.exit_code, 3);
  EXPECT_THAT(unmarked.err, HasSubstr("nothing is limited yet: mark the steps"));
  EXPECT_TRUE(policy().budgets.empty());
}

TEST_F(Init, RefusesWhatMakesNoSense) {
  const auto refused = [&](const std::string& arguments) {
    const ChildResult result = init(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  };
  EXPECT_THAT(refused(""), HasSubstr("no command given: zerostall init -- python train.py"));
  EXPECT_THAT(refused("--"), HasSubstr("no command behind `--`"));
  EXPECT_THAT(refused("python train.py"), HasSubstr("behind `--`: zerostall init -- python train.py"));
  EXPECT_THAT(refused("a.zstall -- true"), HasSubstr("from one of them"));
  EXPECT_THAT(refused("a.zstall --device sim"), HasSubstr("for running a command"));
  EXPECT_THAT(refused("a.zstall"), HasSubstr("a.zstall"));
  EXPECT_THAT(refused("-o no/such/ -- true"), HasSubstr("names a folder"));
  EXPECT_THAT(refused("-o /proc/z.toml -- true"), HasSubstr("-o: "));
  EXPECT_THAT(refused("--step-pattern '(' -- true"), HasSubstr("regular expression"));
  EXPECT_THAT(refused("--device gpus -- true"), HasSubstr("gpus"));
  EXPECT_THAT(refused("--device sim --sim-values no.json -- true"), HasSubstr("no.json"));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Init, HelpTellsEveryKey) {
  const std::string help = init("--help").out;
  EXPECT_THAT(help, HasSubstr("zerostall init [OPTIONS] [TRACE...] [-- COMMAND [ARGUMENTS...]]\n"));
  const auto in_one_line = [](const std::string& text) {
    std::istringstream in(text);
    std::string line;
    for (std::string word; in >> word;) line += word + " ";
    return line;
  };
  for (const PolicyKey& key : policy_keys()) {
    EXPECT_THAT(help, HasSubstr(std::string(key.key)));
    EXPECT_THAT(in_one_line(help), HasSubstr(std::string(key.meaning)));
  }
}

}  // namespace
}  // namespace zerostall
