// What every command that records needs: finding out whether a program can start, and reading what its processes left.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profiler/cli/outcome.h"
#include "profiler/cli/trace_output.h"
#include "profiler/record/sim_log.h"
#include "reports/named_run.h"

namespace zerostall::cli {

// One that used CUDA, and its trace.
struct RecordedProcess {
  NamedRun run;
  std::filesystem::path file;
};

// What the processes of the command left, read once.
struct Recording {
  std::vector<RecordedProcess> processes;  // by rank and name; of one name the one that did most first
  std::vector<std::string> problems;       // why something is missing
  std::string why_empty;                   // what a process without a recorded call says about that
};

struct RecordingOptions {
  std::int64_t warmup = 2;
  StepOptions steps{};
  bool sources = false;    // read the lines of source that stacks name: causes are told better
  bool timelines = false;  // make NamedRun::timeline, of each process
};

Recording read_recording(const std::vector<std::filesystem::path>& files, const RecordingOptions& options = {});

// Processes that made CUDA calls and left no trace, in words; "" = none did.
std::string untraced(const TraceOutput& output, std::size_t traces);

// Calls that the tracer would have recorded; what asks for versions and numbers of devices is not among them.
std::int64_t recordable_calls(const SimLog& log);

// The words for an exec that failed, or would fail: code 4.
Outcome cannot_start(const std::string& command, int error);

// Found out before anything is said or made; nullopt: it can be started.
std::optional<Outcome> refuse_command(const std::string& command);

}  // namespace zerostall::cli
