#include "profiler/record/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <initializer_list>

namespace zerostall {
namespace {

bool is_ignored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

SignalInbox::SignalInbox() {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  // A blocked signal waits even if it is ignored: it would stop us although whoever started us said it must not.
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP})
    if (!is_ignored(signal)) sigaddset(&wanted, signal);
  ::sigaction(SIGCHLD, nullptr, &child_before_);
  if (is_ignored(SIGCHLD)) ::signal(SIGCHLD, SIG_DFL);
  sigprocmask(SIG_BLOCK, &wanted, &before_);
  fd_ = ::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

SignalInbox::~SignalInbox() {
  if (fd_ >= 0) ::close(fd_);
  ::sigaction(SIGCHLD, &child_before_, nullptr);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<ReceivedSignal> SignalInbox::take() {
  signalfd_siginfo info{};
  while (::read(fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    const auto number = static_cast<int>(info.ssi_signo);
    if (number == SIGCHLD) continue;
    if (stop_ == 0) stop_ = number;
    return ReceivedSignal{number, info.ssi_code == SI_KERNEL};
  }
  return std::nullopt;
}

bool SignalInbox::asks_to_stop() {
  while (take()) {
  }
  return stop_ != 0;
}

}  // namespace zerostall
