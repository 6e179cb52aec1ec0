#include "profiler/cli/verify.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "profiler/base/shown_path.h"
#include "profiler/base/strings.h"
#include "profiler/cli/device.h"
#include "profiler/cli/outputs.h"
#include "profiler/cli/report.h"
#include "profiler/cli/say.h"
#include "profiler/cli/trace_folder.h"
#include "profiler/cli/verify_job.h"
#include "profiler/cli/verify_plan.h"
#include "profiler/record/record.h"
#include "profiler/trace/read_native.h"
#include "reports/verify_report.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

// PyTorch's own switches that change which CUDA calls it makes. `verify` runs a defined job: what a user has set for
// the training at hand must not reach it (expandable_segments even asks for driver calls the simulated GPU does not
// have).
const std::set<std::string> kNotForScenarios = {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF",
                                                "PYTORCH_NO_CUDA_MEMORY_CACHING", "CUDA_LAUNCH_BLOCKING"};

// Everything a run needs to know.
struct Bench {
  const InstallPaths& paths;
  const Device& device;
  const TraceFolder& traces;
  fs::path program;
  SignalInbox& inbox;
  bool timelines;  // are made for a page
};

struct Recorded {
  VerifyRun run;
  TimelineBlob timeline;    // where one is made
  std::string tracer_said;  // why its trace ends early, where the tracer could tell
};

fs::path scenario_program(const InstallPaths& paths) {
  const char* other = std::getenv("ZEROSTALL_SCENARIO_PROGRAM");  // for tests
  return other != nullptr && *other != '\0' ? fs::path(other) : paths.scenario_program;
}

void progress(std::size_t run, std::size_t runs, const Setting& setting) {
  if (::isatty(STDERR_FILENO) != 1) return;
  // Not fmt::print: it throws where the terminal has gone away.
  std::fputs(fmt::format("[{}/{}] {} ...\n", run + 1, runs, setting_name(setting.fixes)).c_str(), stderr);
}

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

RecordOptions record_options(const VerifyRequest& request, const Setting& setting, const Bench& bench) {
  RecordOptions record;
  record.argv = {bench.program.string()};
  for (std::string& argument : scenario_arguments(request, setting)) record.argv.push_back(std::move(argument));
  record.without = kNotForScenarios;
  record.trace_file = bench.traces.trace(file_stem(setting));
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
Result<RunSummary> read_summary(const fs::path& trace, const std::string& shown, std::int64_t warmup,
                                TimelineBlob* timeline) {
  auto raw = read_native(trace);
  if (!raw) return Error{fmt::format("the tracer left a trace that cannot be read: {}", raw.error().message)};
  Analyzed all = analyze_keeping(std::move(*raw), {shown, warmup});
  RunSummary& summary = all.run;
  if (const auto& problems = summary.tool_problems; !problems.empty() && !summary.has_cuda_calls)
    return Error{fmt::format("the tracer could not attach: {}", problems.front())};
  if (timeline != nullptr) *timeline = timeline_of(all, kTimelineBytes);
  return std::move(summary);
}

// Runs one setting and analyses its trace; without one the summary stays empty.
std::variant<Recorded, Outcome> run_setting(const VerifyRequest& request, const Setting& setting, const Bench& bench) {
  const RecordOptions record = record_options(request, setting, bench);
  const std::string name = setting_name(setting.fixes);
  const auto ran = run_program(record, name, bench);
  if (const auto* failed = std::get_if<Outcome>(&ran)) return *failed;
  const auto& [child, has_trace] = std::get<RecordOutcome>(ran);
  std::string said = tracer_problem(child.err);
  if (!said.empty()) said = fmt::format("{}: {} (traces grow in {})", name, said, shown_path(bench.traces.place()));

  TimelineBlob timeline;
  auto summary = has_trace ? read_summary(record.trace_file, bench.traces.kept(file_stem(setting)), request.plan.warmup,
                                          bench.timelines ? &timeline : nullptr)
                           : Result<RunSummary>(RunSummary{});
  if (!said.empty() && (!summary || !summary->has_cuda_calls)) return fail(ExitCode::environment, said);
  if (!summary) return fail(ExitCode::environment, summary.error().message);
  return Recorded{{setting.fixes, std::move(*summary)}, std::move(timeline), std::move(said)};
}

ExitCode code_of(Verdict verdict) {
  return verdict == Verdict::pass        ? ExitCode::ok
         : verdict == Verdict::violation ? ExitCode::violation
                                         : ExitCode::cannot_tell;
}

constexpr std::string_view kFormats[] = {"text", "md", "json", "junit", "html"};

std::string render(const VerifyReport& report, const VerifyTimelines& timelines, std::string_view format) {
  return format == "json"    ? render_verify_json(report)
         : format == "md"    ? render_verify_markdown(report)
         : format == "junit" ? render_verify_junit(report)
         : format == "html"  ? html_of_verify(report, timelines)
                             : render_verify_text(report);
}

// What is printed, and where else it goes.
struct Show {
  bool json = false;
  Outputs outputs;
};

// `text`: print that where neither JSON nor another format was asked for.
void show(const VerifyReport& report, const VerifyTimelines& timelines, const Show& how, bool text, Outcome& outcome) {
  if (how.json || text) outcome.out = render(report, timelines, how.json ? "json" : "text");
  auto written = how.outputs.write([&](std::string_view format, bool) { return render(report, timelines, format); });
  if (!written) {
    outcome = {ExitCode::bad_use, std::move(outcome.out), written.error().message};
  } else if (how.outputs.has_standard_output()) {
    outcome.out = std::move(*written);
  }
}

Outcome conclude(const VerifyRequest& request, std::vector<VerifyRun> runs, const VerifyTimelines& timelines,
                 const Show& how) {
  VerifyReport report{request.plan, std::move(runs), {}};
  report.judgement = judge_verify(report.plan, report.runs);
  Outcome outcome{code_of(report.judgement.verdict), {}, {}};
  const bool used_cuda = !report.runs.empty() && report.runs.back().summary.has_cuda_calls;
  show(report, timelines, how, used_cuda, outcome);
  if (outcome.code == ExitCode::bad_use) return outcome;
  if (!used_cuda)
    outcome.error =
        "the scenario program ran but never called CUDA, so there is nothing to count: build it against a LibTorch "
        "with CUDA (./dev build)";
  return outcome;
}

Outcome run_all(const VerifyRequest& request, const Bench& bench, const Show& how) {
  std::vector<VerifyRun> runs;
  VerifyTimelines timelines;
  std::string cut;  // why the last trace is not whole, as far as is known
  bool whole = true;
  for (const Setting& setting : request.settings) {
    progress(runs.size(), request.settings.size(), setting);
    auto recorded = run_setting(request, setting, bench);
    if (auto* failed = std::get_if<Outcome>(&recorded)) return std::move(*failed);
    if (bench.inbox.asks_to_stop()) return interrupted_by(bench.inbox.stop_signal());
    auto& [run, timeline, tracer_said] = std::get<Recorded>(recorded);
    (runs.empty() ? timelines.first : timelines.last) = std::move(timeline);
    whole = run.summary.has_cuda_calls && !run.summary.truncated;
    if (!whole) cut = std::move(tracer_said);
    runs.push_back(std::move(run));
    if (!whole) break;  // the other settings would say the same
  }
  Outcome outcome = conclude(request, std::move(runs), timelines, how);
  if (!cut.empty() && outcome.code != ExitCode::bad_use) outcome.error = cut;
  if (!whole) return outcome;
  if (const auto kept = bench.traces.keep(); !kept) {
    outcome.code = ExitCode::bad_use;
    outcome.error = fmt::format("--keep: {}", kept.error().message);
  }
  return outcome;
}

// Too few steps to judge whatever the runs would show: said once, without running anything.
Outcome too_few_steps(const VerifyPlan& plan, const Show& how) {
  const std::string why = fmt::format(
      "--steps {} leaves {} to judge after {} of warm-up, at least {} are needed to tell: use --steps {} or more",
      plan.steps, counted(plan.steps - plan.warmup, "step"), plan.warmup, kFewestJudgedSteps,
      plan.warmup + kFewestJudgedSteps);
  Outcome outcome = fail(ExitCode::cannot_tell, why);
  show({plan, {}, {Verdict::cannot_tell, {{Verdict::cannot_tell, why}}, {}}}, {}, how, false, outcome);
  return outcome;
}

}  // namespace

Outcome run_verify(const VerifyOptions& options) {
  const auto paths = own_paths();
  if (!paths) return fail(ExitCode::environment, paths.error().message);
  if (options.list) return {ExitCode::ok, list_jobs(model_names(*paths)), {}};
  auto request = plan_verify(options);
  if (!request) return fail(ExitCode::bad_use, request.error().message);
  auto outputs = Outputs::make(options.out, kFormats);
  if (!outputs) return fail(ExitCode::bad_use, outputs.error().message);
  if (options.json && outputs->has_standard_output())
    return fail(ExitCode::bad_use, "--json and --out FORMAT=- cannot both go to standard output");
  const Show how{options.json, std::move(*outputs)};
  // Made before anything that starts threads or leaves files; outlives what it lets us clean up.
  SignalInbox inbox;
  const auto chosen = choose_device(options.device, *paths);
  if (const auto* failed = std::get_if<Outcome>(&chosen)) return *failed;
  const auto& device = std::get<Device>(chosen);
  request->plan.device = device.name;
  request->plan.device_title = device.title;
  if (request->plan.steps - request->plan.warmup < kFewestJudgedSteps) return too_few_steps(request->plan, how);

  const fs::path program = scenario_program(*paths);
  if (std::error_code error; !fs::exists(program, error))
    return fail(ExitCode::environment,
                fmt::format("the scenario program is missing ({}): build it with ./dev build", shown_path(program)));
  std::vector<std::string> names;
  for (const Setting& setting : request->settings) names.push_back(file_stem(setting));
  const auto traces = TraceFolder::make(options.keep, std::move(names));
  if (const auto* failed = std::get_if<Outcome>(&traces)) return *failed;
  if (device.simulate) say(simulated_warning(device));
  return run_all(*request,
                 {*paths, device, std::get<TraceFolder>(traces), program, inbox, asks_for(options.out, "html")}, how);
}

}  // namespace zerostall::cli
