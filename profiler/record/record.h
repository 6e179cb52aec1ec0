// Starts a program with the tracer (and the simulated GPU) injected.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiler/record/child.h"
#include "profiler/record/paths.h"

namespace zerostall {

// How a program is made to record itself.
struct Injection {
  bool trace = true;                 // false: the simulated GPU alone
  bool keep_host = false;            // the host's name goes into the trace
  std::string stacks = "waits";      // calls whose call stack is recorded: none, waits, all
  bool whole_graphs = false;         // a launch of a graph is one record, not one for each of its nodes
  bool counts_only = false;          // no records of GPU work
  std::string window;                // when to record, as ZEROSTALL_TRACE_WINDOW has it; "" = always
  std::int64_t max_bytes = 0;        // of a trace; 0 = no limit
  bool simulate = false;             // on the simulated GPU; all below is for that one only
  std::string model = "h200";        // device model
  int gpus = 1;                      // devices the program sees
  std::filesystem::path sim_values;  // file of values for read-backs; empty = none
  std::filesystem::path sim_log;     // where the simulator writes its own counts, a file or a folder; empty = nowhere
  std::string host_clock;            // "model" or "cpu"; "" = the simulator's default
  std::optional<std::int64_t> seed;  // of modelled times
};

struct RecordOptions : Injection {
  std::vector<std::string> argv;
  std::set<std::string> without;     // variables of our environment that the program does not get
  std::filesystem::path trace_file;  // the file to write; replaced only when the child has ended
};

struct RecordOutcome {
  ChildResult child;
  bool has_trace = false;  // false: the child called neither CUDA nor NVTX
};

// The environment that makes a program record itself into `trace`. The simulator and its libraries stand first in
// LD_PRELOAD (but for a sanitizer's runtime that is there already), its folder in LD_LIBRARY_PATH (which is how Triton
// and others look for the driver), what the user has there follows.
std::map<std::string, std::string> injection(const Injection& options, const InstallPaths& paths,
                                             const std::filesystem::path& trace);

// Fails when a part that these options need is missing, or lies where LD_PRELOAD cannot name it.
Result<Done> check_parts(const Injection& options, const InstallPaths& paths);

// Runs the program to its end. Fails when the tracer, the simulator or the program is missing or cannot be started. A
// child that fails is no failure of this function; its trace is kept. When we were interrupted no trace is left.
// Two runs at once must not write the same trace.
Result<RecordOutcome> record_run(const RecordOptions& options, const InstallPaths& paths, SignalInbox& inbox);

}  // namespace zerostall
