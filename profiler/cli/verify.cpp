#include "profiler/cli/verify.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "profiler/base/strings.h"
#include "profiler/cli/outputs.h"
#include "profiler/cli/report.h"
#include "profiler/cli/say.h"
#include "profiler/cli/verify_all.h"
#include "profiler/cli/verify_catalogue.h"
#include "profiler/cli/verify_job.h"
#include "profiler/cli/verify_plan.h"
#include "profiler/cli/verify_run.h"
#include "reports/verify_report.h"

namespace zerostall::cli {
namespace {

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
    show_progress(runs.size(), request.settings.size(), setting_name(setting.fixes));
    auto recorded = run_setting(request, setting, file_stem(setting), bench);
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
  if (options.all) return run_verify_all(options, *paths);
  if (options.catalogue) return run_verify_catalogue(options, *paths);
  auto request = plan_verify(options);
  if (!request) return fail(ExitCode::bad_use, request.error().message);
  auto outputs = outputs_of(options, kVerifyFormats);
  if (auto* failed = std::get_if<Outcome>(&outputs)) return std::move(*failed);
  const Show how{options.json, std::move(std::get<Outputs>(outputs))};
  // Made before anything that starts threads or leaves files; outlives what it lets us clean up.
  SignalInbox inbox;
  const auto chosen = choose_device(options.device, *paths);
  if (const auto* failed = std::get_if<Outcome>(&chosen)) return *failed;
  const auto& device = std::get<Device>(chosen);
  request->plan.device = device.name;
  request->plan.device_title = device.title;
  if (request->plan.steps - request->plan.warmup < kFewestJudgedSteps) return too_few_steps(request->plan, how);

  const auto program = existing_program(*paths);
  if (const auto* failed = std::get_if<Outcome>(&program)) return *failed;
  std::vector<std::string> names;
  for (const Setting& setting : request->settings) names.push_back(file_stem(setting));
  const auto traces = TraceFolder::make(options.keep, std::move(names));
  if (const auto* failed = std::get_if<Outcome>(&traces)) return *failed;
  if (device.simulate) say(simulated_warning(device));
  return run_all(*request,
                 {*paths, device, std::get<TraceFolder>(traces), std::get<std::filesystem::path>(program), inbox,
                  asks_for(options.out, "html")},
                 how);
}

}  // namespace zerostall::cli
