#include "profiler/cli/verify.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "profiler/base/files.h"
#include "profiler/base/strings.h"
#include "profiler/cli/device.h"
#include "profiler/cli/verify_plan.h"
#include "profiler/record/record.h"
#include "profiler/trace/read_native.h"
#include "reports/verify_report.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

// Where the traces go, and everything a run needs to know.
struct Bench {
  InstallPaths paths;
  Device device;
  fs::path folder;
  fs::path program;
  SignalInbox inbox;
};

fs::path scenario_program(const InstallPaths& paths) {
  const char* other = std::getenv("ZEROSTALL_SCENARIO_PROGRAM");  // for tests
  return other != nullptr && *other != '\0' ? fs::path(other) : paths.scenario_program;
}

void progress(std::size_t run, std::size_t runs, const Setting& setting) {
  if (::isatty(STDERR_FILENO) == 1) fmt::print(stderr, "[{}/{}] {} ...\n", run + 1, runs, setting_name(setting.fixes));
}

std::string how_it_ended(const ChildResult& child) {
  const std::string last = last_lines(child.err.empty() ? child.out : child.err, 3);
  const std::string code =
      child.exit_code > 128 ? fmt::format("was killed by signal {} (code {})", child.exit_code - 128, child.exit_code)
                            : fmt::format("exited with code {}", child.exit_code);
  return code + (last.empty() ? " and said nothing" : ": " + last);
}

// Runs one setting and analyses its trace.
std::variant<VerifyRun, Outcome> run_setting(const VerifyRequest& request, const Setting& setting, Bench& bench) {
  RecordOptions record;
  record.argv = {bench.program.string()};
  for (std::string& argument : scenario_arguments(request, setting)) record.argv.push_back(std::move(argument));
  record.trace = bench.folder / (file_stem(setting) + ".zstall");
  record.simulate = bench.device.simulate;
  record.model = bench.device.model;
  std::error_code ignored;
  fs::remove(record.trace, ignored);  // what an earlier verify kept here must not pass for ours

  const auto outcome = record_run(record, bench.paths, bench.inbox);
  if (!outcome) return fail(ExitCode::environment, outcome.error().message);
  if (outcome->child.interrupted) return fail(ExitCode::interrupted, "interrupted");
  if (outcome->child.exit_code != 0) {
    fs::remove(record.trace, ignored);
    return fail(ExitCode::environment, fmt::format("{} ({}) {}", bench.program.filename().string(),
                                                   setting_name(setting.fixes), how_it_ended(outcome->child)));
  }
  VerifyRun run{setting.fixes, {}};
  if (!outcome->has_trace) return run;
  auto raw = read_native(record.trace);
  if (!raw)
    return fail(ExitCode::environment,
                fmt::format("the tracer left a trace that cannot be read: {}", raw.error().message));
  run.summary = analyze(std::move(*raw), {record.trace.string(), request.plan.warmup});
  if (const auto& problems = run.summary.tool_problems; !problems.empty() && !run.summary.has_cuda_calls)
    return fail(ExitCode::environment, fmt::format("the tracer could not attach: {}", problems.front()));
  return run;
}

ExitCode code_of(Verdict verdict) {
  return verdict == Verdict::pass        ? ExitCode::ok
         : verdict == Verdict::violation ? ExitCode::violation
                                         : ExitCode::cannot_tell;
}

Outcome conclude(const VerifyRequest& request, std::vector<VerifyRun> runs, bool json) {
  VerifyReport report{request.plan, std::move(runs), {}};
  report.judgement = judge_verify(report.plan, report.runs);
  Outcome outcome{code_of(report.judgement.verdict), {}, {}};
  const bool used_cuda = !report.runs.empty() && report.runs.back().summary.has_cuda_calls;
  if (json)
    outcome.out = render_verify_json(report);
  else if (used_cuda)
    outcome.out = render_verify_text(report);
  if (!used_cuda)
    outcome.error =
        "the scenario program never called CUDA, so there is nothing to count: check that it runs on --device cuda";
  return outcome;
}

Outcome run_all(const VerifyRequest& request, Bench& bench, bool json) {
  std::vector<VerifyRun> runs;
  for (const Setting& setting : request.settings) {
    progress(runs.size(), request.settings.size(), setting);
    auto run = run_setting(request, setting, bench);
    if (auto* failed = std::get_if<Outcome>(&run)) return std::move(*failed);
    runs.push_back(std::move(std::get<VerifyRun>(run)));
    if (bench.inbox.asks_to_stop()) return fail(ExitCode::interrupted, "interrupted");
    if (!runs.back().summary.has_cuda_calls) break;  // the other settings would say the same
  }
  return conclude(request, std::move(runs), json);
}

}  // namespace

Outcome run_verify(const VerifyOptions& options) {
  const auto paths = own_paths();
  if (!paths) return fail(ExitCode::environment, paths.error().message);
  if (options.list) return {ExitCode::ok, list_scenarios(model_names(*paths)), {}};
  auto request = plan_verify(options);
  if (!request) return fail(ExitCode::bad_use, request.error().message);
  auto device = choose_device(options.device, *paths);
  if (auto* failed = std::get_if<Outcome>(&device)) return std::move(*failed);
  request->plan.device = std::get<Device>(device).name;
  request->plan.device_title = std::get<Device>(device).title;

  const fs::path program = scenario_program(*paths);
  if (std::error_code error; !fs::exists(program, error))
    return fail(ExitCode::environment,
                fmt::format("the scenario program is missing ({}): build it with ./dev build", program.string()));
  std::optional<TempFolder> temporary;
  if (options.keep.empty()) {
    auto made = TempFolder::make();
    if (!made) return fail(ExitCode::environment, made.error().message);
    temporary.emplace(std::move(*made));
  } else if (const auto writable = make_writable_folder(options.keep); !writable) {
    return fail(ExitCode::bad_use, fmt::format("--keep: {}", writable.error().message));
  }
  Bench bench{
      *paths, std::get<Device>(std::move(device)), temporary ? temporary->path() : fs::path(options.keep), program, {}};
  return run_all(*request, bench, options.json);
}

}  // namespace zerostall::cli
