#include "profiler/record/foreground.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <thread>

namespace zerostall {
namespace {

using ::testing::HasSubstr;

ForegroundResult run(const std::string& script) {
  SignalInbox inbox;
  const auto result = run_foreground({{"sh", "-c", script}, {}}, inbox);
  EXPECT_TRUE(result);
  return *result;
}

TEST(RunForeground, GivesTheCommandsOwnExitCode) {
  EXPECT_EQ(run("exit 0").exit_code, 0);
  EXPECT_EQ(run("exit 3").exit_code, 3);
  EXPECT_EQ(run("kill -SEGV $$").exit_code, 128 + SIGSEGV);
  EXPECT_EQ(run("exit 3").stop_signal, 0);
}

TEST(RunForeground, SaysWhyNothingWasRun) {
  SignalInbox inbox;
  EXPECT_EQ(run_foreground({{"/no/such/program"}, {}}, inbox)->error, ENOENT);
  EXPECT_EQ(run_foreground({{"/etc/passwd"}, {}}, inbox)->error, EACCES);
}

TEST(RunForeground, DoesNotWaitForWhatTheCommandLeavesBehind) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(run("sleep 20 & echo $! > /dev/null; exit 5").exit_code, 5);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(RunForeground, PassesOnASignalThatSomebodySendsToUs) {
  const ForegroundResult result = run("trap 'exit 7' TERM; kill -TERM $PPID; while :; do sleep 0.05; done");
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.stop_signal, SIGTERM);
}

// What a program in a terminal of its own prints until it ends; `keys` are typed when it has printed "ready".
struct InTerminal {
  std::string output;
  int exit_code = -1;
};

InTerminal type_into(const std::string& script, const std::string& keys) {
  int terminal = -1;
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid == 0) ::_exit(run(script).exit_code);
  InTerminal seen;
  char buffer[512];
  bool typed = false;
  for (ssize_t n = 0; (n = ::read(terminal, buffer, sizeof buffer)) > 0;) {
    seen.output.append(buffer, static_cast<std::size_t>(n));
    if (!typed && seen.output.find("ready") != std::string::npos) {
      EXPECT_EQ(::write(terminal, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
      typed = true;
    }
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  ::close(terminal);
  seen.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return seen;
}

TEST(RunForeground, CtrlCReachesTheCommandOnceAndLeavesUsAlive) {
  const InTerminal seen = type_into(
      "trap 'echo caught; n=$((n+1))' INT; echo ready; i=0; "
      "while [ $i -lt 20 ]; do sleep 0.02; i=$((i+1)); done; exit $((40+n))",
      "\x03");
  EXPECT_EQ(seen.exit_code, 41) << seen.output;
  EXPECT_THAT(seen.output, HasSubstr("caught"));
}

TEST(RunForeground, ACommandThatCtrlCOrCtrlBackslashKillsShowsTheSignal) {
  EXPECT_EQ(type_into("echo ready; exec sleep 30", "\x03").exit_code, 128 + SIGINT);
  EXPECT_EQ(type_into("ulimit -c 0; echo ready; exec sleep 30", "\x1c").exit_code, 128 + SIGQUIT);
}

TEST(RunForeground, TheCommandReadsFromTheTerminal) {
  const InTerminal seen = type_into("echo ready; read word; echo got $word; test -t 0 && test -t 1 && exit 9", "hi\n");
  EXPECT_EQ(seen.exit_code, 9);
  EXPECT_THAT(seen.output, HasSubstr("got hi"));
}

}  // namespace
}  // namespace zerostall
