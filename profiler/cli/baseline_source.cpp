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
#include "profiler/gate/baseline_file.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

}  // namespace

Result<Policy> policy_for(const CountedSteps& wanted) {
  auto policy = find_policy(wanted.policy);
  if (!policy) return policy;
  if (const auto set = set_steps(wanted.warmup, wanted.step_pattern, wanted.inferred, *policy); !set)
    return set.error();
  return policy;
}

Result<TracesRead> read_traces(const std::string& path, const RunSettings& settings, bool timelines) {
  StepOptions steps;
  if (const auto given = step_options(settings.step_pattern)) steps = *given;
  steps.regions = settings.regions;
  auto all = read_processes({path}, {}, {"", settings.warmup}, steps, timelines);
  if (!all) return all.error();
  TracesRead read{std::move(all->runs), ""};
  if (!all->unreadable.empty()) read.unreadable = why_not_all(all->unreadable, read.runs.size(), path);
  std::error_code error;
  if (read.unreadable.empty() && fs::is_directory(path, error)) read.unreadable = missing_ranks(read.runs);
  return read;
}

Baseline baseline_of(const std::vector<NamedRun>& runs, const RunSettings& settings, const std::string& unreadable) {
  Baseline made = make_baseline(checked(runs), std::max(settings.fewest_steps, kFewestJudgedSteps), settings.steps);
  if (made.doubt.empty()) made.doubt = unreadable;
  return made;
}

Result<Baseline> load_baseline(const std::string& path, const RunSettings& settings, std::vector<NamedRun>* runs,
                               bool timelines) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const auto file = MappedFile::open(path);
    if (!file) return file.error();
    if (looks_like_baseline(text_of(*file))) return parse_baseline(text_of(*file), path);
  }
  auto read = read_traces(path, settings, timelines);
  if (!read) return Error{fmt::format("neither a baseline nor a trace: {}", read.error().message)};
  Baseline made = baseline_of(read->runs, settings, read->unreadable);
  made.file = path;
  if (runs != nullptr) *runs = std::move(read->runs);
  return made;
}

}  // namespace zerostall::cli
