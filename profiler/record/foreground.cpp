#include "profiler/record/foreground.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace zerostall {
namespace {

// The terminal's signals come from the kernel and went to the whole process group; the command has its own copy. Only
// that the terminal is gone is told to the session's leader alone, which we are where no shell is (docker run, ssh -t).
void pass_on(const ReceivedSignal& signal, pid_t pid, ForegroundResult& result) {
  if (result.stop_signal == 0) result.stop_signal = signal.number;
  const bool leader_alone = signal.number == SIGHUP && ::getsid(0) == ::getpid();
  if (!signal.from_terminal || leader_alone) ::kill(pid, signal.number);
}

bool reap(pid_t pid, ForegroundResult& result) {
  int status = 0;
  const pid_t ended = ::waitpid(pid, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
  result.exit_code = ended < 0 ? 0 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return true;
}

}  // namespace

Result<ForegroundResult> run_foreground(const ChildCommand& command, SignalInbox& inbox) {
  const ExecArguments exec(command);
  auto failure = make_pipe();
  if (!failure) return failure.error();
  const pid_t pid = ::fork();
  if (pid < 0) return Error{fmt::format("cannot start a process: {}", std::strerror(errno))};
  if (pid == 0) exec.become(failure->write, inbox.mask_before());
  failure->write.close();

  ForegroundResult result;
  result.error = exec_failure(failure->read);
  pollfd source{inbox.fd(), POLLIN, 0};
  while (!reap(pid, result)) {
    ::poll(&source, 1, 1000);  // the timeout only guards against a lost SIGCHLD
    while (const auto signal = inbox.take()) pass_on(*signal, pid, result);
  }
  return result;
}

}  // namespace zerostall
