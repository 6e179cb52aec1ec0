// Runs one child process to its end, holding on to the last lines it says.
#pragma once
#include <cstdint>
#include <string>

#include "profiler/base/result.h"
#include "profiler/base/units.h"
#include "profiler/record/exec.h"
#include "profiler/record/signals.h"

namespace zerostall {

struct ChildResult {
  int exit_code = 0;         // 128 + n when signal n ended it
  bool interrupted = false;  // we were told to stop (SIGINT, SIGTERM, SIGHUP) and killed it
  Bytes peak_memory = 0;     // resident, of the child itself
  std::string out, err;      // the last 64 KiB of each
};

// The child gets an empty standard input and a process group of its own, so that killing it takes its children along;
// it dies with us. What it leaves running in that group is killed at its end. Fails when it cannot be started. A signal
// in the inbox that asks us to stop kills it.
Result<ChildResult> run_child(const ChildCommand& command, SignalInbox& inbox);

}  // namespace zerostall
