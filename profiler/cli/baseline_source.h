// Where a baseline comes from: its file, or a trace in place of it.
#pragma once
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/cli/options.h"
#include "profiler/gate/baseline.h"
#include "reports/named_run.h"

namespace zerostall::cli {

// The policy that was named, else the one of the working folder, which is said, else an empty one; options replace what
// it says.
Result<Policy> policy_for(const CountedSteps& wanted);

// The processes of a trace or folder of traces.
struct TracesRead {
  std::vector<NamedRun> runs;
  std::string unreadable;  // "1 of 3 traces in PATH cannot be read: WHY"; "" = all were read
};
// Of `settings` what says how to find steps and which of them to judge. `timelines`: with NamedRun::timeline. Fails
// where nothing can be read.
Result<TracesRead> read_traces(const std::string& path, const RunSettings& settings, bool timelines = false);

// What all processes of a recording make together; `unreadable` is a doubt about it.
Baseline baseline_of(const std::vector<NamedRun>& runs, const RunSettings& settings, const std::string& unreadable);

// A baseline file, or any trace or folder of traces that `stat` takes, told apart by what is in it. Of a trace that is
// no measure (cut off, no steps) `Baseline::doubt` says so; its processes go to `runs`, if asked for. Fails for what is
// missing or neither.
Result<Baseline> load_baseline(const std::string& path, const RunSettings& settings = {},
                               std::vector<NamedRun>* runs = nullptr, bool timelines = false);

}  // namespace zerostall::cli
