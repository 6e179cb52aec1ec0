#include "profiler/cli/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <variant>

#include "profiler/base/files.h"
#include "profiler/base/strings.h"
#include "profiler/cli/baseline_source.h"
#include "profiler/cli/check_parts.h"
#include "profiler/cli/processes.h"
#include "profiler/cli/recorded_run.h"
#include "profiler/cli/say.h"
#include "profiler/gate/baseline_file.h"
#include "reports/baseline_text.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

// What the program does now; without a doubt.
std::variant<Baseline, Outcome> record_now(const Policy& policy) {
  auto made = Recorder::make(recorder_settings(policy));
  if (auto* failed = std::get_if<Outcome>(&made)) return std::move(*failed);
  auto run = std::get<Recorder>(made).run(policy.run.command, recording_options(policy));
  if (auto* failed = std::get_if<Outcome>(&run)) return std::move(*failed);
  const auto& recorded = std::get<RecordedRun>(run);
  return baseline_of(recorded.processes, policy.run, join(problems_of(recorded), "; "));
}

std::variant<Baseline, Outcome> baseline_now(const BaselineOptions& options, const Policy& policy) {
  if (options.trace.empty() && policy.run.command.empty())
    return fail(ExitCode::bad_use,
                policy.file.empty()
                    ? "nothing to make a baseline of: name a trace (zerostall baseline update run.zstall), or a policy "
                      "that has a command (zerostall init -- COMMAND)"
                    : fmt::format("{} has no `command` in [run]: name a trace, zerostall baseline update run.zstall",
                                  policy.file));
  if (options.trace.empty()) return record_now(policy);
  const auto read = read_traces(options.trace, policy.run);
  if (!read) return fail(ExitCode::bad_use, read.error().message);
  return baseline_of(read->runs, policy.run, read->unreadable);
}

std::optional<Outcome> write(const std::string& target, const Baseline& baseline, std::string& out) {
  const auto written = write_file(target, render_baseline(baseline));
  if (!written) return fail(ExitCode::bad_use, written.error().message);
  out += fmt::format("wrote {}: {}\n", target, baseline_headline(baseline));
  return std::nullopt;
}

Outcome write_first(const std::string& target, const Baseline& now) {
  Outcome outcome;
  if (auto failed = write(target, now, outcome.out)) return std::move(*failed);
  outcome.out += render_baseline_text(now);
  return outcome;
}

Outcome update_old(const std::string& target, const Baseline& old, const Baseline& now, bool accept_more) {
  Outcome outcome;
  if (const std::string why = why_not_comparable(old, now); !why.empty()) {
    if (!accept_more) return fail(ExitCode::cannot_tell, why + "; to replace it: --accept-more; to keep both: -o FILE");
    say(why + "; replaced");
    return write_first(target, now);
  }
  const auto changes = changes_between(old, now);
  outcome.out = render_baseline_changes(changes);
  const auto worse = std::count_if(changes.begin(), changes.end(), [](const BaselineChange& c) { return c.worse; });
  if (worse > 0 && !accept_more) {
    outcome.code = ExitCode::violation;
    outcome.error =
        fmt::format("{} got worse, and {} stays as it is: remove the waits, or accept them with --accept-more",
                    counted(worse, "count"), target);
    return outcome;
  }
  const Baseline result = tightened(old, now, accept_more);
  if (result == old) {
    outcome.out += fmt::format("{} holds, and stays as it is: {}\n", target, baseline_headline(old));
    return outcome;
  }
  if (auto failed = write(target, result, outcome.out)) return std::move(*failed);
  return outcome;
}

Outcome update(const BaselineOptions& options) {
  const auto policy = policy_for(options.steps);
  if (!policy) return fail(ExitCode::bad_use, policy.error().message);
  const std::string target = !options.output.empty()     ? options.output
                             : !policy->baseline.empty() ? policy->baseline
                                                         : kBaselineFile;
  std::error_code error;
  std::optional<Baseline> old;
  if (fs::exists(target, error)) {  // before anything is run
    const auto file = MappedFile::open(target);
    if (!file) return fail(ExitCode::bad_use, file.error().message);
    const auto bytes = file->bytes();
    auto parsed = parse_baseline({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, target);
    if (!parsed) return fail(ExitCode::bad_use, parsed.error().message);
    old = std::move(*parsed);
  }
  if (const auto possible = check_replaceable(target); !possible)
    return fail(ExitCode::bad_use, possible.error().message);
  auto now = baseline_now(options, *policy);
  if (auto* failed = std::get_if<Outcome>(&now)) return std::move(*failed);
  Baseline& made = std::get<Baseline>(now);
  if (!made.doubt.empty())
    return fail(ExitCode::cannot_tell, fmt::format("no baseline can be made of this run: {}", made.doubt));
  return old ? update_old(target, *old, made, options.accept_more) : write_first(target, made);
}

Outcome show(const BaselineOptions& options) {
  const auto policy = policy_for(options.steps);
  if (!policy) return fail(ExitCode::bad_use, policy.error().message);
  std::error_code error;
  if (options.file.empty() && !fs::exists(kBaselineFile, error))
    return fail(
        ExitCode::bad_use,
        fmt::format("there is no {} here; write one with `zerostall baseline update run.zstall`", kBaselineFile));
  const auto baseline = load_baseline(options.file.empty() ? kBaselineFile : options.file, policy->run);
  if (!baseline) return fail(ExitCode::bad_use, baseline.error().message);
  if (!baseline->doubt.empty())
    return fail(ExitCode::cannot_tell, fmt::format("{} is no measure: {}", baseline->file, baseline->doubt));
  return {ExitCode::ok,
          fmt::format("{}: {}\n", baseline->file, baseline_headline(*baseline)) + render_baseline_text(*baseline),
          {}};
}

}  // namespace

Outcome run_baseline(const BaselineOptions& options) {
  return options.action == BaselineAction::update ? update(options) : show(options);
}

}  // namespace zerostall::cli
