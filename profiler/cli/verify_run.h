// One run of `verify`: the scenario program under the tracer, and what its trace says.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "profiler/cli/device.h"
#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"
#include "profiler/cli/outputs.h"
#include "profiler/cli/trace_folder.h"
#include "profiler/cli/verify_plan.h"
#include "profiler/gate/verify.h"
#include "profiler/record/record.h"
#include "reports/timeline_blob.h"

namespace zerostall::cli {

// Everything a run needs to know.
struct Bench {
  const InstallPaths& paths;
  const Device& device;
  const TraceFolder& traces;
  std::filesystem::path program;
  SignalInbox& inbox;
  bool timelines = false;  // are made for a page
};

struct Recorded {
  VerifyRun run;
  TimelineBlob timeline;    // where one is made
  std::string tracer_said;  // why its trace ends early, where the tracer could tell
};

// The program that runs the built-in jobs, or the one that tests put in its place.
std::filesystem::path scenario_program(const InstallPaths& paths);

inline ExitCode code_of(Verdict verdict) {
  return verdict == Verdict::pass        ? ExitCode::ok
         : verdict == Verdict::violation ? ExitCode::violation
                                         : ExitCode::cannot_tell;
}

// What every kind of `verify` asks for before it runs anything.
struct Ready {
  Device device;
  std::filesystem::path program;
};
std::variant<Ready, Outcome> get_ready(const VerifyOptions& options, const InstallPaths& paths);

// Where the results go besides standard output; --json and a FORMAT=- together are bad use.
std::variant<Outputs, Outcome> outputs_of(const VerifyOptions& options, std::span<const std::string_view> formats);

// Prints a finished report and writes it wherever else it was asked for. `render` takes the format.
Outcome show_report(ExitCode code, const VerifyOptions& options, const Outputs& outputs,
                    const std::function<std::string(std::string_view format)>& render);

// The traces stay where --keep says; only that can change the outcome.
Outcome keep_traces(const TraceFolder& traces, Outcome outcome);

// A line on a terminal before a run: "[2/4] bn-pinning ...". Nothing elsewhere.
void show_progress(std::size_t run, std::size_t runs, const std::string& name);

struct RecordedTrace {
  std::optional<RawTrace> trace;  // nullopt: the program used neither CUDA nor NVTX
  std::string tracer_said;        // why it ends early, where the tracer could tell
};

// Runs the scenario program with these arguments to a good end. `name`: of the run, for messages; `file`: of the trace,
// without extension.
std::variant<RecordedTrace, Outcome> run_recorded(const std::vector<std::string>& arguments, const std::string& name,
                                                  const std::string& file, const Bench& bench);

// Runs one setting and analyses its trace; without one the summary stays empty. `file`: name of the trace, without
// extension.
std::variant<Recorded, Outcome> run_setting(const VerifyRequest& request, const Setting& setting,
                                            const std::string& file, const Bench& bench);

}  // namespace zerostall::cli
