// Runs one command as a shell would: it keeps our standard streams, our terminal and our process group.
#pragma once
#include "profiler/base/result.h"
#include "profiler/record/exec.h"
#include "profiler/record/signals.h"

namespace zerostall {

struct ForegroundResult {
  int exit_code = 0;    // 128 + n when signal n ended it
  int error = 0;        // not 0: errno of the exec, nothing was run
  int stop_signal = 0;  // the signal that was meant to end the command while it ran (SIGINT, SIGTERM ...); 0 = none
};

// Returns as soon as the command itself has ended; what it started may live on. What the terminal sends (Ctrl-C,
// Ctrl-\, Ctrl-Z, a new window size) reaches the command directly, since it is in our process group; we outlive Ctrl-C
// to see how it ends. A signal that somebody sends to us alone is passed on. Fails when no process can be made.
Result<ForegroundResult> run_foreground(const ChildCommand& command, SignalInbox& inbox);

}  // namespace zerostall
