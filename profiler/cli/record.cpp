#include "profiler/cli/record.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "profiler/base/files.h"
#include "profiler/base/sim_values.h"
#include "profiler/base/strings.h"
#include "profiler/cli/advice.h"
#include "profiler/cli/device.h"
#include "profiler/cli/processes.h"
#include "profiler/cli/say.h"
#include "profiler/cli/trace_output.h"
#include "profiler/record/foreground.h"
#include "profiler/record/record.h"
#include "profiler/record/sim_log.h"
#include "profiler/trace/api_table.h"
#include "profiler/trace/read_native.h"
#include "reports/record_text.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

// What the processes of the command left, read once.
struct Left {
  std::vector<NamedRun> runs;         // of processes that used CUDA
  std::vector<fs::path> files;        // of each
  std::vector<std::string> problems;  // why something is missing
};

// All that one recording needs to know when the command has ended.
struct Session {
  const RecordArguments& arguments;
  const Device& device;
  const TraceOutput& output;
  SimLog log;
  SignalInbox& inbox;
};

Outcome only_simulated(const std::string& option) {
  return fail(ExitCode::bad_use, fmt::format("{} is for the simulated GPU: add --device sim, or leave it out", option));
}

// Options that mean nothing on a real GPU; "" = none was given.
std::string simulator_option(const RecordArguments& arguments) {
  if (arguments.no_tracer) return "--no-tracer";
  if (arguments.gpus_given) return "--gpus";
  if (!arguments.sim_values.empty()) return "--sim-values";
  if (!arguments.host_clock.empty()) return "--host-clock";
  return arguments.seed ? "--seed" : "";
}

// Why the options cannot be followed on that device; nullopt when they can.
std::optional<Outcome> refuse(const RecordArguments& arguments, const Device& device) {
  if (const std::string option = simulator_option(arguments); !device.simulate && !option.empty())
    return only_simulated(option);
  if (arguments.no_tracer && !arguments.output.empty())
    return fail(ExitCode::bad_use, "--no-tracer records no trace: leave -o out");
  if (arguments.sim_values.empty()) return std::nullopt;
  std::string error;
  if (!load_sim_values(arguments.sim_values, &error)) return fail(ExitCode::bad_use, "--sim-values: " + error);
  return std::nullopt;
}

Injection injection_of(const RecordArguments& arguments, const Device& device, const fs::path& logs) {
  Injection options;
  options.trace = !arguments.no_tracer;
  options.simulate = device.simulate;
  options.model = device.model;
  options.gpus = static_cast<int>(arguments.gpus);
  options.sim_values = arguments.sim_values;
  options.sim_log = logs;
  options.host_clock = arguments.host_clock;
  options.seed = arguments.seed;
  return options;
}

Outcome cannot_start(const std::string& command, int error) {
  if (error == ENOENT && command.find('/') == std::string::npos)
    return fail(ExitCode::environment, fmt::format("command not found: {}", command));
  if (error == EACCES)
    return fail(
        ExitCode::environment,
        fmt::format("cannot run {}: it is not executable; a Python script is run by `-- python {}`", command, command));
  return fail(ExitCode::environment, fmt::format("cannot run {}: {}", command, std::strerror(error)));
}

void read_trace(const fs::path& file, Left& left) {
  auto raw = read_native(file);
  if (!raw) {
    left.problems.push_back("a trace cannot be read: " + raw.error().message);
    return;
  }
  RunSummary summary = analyze(std::move(*raw), {file.string()});
  for (const std::string& problem : summary.tool_problems) left.problems.push_back("tracer: " + problem);
  if (!summary.has_cuda_calls) return;  // a launcher that only asked how many devices there are
  left.runs.push_back({process_name(summary.meta), std::move(summary)});
  left.files.push_back(file);
}

Left read_left(const std::vector<fs::path>& files) {
  Left left;
  for (const fs::path& file : files) read_trace(file, left);
  return left;
}

bool is_whole(const Left& left) {
  for (const NamedRun& run : left.runs)
    if (run.summary.truncated) return false;
  return left.problems.empty();
}

Outcome keep_traces(const RecordArguments& arguments, const TraceOutput& output, const Left& left) {
  std::vector<FinishedTrace> finished;
  for (std::size_t i = 0; i < left.runs.size(); ++i) finished.push_back({left.files[i], left.runs[i].name});
  const auto placed = output.place(finished, is_whole(left));
  if (!placed) return fail(ExitCode::environment, placed.error().message);
  if (arguments.quiet) return {};
  for (const std::string& line : record_lines(placed->string(), left.runs, worst_process(left.runs))) say(line);
  if (!arguments.output.empty() && placed->lexically_normal() != fs::path(arguments.output).lexically_normal())
    say(fmt::format("{} was left as it is: this recording is not complete", arguments.output));
  return {};
}

// Calls that the tracer would have recorded; what asks for versions and numbers of devices is not among them.
std::int64_t recordable_calls(const SimLog& log) {
  std::int64_t calls = 0;
  for (const auto& [name, count] : log.calls) calls += find_api(name).name.empty() ? 0 : count;
  return calls;
}

Outcome conclude(const Session& session) {
  const Left left = read_left(session.output.found());
  for (const std::string& problem : left.problems) say(problem);
  if (!left.runs.empty()) return keep_traces(session.arguments, session.output, left);
  if (!left.problems.empty()) return fail(ExitCode::environment, "nothing was recorded");
  if (recordable_calls(session.log) > 0)
    return fail(ExitCode::environment, "the command used the simulated GPU, but the tracer recorded nothing");
  return fail(ExitCode::cannot_tell, why_no_cuda(session.arguments.command, session.device.simulate, session.inbox));
}

// After the command has ended.
Outcome finish(const ForegroundResult& ran, const Session& session) {
  Outcome outcome = session.arguments.no_tracer ? Outcome{} : conclude(session);
  if (ran.exit_code == 0) return outcome;
  outcome.code = static_cast<ExitCode>(ran.exit_code);
  if (session.arguments.quiet || !session.device.simulate || ran.stop_signal != 0) return outcome;
  for (const std::string& line : failure_lines(ran.exit_code, session.log, session.arguments.gpus)) say(line);
  return outcome;
}

}  // namespace

Outcome run_record(const RecordArguments& arguments) {
  const auto paths = own_paths();
  if (!paths) return fail(ExitCode::environment, paths.error().message);
  SignalInbox inbox;  // before anything that starts threads or leaves files
  const auto chosen = choose_device(arguments.device, *paths);
  if (const auto* failed = std::get_if<Outcome>(&chosen)) return *failed;
  const auto& device = std::get<Device>(chosen);
  if (auto refused = refuse(arguments, device)) return *refused;
  auto made = TraceOutput::make(arguments.no_tracer ? "" : arguments.output);
  if (const auto* failed = std::get_if<Outcome>(&made)) return *failed;
  const auto& output = std::get<TraceOutput>(made);
  const Injection options = injection_of(arguments, device, output.logs());
  if (const auto parts = check_parts(options, *paths); !parts)
    return fail(ExitCode::environment, parts.error().message);

  if (device.simulate) say(simulated_warning(device));
  const auto ran = run_foreground({arguments.command, injection(options, *paths, output.growing())}, inbox);
  if (!ran) return fail(ExitCode::environment, ran.error().message);
  if (ran->error != 0) return cannot_start(arguments.command.front(), ran->error);
  return finish(*ran, {arguments, device, output, read_sim_logs(output.logs()), inbox});
}

}  // namespace zerostall::cli
