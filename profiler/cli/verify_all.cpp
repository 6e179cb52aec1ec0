#include "profiler/cli/verify_all.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/cli/say.h"
#include "profiler/cli/verify_job.h"
#include "profiler/cli/verify_run.h"
#include "reports/verify_all_report.h"

namespace zerostall::cli {
namespace {

// What beside the plain step has waits of its own that a fix removes: shown on the first model.
constexpr const char* kVariations[] = {"resume", "ema=cpu", "precision=fp16", "weights=fp8"};

struct Job {
  VerifyRequest request;
  std::string name;  // begins the names of its traces: "flux2-klein-9b-ema-cpu"
};

bool is_tiny(std::string_view size) { return size.ends_with("tiny"); }

Result<Done> add_job(VerifyOptions options, const scenarios::Scenario& scenario, std::string_view size,
                     const std::string& with, std::vector<Job>& jobs) {
  options.scenario = scenario.name;
  options.size = size;
  options.fixes = {"all"};
  if (!with.empty()) options.with.push_back(with);
  auto request = plan_verify(options);
  if (!request) return request.error();
  std::string name = fmt::format("{}-{}{}{}", scenario.name, size, with.empty() ? "" : "-", with);
  std::replace(name.begin(), name.end(), '=', '-');
  jobs.push_back({std::move(*request), std::move(name)});
  return Done{};
}

Result<std::vector<Job>> plan_all(const VerifyOptions& options) {
  if (!options.fixes.empty() || !options.sabotage.empty())
    return Error{"verify --all runs every fix that applies: leave --fix and --sabotage out"};
  if (!options.size.empty() && options.size != "tiny")
    return Error{fmt::format(
        "verify --all runs every model in full size, or with --size tiny in a small form; not '{}'", options.size)};
  const bool tiny = !options.size.empty();
  const scenarios::Scenario& first = scenarios::all().front();
  std::vector<Job> jobs;
  for (const scenarios::Scenario& scenario : scenarios::all())
    for (const scenarios::Size& size : scenario.sizes)
      if (is_tiny(size.name) == tiny)
        if (const auto added = add_job(options, scenario, size.name, "", jobs); !added) return added.error();
  for (const char* variation : kVariations)
    if (const auto added = add_job(options, first, tiny ? "tiny" : first.default_size, variation, jobs); !added)
      return added.error();
  return jobs;
}

constexpr std::string_view kFormats[] = {"text", "md", "json", "junit"};

std::string render(const VerifyAllReport& report, std::string_view format) {
  return format == "json"    ? render_verify_all_json(report)
         : format == "md"    ? render_verify_all_markdown(report)
         : format == "junit" ? render_verify_all_junit(report)
                             : render_verify_all_text(report);
}

std::variant<VerifyAllReport, Outcome> run_jobs(const std::vector<Job>& jobs, const Bench& bench) {
  VerifyAllReport report;
  std::size_t all = 0, done = 0;
  for (const Job& job : jobs) all += job.request.settings.size();
  for (const Job& job : jobs) {
    VerifyReport one{job.request.plan, {}, {}};
    for (const Setting& setting : job.request.settings) {
      show_progress(done++, all, fmt::format("{}: {}", job.name, setting_name(setting.fixes)));
      auto recorded = run_setting(job.request, setting, job.name + "-" + file_stem(setting), bench);
      if (auto* failed = std::get_if<Outcome>(&recorded)) return std::move(*failed);
      if (bench.inbox.asks_to_stop()) return interrupted_by(bench.inbox.stop_signal());
      one.runs.push_back(std::move(std::get<Recorded>(recorded).run));
    }
    one.judgement = judge_verify(one.plan, one.runs);
    report.jobs.push_back(std::move(one));
  }
  return report;
}

// Names of all traces, and the device into the plans.
std::vector<std::string> prepare(std::vector<Job>& jobs, const Device& device) {
  std::vector<std::string> names;
  for (Job& job : jobs) {
    job.request.plan.device = device.name;
    job.request.plan.device_title = device.title;
    for (const Setting& setting : job.request.settings) names.push_back(job.name + "-" + file_stem(setting));
  }
  return names;
}

}  // namespace

Outcome run_verify_all(const VerifyOptions& options, const InstallPaths& paths) {
  auto jobs = plan_all(options);
  if (!jobs) return fail(ExitCode::bad_use, jobs.error().message);
  const auto outputs = outputs_of(options, kFormats);
  if (const auto* failed = std::get_if<Outcome>(&outputs)) return *failed;
  SignalInbox inbox;
  const auto ready = get_ready(options, paths);
  if (const auto* failed = std::get_if<Outcome>(&ready)) return *failed;
  const auto& [device, program] = std::get<Ready>(ready);
  const auto folder = TraceFolder::make(options.keep, prepare(*jobs, device));
  if (const auto* failed = std::get_if<Outcome>(&folder)) return *failed;
  const auto& traces = std::get<TraceFolder>(folder);
  if (device.simulate) say(simulated_warning(device));

  const auto ran = run_jobs(*jobs, {paths, device, traces, program, inbox});
  if (const auto* failed = std::get_if<Outcome>(&ran)) return *failed;
  const auto& report = std::get<VerifyAllReport>(ran);
  return keep_traces(traces, show_report(code_of(verdict_of(report)), options, std::get<Outputs>(outputs),
                                         [&](std::string_view format) { return render(report, format); }));
}

}  // namespace zerostall::cli
