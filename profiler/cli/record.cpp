#include "profiler/cli/record.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <limits>
#include <tuple>
#include <utility>

#include "profiler/base/files.h"
#include "profiler/base/sim_values.h"
#include "profiler/base/strings.h"
#include "profiler/cli/advice.h"
#include "profiler/cli/device.h"
#include "profiler/cli/processes.h"
#include "profiler/cli/record_parts.h"
#include "profiler/cli/say.h"
#include "profiler/cli/trace_output.h"
#include "profiler/record/foreground.h"
#include "profiler/record/program.h"
#include "profiler/record/record.h"
#include "profiler/record/sim_log.h"
#include "profiler/trace/api_table.h"
#include "profiler/trace/read_native.h"
#include "reports/record_text.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

// All that one recording needs to know when the command has ended.
struct Session {
  const RecordArguments& arguments;
  const Device& device;
  TraceOutput& output;
  SimLog log;
  SignalInbox& inbox;
  bool stopped = false;  // by a signal that was meant to
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
  if (arguments.no_tracer && arguments.whole_graphs)
    return fail(ExitCode::bad_use, "--no-tracer records no graphs: leave --whole-graphs out");
  if (arguments.sim_values.empty()) return std::nullopt;
  std::string problem;
  if (!load_sim_values(arguments.sim_values, &problem)) return fail(ExitCode::bad_use, "--sim-values: " + problem);
  return std::nullopt;
}

Injection injection_of(const RecordArguments& arguments, const Device& device, const fs::path& logs) {
  Injection options;
  options.trace = !arguments.no_tracer;
  options.keep_host = arguments.keep_host;
  options.stacks = arguments.stacks;
  options.whole_graphs = arguments.whole_graphs;
  options.counts_only = arguments.counts_only;
  options.window = arguments.window;
  options.max_bytes = arguments.max_bytes;
  options.simulate = device.simulate;
  options.model = device.model;
  options.gpus = static_cast<int>(arguments.gpus);
  options.sim_values = arguments.sim_values;
  options.sim_log = logs;
  options.host_clock = arguments.host_clock;
  options.seed = arguments.seed;
  return options;
}

bool is_whole(const Recording& left) {
  const auto is_cut = [](const RecordedProcess& process) { return process.run.summary.truncated; };
  return left.problems.empty() && std::none_of(left.processes.begin(), left.processes.end(), is_cut);
}

// What the command left running keeps its file open, wherever that is moved.
bool still_runs(const RunSummary& run) {
  return run.truncated && run.meta.pid && ::kill(static_cast<pid_t>(*run.meta.pid), 0) == 0;
}

Outcome left_behind(const std::string& why, TraceOutput& output) {
  const std::string folder = output.leave().string();
  return fail(ExitCode::environment,
              fmt::format("{}; what was recorded stays in {}: zerostall stat {}", why, folder, folder));
}

Outcome keep_traces(const RecordArguments& arguments, TraceOutput& output, Recording left) {
  std::vector<FinishedTrace> finished;
  for (const RecordedProcess& process : left.processes) finished.push_back({process.file, process.run.name});
  const bool whole = is_whole(left);
  const auto placed = output.place(finished, whole);
  if (!placed) return left_behind(placed.error().message, output);
  if (!arguments.output.empty() && *placed != output.wanted())
    say(fmt::format("{} was left as it is, since {}", output.wanted().string(),
                    whole ? "another recording wrote it meanwhile" : "this recording is not complete"));
  if (arguments.quiet) return {};
  for (const RecordedProcess& process : left.processes)
    if (still_runs(process.run.summary)) say(fmt::format("{} still runs; its trace goes on growing", process.run.name));
  std::vector<NamedRun> runs;
  for (RecordedProcess& process : left.processes) runs.push_back(std::move(process.run));
  for (const std::string& line : record_lines(placed->string(), runs, worst_process(runs))) say(line);
  return {};
}

// The command's own end may be fine: what is missing makes it a failure of ours.
Outcome keep_what_there_is(const Session& session, Recording left) {
  const std::string problem = left.problems.empty() ? "" : left.problems.back();
  for (std::size_t i = 0; i + 1 < left.problems.size(); ++i) say(left.problems[i]);
  Outcome outcome = keep_traces(session.arguments, session.output, std::move(left));
  if (problem.empty()) return outcome;
  if (outcome.code == ExitCode::ok) return fail(ExitCode::environment, "recorded in part: " + problem);
  say(problem);
  return outcome;
}

Outcome conclude(const Session& session) {
  const auto files = session.output.found();
  Recording left = read_recording(files);
  if (std::string words = untraced(session.output, files.size()); !words.empty())
    left.problems.push_back(std::move(words));
  if (session.stopped && !left.processes.empty() && !session.arguments.quiet)
    say("the command was stopped; what it did until then is kept");
  if (!left.processes.empty()) return keep_what_there_is(session, std::move(left));
  for (const std::string& problem : left.problems) say(problem);
  if (!left.problems.empty()) return fail(ExitCode::environment, "nothing was recorded");
  if (!left.why_empty.empty()) return fail(ExitCode::environment, "nothing was recorded: " + left.why_empty);
  if (recordable_calls(session.log) > 0)
    return fail(ExitCode::environment, "the command used the simulated GPU, but the tracer recorded nothing");
  if (session.stopped) return fail(ExitCode::cannot_tell, "the command was stopped, and no CUDA call seen until then");
  return fail(ExitCode::cannot_tell,
              why_no_cuda(session.arguments.command, session.device.simulate, session.arguments.gpus, session.inbox));
}

// A condition that never holds, such as a mistyped line, would go unseen.
void check_values_used(const Session& session) {
  const RecordArguments& arguments = session.arguments;
  if (arguments.quiet || arguments.sim_values.empty() || !session.log.found || session.log.supplied_readbacks > 0)
    return;
  say(fmt::format("no read-back took a value from {}: do its conditions name places of this program?",
                  arguments.sim_values));
}

// After the command has ended.
Outcome finish(const ForegroundResult& ran, const Session& session) {
  check_values_used(session);
  Outcome outcome;
  try {
    if (!session.arguments.no_tracer) outcome = conclude(session);
  } catch (const std::exception& problem) {  // out of memory, mostly: not what was recorded should go as well
    outcome = left_behind(fmt::format("internal problem: {}", problem.what()), session.output);
  }
  if (ran.exit_code == 0) return outcome;
  outcome.code = static_cast<ExitCode>(ran.exit_code);
  if (session.arguments.quiet || !session.device.simulate || session.stopped) return outcome;
  for (const std::string& line : failure_lines(ran.exit_code, session.log, session.arguments.gpus)) say(line);
  return outcome;
}

// Recordings that were killed themselves: their traces are whole up to then, or still grow.
void say_what_killed_ones_left(const TraceOutput& output) {
  const fs::path folder = output.wanted().parent_path();
  for (const fs::path& left : kept_folders(folder.empty() ? "." : folder)) {
    const std::string name = (folder / left.filename()).string();
    say(fmt::format("a recording that was killed left a trace: zerostall stat {}; remove {} when you are done", name,
                    name));
  }
}

// The signal that switches recording may come before the program has used CUDA, or to us: neither is to die of it. The
// program inherits that until the tracer listens.
void ignore_toggle(std::string_view window) {
  constexpr std::string_view kSignal = "signal:";
  if (!window.starts_with(kSignal)) return;
  ::signal(std::atoi(std::string(window.substr(kSignal.size())).c_str()), SIG_IGN);
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
  if (auto refused = refuse_command(arguments.command.front())) return *refused;
  auto made = TraceOutput::make(arguments.no_tracer ? "" : arguments.output);
  if (const auto* failed = std::get_if<Outcome>(&made)) return *failed;
  auto& output = std::get<TraceOutput>(made);
  const Injection options = injection_of(arguments, device, output.logs());
  if (const auto parts = check_parts(options, *paths); !parts)
    return fail(ExitCode::environment, parts.error().message);

  ignore_toggle(arguments.window);
  if (device.simulate) say(simulated_warning(device));
  say_what_killed_ones_left(output);
  const auto ran = run_foreground({arguments.command, injection(options, *paths, output.growing())}, inbox);
  if (!ran) return fail(ExitCode::environment, ran.error().message);
  if (ran->error != 0) return cannot_start(arguments.command.front(), ran->error);
  return finish(*ran, {arguments, device, output, read_sim_logs(output.logs()), inbox, ran->stop_signal != 0});
}

}  // namespace zerostall::cli
