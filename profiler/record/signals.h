// Signals as data, so that a command can stop cleanly: no handler, nothing global.
#pragma once
#include <csignal>
#include <optional>

namespace zerostall {

struct ReceivedSignal {
  int number = 0;
  bool from_terminal = false;  // the kernel sent it, to the whole foreground process group
};

// While this lives, SIGINT, SIGQUIT, SIGTERM, SIGHUP and SIGCHLD do not act on the calling thread but wait to be read
// here. Those that are ignored (nohup, a shell's background jobs) stay ignored; only SIGCHLD stops being ignored
// meanwhile, for the kernel would throw away the exit codes of children. One per process, made before any other thread,
// by a command that has something to clean up. A program started by `run_child` gets the signal mask from before.
class SignalInbox {
 public:
  SignalInbox();
  ~SignalInbox();
  SignalInbox(const SignalInbox&) = delete;
  SignalInbox& operator=(const SignalInbox&) = delete;

  int fd() const { return fd_; }  // readable when a signal waits; for poll()
  const sigset_t& mask_before() const { return before_; }

  // The next signal that waits and asks us to stop; nullopt when there is none.
  std::optional<ReceivedSignal> take();
  // Reads what waits. True when one of the signals, now or before, asked us to stop.
  bool asks_to_stop();
  // The first that did; 0 when none was read yet.
  int stop_signal() const { return stop_; }

 private:
  sigset_t before_{};
  struct sigaction child_before_ {};
  int fd_ = -1;
  int stop_ = 0;
};

}  // namespace zerostall
