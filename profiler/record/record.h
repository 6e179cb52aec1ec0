// Starts a program with the tracer (and the simulated GPU) injected.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "profiler/record/child.h"
#include "profiler/record/paths.h"

namespace zerostall {

struct RecordOptions {
  std::vector<std::string> argv;
  std::set<std::string> without;  // variables of our environment that the program does not get
  std::filesystem::path trace;    // the file to write; replaced only when the child has ended
  bool simulate = false;          // on the simulated GPU
  std::string model = "h200";     // of the simulated GPU
  std::filesystem::path sim_log;  // where the simulator writes its own counts; empty = nowhere
};

struct RecordOutcome {
  ChildResult child;
  bool has_trace = false;  // false: the child called neither CUDA nor NVTX
};

// The environment that makes a program record itself. LD_PRELOAD is added to an existing value, not replaced.
std::map<std::string, std::string> injection(const RecordOptions& options, const InstallPaths& paths,
                                             const std::filesystem::path& trace);

// Runs the program to its end. Fails when the tracer, the simulator or the program is missing or cannot be started. A
// child that fails is no failure of this function; its trace is kept. When we were interrupted no trace is left.
// Two runs at once must not write the same trace.
Result<RecordOutcome> record_run(const RecordOptions& options, const InstallPaths& paths, SignalInbox& inbox);

}  // namespace zerostall
