// The gate on programs that really run, on the simulated GPU: no false alarm however busy the machine is, and no wait
// that slips through.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "profiler/base/files.h"
#include "tests/cli/program.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
namespace fs = std::filesystem;

constexpr const char* kPolicy = R"([run]
device = "sim"

[budget]
waits = 0
h2d_stalls = 0

[[allow]]
region = "log"
every = 5
reason = "the loss is shown every 5 steps"
)";

std::string read(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

class CheckSim : public ::testing::Test {
 protected:
  CheckSim() { (void)write_file(path("zerostall.toml"), kPolicy); }
  fs::path path(const std::string& name) const { return folder_.path() / name; }

  ChildResult shell(const std::string& text) const {
    return run_program("/bin/sh", {"-c", "cd '" + folder_.path().string() + "' && " + text});
  }

  // Runs the gate on seeds [0, count), several at a time, more than the machine has cores. Returns each exit code.
  std::vector<int> codes_of(int count, const std::string& seed) const {
    constexpr int kAtOnce = 5;
    const std::string one = std::string("'" ZEROSTALL_PROGRAM "' check -- '" GATE_SUBJECT "' 14 ") + seed;
    shell("for worker in $(seq 0 " + std::to_string(kAtOnce - 1) + "); do (i=$worker; while [ $i -lt " +
          std::to_string(count) + " ]; do " + one + " > out.$i 2>&1; echo $? > code.$i; i=$((i + " +
          std::to_string(kAtOnce) + ")); done) & done; wait");
    std::vector<int> codes;
    for (int i = 0; i < count; ++i) codes.push_back(std::atoi(read(path("code." + std::to_string(i))).c_str()));
    return codes;
  }

  TempFolder folder_ = std::move(*TempFolder::make());
};

TEST_F(CheckSim, NoFalseAlarmIn200RunsOnABusyMachine) {
  const auto codes = codes_of(200, "");
  int passed = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    passed += codes[i] == 0;
    EXPECT_EQ(codes[i], 0) << read(path("out." + std::to_string(i)));
  }
  std::printf("%d of %zu runs pass\n", passed, codes.size());
}

TEST_F(CheckSim, EachOf50AddedWaitsIsCaught) {
  const auto codes = codes_of(50, "$i");
  int caught = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    caught += codes[i] == 1;
    EXPECT_EQ(codes[i], 1) << "seed " << i << ": " << read(path("out." + std::to_string(i)));
  }
  std::printf("%d of %zu added waits are caught\n", caught, codes.size());
}

TEST_F(CheckSim, WritesWhatItFindsInSeveralFormatsAtOnce) {
  const auto result = shell("'" ZEROSTALL_PROGRAM
                            "' check --out json=c.json --out junit=out/j.xml --out md=- -- '" GATE_SUBJECT "' 9 3");
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_TRUE(result.out.starts_with("**zerostall violation")) << result.out;
  const auto json = nlohmann::json::parse(read(path("c.json")));
  EXPECT_EQ(json["verdict"], "violation");
  EXPECT_EQ(json["exit_code"], 1);
  EXPECT_NE(read(path("out/j.xml")).find("<failure"), std::string::npos);
}

TEST_F(CheckSim, ABaselineIsMadeOfARunAndHolds) {
  const std::string check =
      "'" ZEROSTALL_PROGRAM "' check --max failed=0 --device sim --baseline b.json -- '" GATE_SUBJECT "' ";
  const auto made = shell("'" ZEROSTALL_PROGRAM "' record --quiet --device sim -o r.zstall -- '" GATE_SUBJECT
                          "' 14 && '" ZEROSTALL_PROGRAM "' baseline update r.zstall -o b.json");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const auto same = shell(check + "14");
  EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  const auto longer = shell(check + "33");
  EXPECT_EQ(longer.exit_code, 0) << longer.out << longer.err;
  const auto more = shell(check + "14 7");
  EXPECT_EQ(more.exit_code, 1) << more.out << more.err;
}

TEST_F(CheckSim, TwoSidesRunInTurns) {
  const std::string sides =
      "'" ZEROSTALL_PROGRAM "' check --device sim --runs 2 --max failed=0 --before '" GATE_SUBJECT " 9";
  const auto same = shell(sides + "' --out html=r.html --after '" GATE_SUBJECT " 9'");
  EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  const std::string page = read(path("r.html"));
  for (const char* id : {"id=\"zerostall-timeline-before\"", "id=\"zerostall-timeline-after\""})
    EXPECT_NE(page.find(id), std::string::npos) << id;
  EXPECT_LT(same.err.find("run 1, before"), same.err.find("run 1, after"));
  EXPECT_LT(same.err.find("run 2, after"), same.err.find("run 2, before"));
  const auto more = shell(sides + "' --after '" GATE_SUBJECT " 9 4'");
  EXPECT_EQ(more.exit_code, 1) << more.out << more.err;
  const auto fewer = shell(sides + " 4' --after '" GATE_SUBJECT " 9'");
  EXPECT_EQ(fewer.exit_code, 0) << fewer.out << fewer.err;
}

TEST_F(CheckSim, ARevisionOfGitIsTheOtherSide) {
  // The program under test is a script of the repository that grows a wait.
  const auto made = shell(
      "git init -q . && git config user.email a@b && git config user.name n && printf '#!/bin/sh\\nexec \"" GATE_SUBJECT
      "\" 9\\n' > train.sh && chmod +x train.sh && git add train.sh && git commit -qm one && printf "
      "'#!/bin/sh\\nexec \"" GATE_SUBJECT "\" 9 4\\n' > train.sh");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const auto worse = shell("'" ZEROSTALL_PROGRAM "' check --device sim --max failed=0 --before-rev HEAD -- ./train.sh");
  EXPECT_EQ(worse.exit_code, 1) << worse.out << worse.err;
  const auto same =
      shell("git checkout -q train.sh && '" ZEROSTALL_PROGRAM
            "' check --device sim --max failed=0 --before-rev HEAD --build 'echo built > built' -- ./train.sh");
  EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  EXPECT_EQ(shell("git worktree list | wc -l").out, "1\n");
  const auto none =
      shell("'" ZEROSTALL_PROGRAM "' check --device sim --max failed=0 --before-rev nosuch -- ./train.sh");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("--before-rev nosuch: "), std::string::npos) << none.err;
}

TEST_F(CheckSim, NamesThatAreNotUtf8EndNoProgram) {
  const auto recorded = shell("'" ZEROSTALL_PROGRAM "' record --device sim -o r.zstall -- '" GATE_SUBJECT
                              "' 9 none \"$(printf 'caf\\351')\"");
  EXPECT_EQ(recorded.exit_code, 0) << recorded.err;
  const auto checked = shell("'" ZEROSTALL_PROGRAM "' check r.zstall --max waits=1 --out json=-");
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  EXPECT_TRUE(nlohmann::json::accept(checked.out));
}

TEST_F(CheckSim, FilesThatAreNoTracesAreNotReplaced) {
  ASSERT_TRUE(write_file(path("train.py"), "print('mine')\n"));
  for (const char* command :
       {"record --device sim -o train.py -- true", "check --device sim --keep train.py --max waits=0 -- true",
        "check --device sim --out md=train.py --max waits=0 -- sh train.py"}) {
    const auto result = shell(std::string("'" ZEROSTALL_PROGRAM "' ") + command);
    EXPECT_EQ(result.exit_code, 2) << command << result.err;
    EXPECT_EQ(read(path("train.py")), "print('mine')\n") << command;
  }
}

// What --max names as a region is one, whoever made the range.
TEST_F(CheckSim, AnyNvtxRangeCanBeARegion) {
  const auto marked = shell("'" ZEROSTALL_PROGRAM "' check --device sim --max log.waits=0 -- '" GATE_SUBJECT "' 9");
  EXPECT_EQ(marked.exit_code, 1) << marked.out << marked.err;
  EXPECT_NE(marked.out.find("region log is in 1 of 7 judged steps"), std::string::npos) << marked.out;
}

TEST_F(CheckSim, TellsEachKindOfProblemByItsCode) {
  const std::string check = "'" ZEROSTALL_PROGRAM "' check --device sim --max waits=0 ";
  const auto failing = shell(check + "-- sh -c 'exit 7'");
  EXPECT_EQ(failing.exit_code, 4);
  EXPECT_NE(failing.err.find("exited with code 7"), std::string::npos) << failing.err;
  EXPECT_EQ(shell(check + "-- true").exit_code, 3);
  EXPECT_EQ(shell(check + "-- no-such-program").exit_code, 4);
  EXPECT_EQ(shell(check + "--policy nosuch.toml -- true").exit_code, 2);
  EXPECT_EQ(shell(check + "--out junit=x --out md=x -- true").exit_code, 2);
  EXPECT_EQ(shell(check + "--out junit=/proc/x -- true").exit_code, 2);
  EXPECT_EQ(shell(check + "--max wait=0 -- true").exit_code, 2);
  EXPECT_EQ(shell(check + "-- '" GATE_SUBJECT "' 4").exit_code, 3);
}

}  // namespace
}  // namespace zerostall
