#include "profiler/record/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <initializer_list>

namespace zerostall {

SignalInbox::SignalInbox() {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&wanted, signal);
  sigprocmask(SIG_BLOCK, &wanted, &before_);
  fd_ = ::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

SignalInbox::~SignalInbox() {
  if (fd_ >= 0) ::close(fd_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

bool SignalInbox::asks_to_stop() {
  signalfd_siginfo info{};
  while (::read(fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info))
    stop_ |= info.ssi_signo != static_cast<unsigned>(SIGCHLD);
  return stop_;
}

}  // namespace zerostall
