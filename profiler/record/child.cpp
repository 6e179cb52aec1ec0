#include "profiler/record/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace zerostall {
namespace {

constexpr std::size_t kTailBytes = 64 * 1024;

struct Streams {
  Pipe out, err, failure;  // failure: errno of an exec that failed; closed without a word by one that worked
};

// Runs in the child between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(const ExecArguments& exec, const Streams& streams, const sigset_t& mask, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // the parent died before it could be watched
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, STDIN_FILENO);
  ::dup2(streams.out.write.get(), STDOUT_FILENO);
  ::dup2(streams.err.write.get(), STDERR_FILENO);
  exec.become(streams.failure.write, mask);
}

void keep_tail(std::string& tail, const char* data, std::size_t size) {
  tail.append(data, size);
  if (tail.size() > 2 * kTailBytes) tail.erase(0, tail.size() - kTailBytes);
}

// Reads what is there without waiting. False at the end of the stream.
bool read_available(int fd, std::string& tail) {
  std::array<char, 16 * 1024> buffer;
  for (;;) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n > 0)
      keep_tail(tail, buffer.data(), static_cast<std::size_t>(n));
    else if (n == 0)
      return false;
    else if (errno != EINTR)
      return errno == EAGAIN;
  }
}

// Without reaping it: until then nobody else can get its number.
bool has_ended(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

// Waits for the child's end, and ends what it started. A grandchild that keeps the pipes open does not hold us up.
void watch(pid_t pid, SignalInbox& inbox, Streams& streams, ChildResult& result) {
  std::array<pollfd, 3> sources = {
      {{inbox.fd(), POLLIN, 0}, {streams.out.read.get(), POLLIN, 0}, {streams.err.read.get(), POLLIN, 0}}};
  for (bool ended = false; !ended;) {
    ::poll(sources.data(), sources.size(), 1000);  // the timeout only guards against a lost SIGCHLD
    if (inbox.asks_to_stop()) {
      result.interrupted = true;
      ::kill(-pid, SIGKILL);
    }
    ended = has_ended(pid);
    if (ended) ::kill(-pid, SIGKILL);
    if (!read_available(streams.out.read.get(), result.out)) sources[1].fd = -1;
    if (!read_available(streams.err.read.get(), result.err)) sources[2].fd = -1;
  }
  int status = 0;
  struct rusage usage {};
  while (::wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.peak_memory = static_cast<Bytes>(usage.ru_maxrss) * 1024;
}

void cut_tail(std::string& tail) {
  if (tail.size() > kTailBytes) tail.erase(0, tail.size() - kTailBytes);
}

Result<Streams> make_streams() {
  auto out = make_pipe(), err = make_pipe(), failure = make_pipe();
  for (const auto* pipe : {&out, &err, &failure})
    if (!*pipe) return pipe->error();
  for (const auto* pipe : {&out, &err}) ::fcntl((*pipe)->read.get(), F_SETFL, O_NONBLOCK);
  return Streams{std::move(*out), std::move(*err), std::move(*failure)};
}

}  // namespace

Result<ChildResult> run_child(const ChildCommand& command, SignalInbox& inbox) {
  const ExecArguments exec(command);
  auto streams = make_streams();
  if (!streams) return streams.error();

  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return Error{fmt::format("cannot start a process: {}", std::strerror(errno))};
  if (pid == 0) become(exec, *streams, inbox.mask_before(), parent);
  ::setpgid(pid, pid);  // in both processes, so that neither has to wait for the other
  for (Pipe* pipe : {&streams->out, &streams->err, &streams->failure}) pipe->write.close();

  if (const int error = exec_failure(streams->failure.read); error != 0) {
    ::waitpid(pid, nullptr, 0);
    return Error{fmt::format("cannot start {}: {}", command.argv.front(), std::strerror(error))};
  }
  ChildResult result;
  watch(pid, inbox, *streams, result);
  cut_tail(result.out);
  cut_tail(result.err);
  return result;
}

}  // namespace zerostall
