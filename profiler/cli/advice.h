// What to tell a user whose recorded command did not do what was hoped for.
#pragma once
#include <string>
#include <vector>

#include "profiler/cli/options.h"
#include "profiler/record/signals.h"
#include "profiler/record/sim_log.h"

namespace zerostall::cli {

// Why a command may have made no CUDA call, as far as that can be known from outside: one line. `gpus`: how many are
// simulated. May run the command's Python for a moment to look for torch.
std::string why_no_cuda(const std::vector<std::string>& command, bool simulated, std::int64_t gpus, SignalInbox& inbox);

// For a command that failed on the simulated GPU: its exit code, the last unsupported call, and the read-backs without
// a real value, with a --sim-values entry to paste.
std::vector<std::string> failure_lines(int exit_code, const SimLog& log, std::int64_t gpus);

}  // namespace zerostall::cli
