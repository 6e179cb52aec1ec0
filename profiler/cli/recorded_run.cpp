#include "profiler/cli/recorded_run.h"

#include <fmt/format.h>

#include <utility>

#include "profiler/base/sim_values.h"
#include "profiler/base/strings.h"
#include "profiler/cli/advice.h"
#include "profiler/cli/processes.h"
#include "profiler/cli/say.h"
#include "profiler/record/foreground.h"
#include "profiler/record/record.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

// How the program ended, whichever way it was run.
struct Ended {
  int exit_code = 0;
  int stop_signal = 0;    // that told us to stop; 0 = none
  std::string last_said;  // of a quiet run
};

Injection injection_of(const RecorderSettings& settings, const Device& device, const fs::path& logs) {
  Injection options;
  options.simulate = device.simulate;
  if (!device.simulate) return options;
  options.model = device.model;
  options.gpus = static_cast<int>(settings.gpus);
  options.sim_values = settings.sim_values;
  options.sim_log = logs;
  options.seed = settings.seed;
  return options;
}

std::variant<Ended, Outcome> run_shown(const ChildCommand& command, SignalInbox& inbox) {
  const auto ran = run_foreground(command, inbox);
  if (!ran) return fail(ExitCode::environment, ran.error().message);
  if (ran->error != 0) return cannot_start(command.argv.front(), ran->error);
  return Ended{ran->exit_code, ran->stop_signal, {}};
}

std::variant<Ended, Outcome> run_quietly(const ChildCommand& command, SignalInbox& inbox) {
  const auto ran = run_child(command, inbox);
  if (!ran) return fail(ExitCode::environment, ran.error().message);
  return Ended{ran->exit_code, ran->interrupted ? inbox.stop_signal() : 0,
               last_lines(ran->err.empty() ? ran->out : ran->err, 3)};
}

// metrics.md: the child's code is shown, ours is 4.
Outcome child_failed(const std::vector<std::string>& command, const Ended& ended) {
  const std::string how = ended.exit_code > 128
                              ? fmt::format("was killed by signal {} (code {})", ended.exit_code - 128, ended.exit_code)
                              : fmt::format("exited with code {}", ended.exit_code);
  return fail(ExitCode::environment, fmt::format("the command failed: {} {}{}", command.front(), how,
                                                 ended.last_said.empty() ? "" : ": " + ended.last_said));
}

// Of a command that used CUDA as far as its traces tell.
Result<std::string> keep_traces(const Recording& left, const TraceOutput& output) {
  std::vector<FinishedTrace> finished;
  bool whole = left.problems.empty();
  for (const RecordedProcess& process : left.processes) {
    finished.push_back({process.file, process.run.name});
    whole = whole && !process.run.summary.truncated;
  }
  const auto placed = output.place(finished, whole);
  if (!placed) return placed.error();
  if (*placed != output.wanted())
    say(fmt::format("{} was left as it is: this recording is {}", output.wanted().string(), placed->string()));
  return placed->string();
}

// Nothing to read that should be there; nullopt: the program made no call.
std::optional<Outcome> nothing_recorded(const Recording& left, const SimLog& log) {
  const auto environment = [](std::string why) { return fail(ExitCode::environment, std::move(why)); };
  if (!left.problems.empty()) return environment("nothing was recorded: " + join(left.problems, "; "));
  if (!left.why_empty.empty()) return environment("nothing was recorded: " + left.why_empty);
  if (recordable_calls(log) > 0)
    return environment("the command used the simulated GPU, but the tracer recorded nothing");
  return std::nullopt;
}

bool gave_simulator_settings(const RecorderSettings& settings) {
  return settings.gpus != 1 || !settings.sim_values.empty() || settings.seed;
}

}  // namespace

std::variant<Recorder, Outcome> Recorder::make(const RecorderSettings& settings) {
  auto paths = own_paths();
  if (!paths) return fail(ExitCode::environment, paths.error().message);
  auto inbox = std::make_unique<SignalInbox>();  // before anything that starts threads or leaves files
  auto chosen = choose_device(settings.device, *paths);
  if (auto* failed = std::get_if<Outcome>(&chosen)) return std::move(*failed);
  auto& device = std::get<Device>(chosen);
  if (!device.simulate && gave_simulator_settings(settings))
    say("gpus, sim_values and seed are for the simulated GPU, and left out on this one");
  std::string problem;
  if (device.simulate && !settings.sim_values.empty() && !load_sim_values(settings.sim_values, &problem))
    return fail(ExitCode::bad_use, problem);
  if (const auto parts = check_parts(injection_of(settings, device, {}), *paths); !parts)
    return fail(ExitCode::environment, parts.error().message);
  if (device.simulate) say(simulated_warning(device));
  return Recorder(settings, std::move(*paths), std::move(device), std::move(inbox));
}

// What the simulated GPU knows of a program that failed.
void Recorder::say_what_simulated(int exit_code, const SimLog& log) const {
  if (!device_.simulate) return;
  const auto lines = failure_lines(exit_code, log, settings_.gpus);
  for (std::size_t i = 1; i < lines.size(); ++i) say(lines[i]);  // the first is the exit code
}

std::variant<RecordedRun, Outcome> Recorder::run(const std::vector<std::string>& command,
                                                 const RecordingOptions& options, const std::string& keep) {
  if (auto refused = refuse_command(command.front())) return std::move(*refused);
  auto made = keep.empty() ? TraceOutput::make_temporary() : TraceOutput::make(keep);
  if (auto* failed = std::get_if<Outcome>(&made)) return std::move(*failed);
  auto& output = std::get<TraceOutput>(made);
  ChildCommand child{command, injection(injection_of(settings_, device_, output.logs()), paths_, output.growing())};
  child.out_to_err = !settings_.quiet;
  const auto ran = settings_.quiet ? run_quietly(child, *inbox_) : run_shown(child, *inbox_);
  if (const auto* failed = std::get_if<Outcome>(&ran)) return *failed;
  const auto& ended = std::get<Ended>(ran);

  const auto files = output.found();
  Recording left = read_recording(files, options);
  if (std::string words = untraced(output, files.size()); !words.empty()) left.problems.push_back(std::move(words));
  RecordedRun run;
  if (!keep.empty() && !left.processes.empty()) {
    auto kept = keep_traces(left, output);
    if (!kept) return fail(ExitCode::environment, kept.error().message);
    run.trace = std::move(*kept);
  }
  if (ended.stop_signal != 0) return interrupted_by(ended.stop_signal);
  const SimLog log = read_sim_logs(output.logs());
  if (ended.exit_code != 0) {
    say_what_simulated(ended.exit_code, log);
    return child_failed(command, ended);
  }
  if (left.processes.empty()) {
    if (auto problem = nothing_recorded(left, log)) return std::move(*problem);
    run.why_empty = why_no_cuda(command, device_.simulate, settings_.gpus, *inbox_);
  }
  for (RecordedProcess& process : left.processes) {
    process.run.summary.path = run.trace;
    run.processes.push_back(std::move(process.run));
  }
  run.problems = std::move(left.problems);
  if (std::string missing = missing_ranks(run.processes); !missing.empty()) run.problems.push_back(std::move(missing));
  return run;
}

}  // namespace zerostall::cli
