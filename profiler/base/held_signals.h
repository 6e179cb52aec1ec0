// While one lives, the calling thread holds back the signals that end a program from outside (SIGINT, SIGTERM, SIGHUP,
// SIGQUIT): for the moments in which an end would leave a temporary file. They are delivered when it dies. May be
// nested; start no other threads and wait for nothing meanwhile.
#pragma once
#include <signal.h>

#include <initializer_list>

namespace zerostall {

class HeldSignals {
 public:
  HeldSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&signals, number);
    ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace zerostall
