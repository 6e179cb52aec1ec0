#include "profiler/cli/verify_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>

#include "profiler/base/shown_path.h"
#include "profiler/base/strings.h"
#include "profiler/cli/report.h"
#include "profiler/trace/read_native.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

// PyTorch's own switches that change which CUDA calls it makes. `verify` runs a defined job: what a user has set for
// the training at hand must not reach it (expandable_segments even asks for driver calls the simulated GPU does not
// have).
const std::set<std::string> kNotForScenarios = {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF",
                                                "PYTORCH_NO_CUDA_MEMORY_CACHING", "CUDA_LAUNCH_BLOCKING"};

// What the tracer told the program's standard error about not being able to write; "" = nothing.
std::string tracer_problem(std::string_view err) {
  constexpr std::string_view kSender = "[zerostall] ";
  for (const std::string_view said : {"[zerostall] the trace ends early: ", "[zerostall] tracing is off: "})
    if (const std::size_t at = err.find(said); at != std::string_view::npos) {
      const std::string_view rest = err.substr(at + kSender.size());
      return last_lines(rest.substr(0, rest.find('\n')), 1);
    }
  return {};
}

std::string how_it_ended(const ChildResult& child) {
  const std::string last = last_lines(child.err.empty() ? child.out : child.err, 3);
  const std::string code =
      child.exit_code > 128 ? fmt::format("was killed by signal {} (code {})", child.exit_code - 128, child.exit_code)
                            : fmt::format("exited with code {}", child.exit_code);
  return code + (last.empty() ? " and said nothing" : ": " + last);
}

RecordOptions record_options(const std::vector<std::string>& arguments, const std::string& file, const Bench& bench) {
  RecordOptions record;
  record.argv = {bench.program.string()};
  record.argv.insert(record.argv.end(), arguments.begin(), arguments.end());
  record.without = kNotForScenarios;
  record.trace_file = bench.traces.trace(file);
  record.simulate = bench.device.simulate;
  record.model = bench.device.model;
  return record;
}

// Runs the program to a good end.
std::variant<RecordOutcome, Outcome> run_program(const RecordOptions& record, const std::string& setting,
                                                 const Bench& bench) {
  const auto outcome = record_run(record, bench.paths, bench.inbox);
  if (!outcome) return fail(ExitCode::environment, outcome.error().message);
  if (outcome->child.interrupted) return interrupted_by(bench.inbox.stop_signal());
  if (outcome->child.exit_code == 0) return *outcome;
  return fail(ExitCode::environment,
              fmt::format("{} ({}) {}", bench.program.filename().string(), setting, how_it_ended(outcome->child)));
}

// `shown`: what the trace is called in the report.
Result<RunSummary> summary_of(RawTrace trace, const std::string& shown, std::int64_t warmup, TimelineBlob* timeline) {
  Analyzed all = analyze_keeping(std::move(trace), {shown, warmup});
  RunSummary& summary = all.run;
  if (const auto& problems = summary.tool_problems; !problems.empty() && !summary.has_cuda_calls)
    return Error{fmt::format("the tracer could not attach: {}", problems.front())};
  if (timeline != nullptr) *timeline = timeline_of(all, kTimelineBytes);
  return std::move(summary);
}

}  // namespace

std::variant<fs::path, Outcome> existing_program(const InstallPaths& paths) {
  const char* other = std::getenv("ZEROSTALL_SCENARIO_PROGRAM");  // for tests
  fs::path program = other != nullptr && *other != '\0' ? fs::path(other) : paths.scenario_program;
  if (std::error_code error; fs::exists(program, error)) return program;
  return fail(
      ExitCode::environment,
      fmt::format("the scenario program is missing ({}): it needs LibTorch, and is not in packages; ./dev build in "
                  "zerostall's sources makes it",
                  shown_path(program)));
}

std::variant<Ready, Outcome> get_ready(const VerifyOptions& options, const InstallPaths& paths) {
  const auto chosen = choose_device(options.device, paths);
  if (const auto* failed = std::get_if<Outcome>(&chosen)) return *failed;
  const auto program = existing_program(paths);
  if (const auto* failed = std::get_if<Outcome>(&program)) return *failed;
  return Ready{std::get<Device>(chosen), std::get<fs::path>(program)};
}

std::variant<Outputs, Outcome> outputs_of(const VerifyOptions& options, std::span<const std::string_view> formats) {
  auto outputs = Outputs::make(options.out, formats);
  if (!outputs) return fail(ExitCode::bad_use, outputs.error().message);
  if (options.json && outputs->has_standard_output())
    return fail(ExitCode::bad_use, "--json and --out FORMAT=- cannot both go to standard output");
  return std::move(*outputs);
}

Outcome show_report(ExitCode code, const VerifyOptions& options, const Outputs& outputs,
                    const std::function<std::string(std::string_view format)>& render) {
  Outcome outcome{code, render(options.json ? "json" : "text"), {}};
  auto written = outputs.write([&](std::string_view format, bool) { return render(format); });
  if (!written) return {ExitCode::bad_use, std::move(outcome.out), written.error().message};
  if (outputs.has_standard_output()) outcome.out = std::move(*written);
  return outcome;
}

Outcome keep_traces(const TraceFolder& traces, Outcome outcome) {
  const auto kept = traces.keep();
  if (kept) return outcome;
  return {ExitCode::bad_use, std::move(outcome.out), fmt::format("--keep: {}", kept.error().message)};
}

void show_progress(std::size_t run, std::size_t runs, const std::string& name) {
  if (::isatty(STDERR_FILENO) != 1) return;
  // Not fmt::print: it throws where the terminal has gone away.
  std::fputs(fmt::format("[{}/{}] {} ...\n", run + 1, runs, name).c_str(), stderr);
}

std::variant<RecordedTrace, Outcome> run_recorded(const std::vector<std::string>& arguments, const std::string& name,
                                                  const std::string& file, const Bench& bench) {
  const RecordOptions record = record_options(arguments, file, bench);
  const auto ran = run_program(record, name, bench);
  if (const auto* failed = std::get_if<Outcome>(&ran)) return *failed;
  const auto& [child, has_trace] = std::get<RecordOutcome>(ran);
  RecordedTrace recorded;
  if (const std::string said = tracer_problem(child.err); !said.empty())
    recorded.tracer_said = fmt::format("{}: {} (traces grow in {})", name, said, shown_path(bench.traces.place()));
  if (!has_trace) return recorded;
  auto raw = read_native(record.trace_file);
  if (raw) {
    recorded.trace = std::move(*raw);
  } else if (recorded.tracer_said.empty()) {
    return fail(ExitCode::environment,
                fmt::format("the tracer left a trace that cannot be read: {}", raw.error().message));
  } else {
    return fail(ExitCode::environment, recorded.tracer_said);
  }
  return recorded;
}

std::variant<Recorded, Outcome> run_setting(const VerifyRequest& request, const Setting& setting,
                                            const std::string& file, const Bench& bench) {
  auto ran = run_recorded(scenario_arguments(request, setting), setting_name(setting.fixes), file, bench);
  if (auto* failed = std::get_if<Outcome>(&ran)) return std::move(*failed);
  auto& [trace, said] = std::get<RecordedTrace>(ran);
  TimelineBlob timeline;
  auto summary = trace ? summary_of(std::move(*trace), bench.traces.kept(file), request.plan.warmup,
                                    bench.timelines ? &timeline : nullptr)
                       : Result<RunSummary>(RunSummary{});
  if (!said.empty() && (!summary || !summary->has_cuda_calls)) return fail(ExitCode::environment, said);
  if (!summary) return fail(ExitCode::environment, summary.error().message);
  return Recorded{{setting.fixes, std::move(*summary)}, std::move(timeline), std::move(said)};
}

}  // namespace zerostall::cli
