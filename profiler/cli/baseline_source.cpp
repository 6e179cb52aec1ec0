#include "profiler/cli/baseline_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "profiler/base/files.h"
#include "profiler/cli/check_parts.h"
#include "profiler/cli/policy_source.h"
#include "profiler/cli/processes.h"
#include "profiler/cli/say.h"
#include "profiler/cli/source_texts.h"
#include "profiler/gate/baseline_file.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

}  // namespace

Result<Policy> policy_for(const CountedSteps& wanted) {
  Policy policy;
  std::error_code error;
  if (!wanted.policy.empty() || fs::exists(kPolicyFile, error)) {
    const std::string file = wanted.policy.empty() ? kPolicyFile : wanted.policy;
    if (wanted.policy.empty()) say(fmt::format("policy: {}", file));
    auto read = read_policy(file);
    if (!read) return read;
    policy = std::move(*read);
  }
  if (wanted.warmup) policy.run.warmup = *wanted.warmup;
  if (!wanted.step_pattern.empty()) policy.run.step_pattern = wanted.step_pattern;
  if (wanted.inferred) policy.run.steps = StepsWanted::inferred;
  if (!policy.run.step_pattern.empty() && !is_valid_pattern(policy.run.step_pattern))
    return Error{fmt::format("'{}' is not a regular expression", policy.run.step_pattern)};
  return policy;
}

Result<TracesRead> read_traces(const std::string& path, const RunSettings& settings) {
  StepOptions steps;
  if (const auto given = step_options(settings.step_pattern)) steps = *given;
  steps.regions = settings.regions;
  TracesRead read;
  const auto take = [&](std::string name, const fs::path& file, RawTrace raw) {
    const SummaryOptions wanted{file.string(), settings.warmup, false, false, read_sources(raw, file)};
    read.runs.push_back({std::move(name), analyze(std::move(raw), wanted, steps)});
  };
  const auto unreadable = for_each_process({path}, {}, take);
  if (!unreadable) return unreadable.error();
  if (!unreadable->empty()) read.unreadable = why_not_all(*unreadable, read.runs.size(), path);
  std::error_code error;
  if (read.unreadable.empty() && fs::is_directory(path, error)) read.unreadable = missing_ranks(read.runs);
  return read;
}

Baseline baseline_of(const std::vector<NamedRun>& runs, const RunSettings& settings, const std::string& unreadable) {
  Baseline made = make_baseline(checked(runs), std::max(settings.fewest_steps, kFewestJudgedSteps), settings.steps);
  if (made.doubt.empty()) made.doubt = unreadable;
  return made;
}

Result<Baseline> load_baseline(const std::string& path, const RunSettings& settings, std::vector<NamedRun>* runs) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const auto file = MappedFile::open(path);
    if (!file) return file.error();
    if (looks_like_baseline(text_of(*file))) return parse_baseline(text_of(*file), path);
  }
  auto read = read_traces(path, settings);
  if (!read) return Error{fmt::format("neither a baseline nor a trace: {}", read.error().message)};
  Baseline made = baseline_of(read->runs, settings, read->unreadable);
  made.file = path;
  if (runs != nullptr) *runs = std::move(read->runs);
  return made;
}

}  // namespace zerostall::cli
