// `record` and its command as a terminal, a job scheduler or a shell treats them, with the real tracer and simulated
// GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "profiler/base/files.h"
#include "profiler/trace/read_native.h"
#include "tests/cli/program.h"
#include "tests/faults/fault_count.h"
#include "tests/tracer/progress.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

void pause_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

std::string content(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class RecordSignals : public ::testing::Test {
 protected:
  void SetUp() override { progress = map_progress((folder.path() / "progress").string()); }
  void TearDown() override {
    if (pid > 0) ::kill(-pid, SIGKILL);
    if (pid > 0) ::waitpid(pid, nullptr, 0);
    ::munmap(progress, sizeof(Progress));
  }

  // Like a job of a shell: a process group of its own, in the folder. With a terminal of its own where `terminal` is
  // not null. $z is the program, $subject a program under test.
  void start(const std::string& text, int* terminal = nullptr) {
    pid = terminal ? ::forkpty(terminal, nullptr, nullptr, nullptr) : ::fork();
    if (pid != 0) {
      if (!terminal) ::setpgid(pid, pid);
      return;
    }
    if (!terminal) ::setpgid(0, 0);
    if (!terminal && std::freopen((folder.path() / "err").c_str(), "w", stderr) == nullptr) ::_exit(1);
    if (::chdir(folder.path().c_str()) != 0) ::_exit(1);
    ::setenv("z", ZEROSTALL_PROGRAM, 1);
    ::setenv("subject", LIFETIME_SUBJECT, 1);
    ::setenv(kProgressVariable, (folder.path() / "progress").c_str(), 1);
    ::execl("/bin/sh", "sh", "-c", text.c_str(), static_cast<char*>(nullptr));
    ::_exit(1);
  }
  void wait_for_waits(std::uint64_t count) const {
    for (int i = 0; i < 10000 && progress->waits < count; ++i) pause_ms(2);
    ASSERT_GE(progress->waits, count);
  }
  int wait() {
    int status = 0;
    ::waitpid(pid, &status, 0);
    pid = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  std::string err() const { return content(folder.path() / "err"); }
  // What the program says in the terminal until it is gone.
  std::string read_all(int terminal) const {
    std::string text;
    char buffer[512];
    for (ssize_t n = 0; (n = ::read(terminal, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(n));
    ::close(terminal);
    return text;
  }
  ChildResult shell(const std::string& text) const {
    return run_program("/bin/sh", {"-c", "cd \"$here\"; " + text}, {{"here", folder.path()}, {"z", ZEROSTALL_PROGRAM}});
  }
  std::int64_t waits_in(const fs::path& file) const {
    const auto raw = read_native(file);
    if (!raw) return -1;
    return std::count_if(raw->calls.begin(), raw->calls.end(), [&](const RawCall& call) {
      return raw->strings.text(call.name).starts_with("cudaStreamSynchronize");
    });
  }
  void expect_all_kept(const std::string& file = "run.zstall") const {
    EXPECT_GE(waits_in(folder.path() / file), static_cast<std::int64_t>(progress->waits));
  }
  fs::path hidden() const {
    for (const auto& entry : fs::directory_iterator(folder.path()))
      if (entry.path().filename().string().starts_with(".zerostall-")) return entry.path();
    return {};
  }

  TempFolder folder = std::move(*TempFolder::make());
  Progress* progress = nullptr;
  pid_t pid = 0;
};

const std::string kRecord = "exec \"$z\" record --device sim -- ";

TEST_F(RecordSignals, KeysOfTheTerminalEndTheCommandAndNotTheRecording) {
  FaultCount faults("program_signalled");
  for (const auto& [key, signal] : {std::pair("\x03", SIGINT), {"\x1c", SIGQUIT}}) {
    faults.next();
    progress->waits = 0;
    fs::remove(folder.path() / "run.zstall");
    int terminal = -1;
    start("ulimit -c 0; " + kRecord + "\"$subject\" sigterm", &terminal);
    wait_for_waits(20);
    ASSERT_EQ(::write(terminal, key, 1), 1);
    const std::string said = read_all(terminal);
    EXPECT_EQ(wait(), 128 + signal) << said;
    EXPECT_THAT(said, AllOf(HasSubstr("the command was stopped; what it did until then is kept"),
                            HasSubstr("run.zstall · simulated H200 · "), HasSubstr("next: zerostall stat run.zstall")));
    expect_all_kept();
  }
}

TEST_F(RecordSignals, EachCtrlCReachesTheCommandOnce) {
  const FaultCount fault("program_signalled", 1);
  int terminal = -1;
  start(kRecord +
            "sh -c 'n=0; trap \"n=\\$((n+1)); echo caught \\$n\" INT; \"$subject\" normal; echo ready; "
            "while [ $n -lt 2 ]; do sleep 0.05; done; sleep 0.3; exit $((40+n))'",
        &terminal);
  std::string said;
  char buffer[512];
  std::size_t typed = 0;
  for (ssize_t n = 0; (n = ::read(terminal, buffer, sizeof buffer)) > 0;) {
    said.append(buffer, static_cast<std::size_t>(n));
    const char* waits_for[] = {"ready", "caught 1"};
    if (typed < 2 && said.find(waits_for[typed]) != std::string::npos) {
      ASSERT_EQ(::write(terminal, "\x03", 1), 1);
      ++typed;
    }
  }
  ::close(terminal);
  EXPECT_EQ(wait(), 42) << said;
  EXPECT_THAT(said, HasSubstr("run.zstall · simulated H200 · "));
}

TEST_F(RecordSignals, ATerminalThatGoesAwayLeavesTheTrace) {
  const FaultCount fault("program_signalled", 1);
  int terminal = -1;
  start(kRecord + "\"$subject\" sigterm", &terminal);
  wait_for_waits(20);
  ::close(terminal);
  wait();
  expect_all_kept();
}

TEST_F(RecordSignals, WhatIsSentToRecordAloneIsPassedOn) {
  FaultCount faults("program_signalled");
  for (const int signal : {SIGTERM, SIGHUP, SIGINT}) {
    faults.next();
    progress->waits = 0;
    fs::remove(folder.path() / "run.zstall");
    start(kRecord + "\"$subject\" sigterm");
    wait_for_waits(20);
    ::kill(pid, signal);
    EXPECT_EQ(wait(), 128 + signal) << err();
    EXPECT_THAT(err(), HasSubstr("the command was stopped; what it did until then is kept"));
    expect_all_kept();
  }
}

// A scheduler: SIGTERM to all, SIGKILL to the command that does not listen.
TEST_F(RecordSignals, ACommandThatDoesNotListenIsWaitedFor) {
  const FaultCount fault("program_signalled", 1);
  start("\"$z\" record --device sim -- sh -c 'echo $$ > child; exec \"$subject\" ignores-sigterm'; exit $?");
  wait_for_waits(20);
  ::kill(-pid, SIGTERM);
  // The shell around record dies of it; record and the command do not.
  wait_for_waits(progress->waits + 20);
  std::ifstream file(folder.path() / "child");
  pid_t child = 0;
  ASSERT_TRUE(file >> child);
  ::kill(child, SIGKILL);
  for (int i = 0; i < 5000 && !fs::exists(folder.path() / "run.zstall"); ++i) pause_ms(2);
  wait();
  expect_all_kept();
}

TEST_F(RecordSignals, StopsAndGoesOnAsAJob) {
  const FaultCount fault("program_signalled", 1);
  start(kRecord + "\"$subject\" sigterm");
  wait_for_waits(20);
  ::kill(-pid, SIGTSTP);
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, WUNTRACED), pid);
  ASSERT_TRUE(WIFSTOPPED(status));
  pause_ms(50);
  const std::uint64_t stopped_at = progress->waits;
  pause_ms(300);
  EXPECT_EQ(progress->waits, stopped_at);
  ::kill(-pid, SIGCONT);
  wait_for_waits(stopped_at + 20);
  ::kill(-pid, SIGTERM);
  EXPECT_EQ(wait(), 128 + SIGTERM);
  expect_all_kept();
}

// What is left of a recording whose record was killed: the command runs on, and its trace in a hidden folder can be
// read then and later. Nobody removes it but the user.
TEST_F(RecordSignals, AKilledRecordLeavesATraceThatCanBeFound) {
  const FaultCount fault("record_killed", 1);
  start(kRecord + "\"$subject\" sigterm");
  wait_for_waits(20);
  ::kill(pid, SIGKILL);
  EXPECT_EQ(wait(), 128 + SIGKILL);
  const std::string name = hidden().filename();
  wait_for_waits(progress->waits + 20);
  const ChildResult growing = shell("exec \"$z\" stat " + name);
  EXPECT_EQ(growing.exit_code, 0) << growing.err;
  EXPECT_THAT(growing.out, HasSubstr("steps (from marks)"));

  const ChildResult nothing = shell("exec \"$z\" stat");
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("a recording that was killed left a trace: zerostall stat " + name));
  const ChildResult next = shell("exec \"$z\" record --device sim -- " LIFETIME_SUBJECT " normal");
  EXPECT_EQ(next.exit_code, 0);
  EXPECT_THAT(next.err,
              HasSubstr("a recording that was killed left a trace: zerostall stat " + name + "; remove " + name));

  // Its command is the only process that is left of the group.
  const auto raw = read_native(hidden() / "trace");
  ASSERT_TRUE(bool(raw));
  ::kill(static_cast<pid_t>(raw->meta.pid.value()), SIGKILL);
  pause_ms(100);
  expect_all_kept(name + "/trace");
  EXPECT_EQ(shell("exec \"$z\" stat " + name).exit_code, 0);
}

TEST_F(RecordSignals, WhatTheCommandLeavesRunningGoesOnInItsTrace) {
  const FaultCount fault("program_forks", 1);
  start("\"$z\" record --device sim -- sh -c '\"$subject\" sigterm & echo $! > child; sleep 0.5'");
  EXPECT_EQ(wait(), 0) << err();
  EXPECT_THAT(err(), HasSubstr("still runs; its trace goes on growing"));
  wait_for_waits(progress->waits + 20);
  std::ifstream file(folder.path() / "child");
  pid_t child = 0;
  ASSERT_TRUE(file >> child);
  ::kill(child, SIGTERM);
  while (::kill(child, 0) == 0) pause_ms(2);
  expect_all_kept();
}

// A daemon that comes to use CUDA when nobody records any more: it runs, and says why there is no trace of it.
TEST_F(RecordSignals, ALateDaemonIsLeftAlone) {
  const FaultCount fault("program_forks", 1);
  start(kRecord + "\"$subject\" late-daemon");
  EXPECT_EQ(wait(), 3) << "no CUDA call while it was recorded";
  wait_for_waits(6);
  EXPECT_THAT(err(), HasSubstr("[zerostall] tracing is off: cannot create "));
}

TEST_F(RecordSignals, SaysThatSomethingCouldNotBeRecorded) {
  FaultCount faults("trace_no_room");
  const auto record = [&](const std::string& command) {
    if (command.find("rm ") != std::string::npos) faults.next();
    start(kRecord + "sh -c '" + command + "'");
    const int code = wait();
    return std::pair(code, err());
  };
  const auto [removed, words_removed] = record("rm -r .zerostall-*; \"$subject\" normal");
  EXPECT_EQ(removed, 4);
  EXPECT_THAT(words_removed, HasSubstr("nothing was recorded"));
  const auto [partly, words_partly] = record("\"$subject\" normal; rm .zerostall-*/trace; \"$subject\" normal");
  EXPECT_EQ(partly, 4);
  EXPECT_THAT(words_partly,
              AllOf(HasSubstr("zerostall: recorded in part: 1 of 2 processes that made CUDA calls left no trace"),
                    HasSubstr("run.zstall · simulated H200")));
  const auto [own, words_own] = record("\"$subject\" normal; rm .zerostall-*/trace; \"$subject\" exit-code");
  EXPECT_EQ(own, 7) << "the command's own code comes first";
  const auto [fine, words_fine] = record("\"$subject\" normal; \"$subject\" nothing");
  EXPECT_EQ(fine, 0);
  EXPECT_THAT(words_fine, Not(HasSubstr("in part")));
}

TEST_F(RecordSignals, SaysThatATraceHadNoRoom) {
  const FaultCount fault("trace_no_room", 1);
  start(kRecord + "\"$subject\" little-room");
  EXPECT_EQ(wait(), 4);
  EXPECT_THAT(err(), AllOf(HasSubstr("ends early: the process may not write a larger file (ulimit -f)"),
                           HasSubstr("zerostall: recorded in part: the trace of process "),
                           HasSubstr("run.zstall · simulated H200")));
  EXPECT_THAT(shell("exec \"$z\" stat").out,
              HasSubstr("the trace is cut off: the process may not write a larger file"));
}

// Two hosts, or two commands, that record to one name at once.
TEST_F(RecordSignals, OfTwoRecordingsOfOneNameBothAreKept) {
  const FaultCount fault("at_once", 1);
  start("for i in 1 2; do RANK=0 \"$z\" record --device sim -o same.zstall -- \"$subject\" normal & done; wait");
  wait();
  EXPECT_EQ(waits_in(folder.path() / "same.zstall"), 6);
  EXPECT_EQ(waits_in(folder.path() / "same-2.zstall"), 6);
}

}  // namespace
}  // namespace zerostall
