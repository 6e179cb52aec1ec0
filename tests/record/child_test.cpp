#include "profiler/record/child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>

namespace zerostall {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

ChildResult shell(const std::string& script, std::map<std::string, std::string> environment = {}) {
  SignalInbox inbox;
  auto result = run_child({{"sh", "-c", script}, std::move(environment)}, inbox);
  EXPECT_TRUE(result);
  return std::move(*result);
}

TEST(RunChild, ReportsExitCodesAndSignals) {
  EXPECT_EQ(shell("exit 0").exit_code, 0);
  EXPECT_EQ(shell("exit 7").exit_code, 7);
  EXPECT_EQ(shell("kill -SEGV $$").exit_code, 128 + SIGSEGV);
  EXPECT_GT(shell("exit 0").peak_memory, 100u * 1024);
}

TEST(RunChild, KeepsTheEndOfWhatItSays) {
  const ChildResult result = shell("echo out; echo err >&2");
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  const ChildResult loud = shell("i=0; while [ $i -lt 30000 ]; do echo line $i; i=$((i+1)); done");
  EXPECT_LE(loud.out.size(), 64u * 1024);
  EXPECT_THAT(loud.out, EndsWith("line 29999\n"));
}

TEST(RunChild, AddsToTheEnvironmentAndGivesNoInput) {
  EXPECT_EQ(shell("echo $ZEROSTALL_TEST_VALUE", {{"ZEROSTALL_TEST_VALUE", "here"}}).out, "here\n");
  EXPECT_EQ(shell("cat; echo $PATH").out, std::string(std::getenv("PATH")) + "\n");
}

TEST(RunChild, LeavesOutVariables) {
  ::setenv("ZEROSTALL_TEST_OURS", "x", 1);
  ::setenv("ZEROSTALL_TEST_OURS_TOO", "y", 1);
  SignalInbox inbox;
  const auto result = run_child(
      {{"sh", "-c", "echo ${ZEROSTALL_TEST_OURS-unset} $ZEROSTALL_TEST_OURS_TOO"}, {}, {"ZEROSTALL_TEST_OURS"}}, inbox);
  ::unsetenv("ZEROSTALL_TEST_OURS");
  ::unsetenv("ZEROSTALL_TEST_OURS_TOO");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out, "unset y\n");
}

TEST(RunChild, SaysWhatItCouldNotStart) {
  SignalInbox inbox;
  const auto result = run_child({{"/no/such/program"}, {}}, inbox);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("cannot start /no/such/program: No such file"));
}

TEST(RunChild, DoesNotWaitForGrandchildrenThatKeepThePipesOpen) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(shell("sleep 30 & exit 0").exit_code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

// Not there, or dead and not yet buried by whoever inherited it.
bool is_gone(const std::string& pid) {
  std::ifstream stat("/proc/" + pid + "/stat");
  std::string text;
  return !std::getline(stat, text) || text.substr(text.rfind(')') + 2, 1) == "Z";
}

bool is_soon_gone(const std::string& pid) {
  for (int i = 0; i < 100 && !is_gone(pid); ++i) ::usleep(50'000);
  return is_gone(pid);
}

TEST(RunChild, KillsWhatTheChildLeavesRunning) {
  for (const char* end : {"exit 3", "kill -SEGV $$"}) {
    const std::string pid = shell(std::string("sleep 300 & echo $!; ") + end).out;
    ASSERT_FALSE(pid.empty());
    EXPECT_TRUE(is_soon_gone(pid.substr(0, pid.find('\n')))) << end;
  }
  EXPECT_EQ(shell("sleep 300 & exit 3").exit_code, 3);
}

TEST(RunChild, KillsTheChildWhenAskedToStop) {
  SignalInbox inbox;
  const auto start = std::chrono::steady_clock::now();
  const auto result = run_child({{"sh", "-c", "kill -INT $PPID; sleep 30"}, {}}, inbox);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->interrupted);
  EXPECT_EQ(result->exit_code, 128 + SIGKILL);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_TRUE(inbox.asks_to_stop());  // remembered for whoever asks next
}

}  // namespace
}  // namespace zerostall
