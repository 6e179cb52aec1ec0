#include "profiler/record/child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

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
