#include "profiler/cli/record_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>

#include "profiler/cli/frame_names.h"
#include "profiler/cli/processes.h"
#include "profiler/cli/source_texts.h"
#include "profiler/record/program.h"
#include "profiler/trace/api_table.h"
#include "profiler/trace/read_native.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNoRank = std::numeric_limits<std::int64_t>::max();

std::int64_t calls_of(const RunSummary& run) {
  std::int64_t calls = 0;
  for (const CallRow& call : run.calls) calls += call.count;
  return calls;
}

void read_process(const fs::path& file, const RecordingOptions& options, Recording& left) {
  auto raw = read_native(file);
  if (!raw) {
    left.problems.push_back("a trace cannot be read: " + raw.error().message);
    return;
  }
  SummaryOptions wanted{file.string(), options.warmup};
  if (options.sources) wanted.sources = read_sources(*raw, file), wanted.frame_names = NamesForCauses().of(*raw);
  NamedRun run = named_run("", std::move(*raw), wanted, options.steps, options.timelines);
  const RunSummary& summary = run.summary;
  for (const std::string& problem : summary.tool_problems) left.problems.push_back("tracer: " + problem);
  if (summary.end.failed)
    left.problems.push_back("the trace of process " + fmt::to_string(summary.meta.pid.value_or(0)) +
                            " ends early: " + summary.end.reason);
  if (!summary.has_cuda_calls) {  // a launcher that only asked how many devices there are
    if (!summary.warnings.empty()) left.why_empty = summary.warnings.back();
    return;
  }
  run.name = process_name(summary.meta);
  left.processes.push_back({std::move(run), file});
}

// By rank and name; of one name the process that did most comes first and keeps it.
bool comes_first(const RecordedProcess& a, const RecordedProcess& b) {
  const auto key = [](const RecordedProcess& p) {
    return std::tuple(p.run.summary.meta.rank.value_or(kNoRank), p.run.name, -calls_of(p.run.summary));
  };
  return key(a) < key(b);
}

}  // namespace

Recording read_recording(const std::vector<fs::path>& files, const RecordingOptions& options) {
  Recording left;
  for (const fs::path& file : files) read_process(file, options, left);
  std::stable_sort(left.processes.begin(), left.processes.end(), comes_first);
  return left;
}

std::string untraced(const TraceOutput& output, std::size_t traces) {
  const auto [began, failed, known] = output.processes();
  if (!known) return "the hidden folder where traces grow was removed while the command ran";
  const std::size_t without = std::max<std::size_t>(failed, began > traces ? began - traces : 0);
  if (without == 0) return {};
  return fmt::format("{} of {} that made CUDA calls left no trace (no place to write it, or removed)", without,
                     began == 1 ? "1 process" : fmt::format("{} processes", began));
}

std::int64_t recordable_calls(const SimLog& log) {
  std::int64_t calls = 0;
  for (const auto& [name, count] : log.calls) calls += find_api(name).name.empty() ? 0 : count;
  return calls;
}

Outcome cannot_start(const std::string& command, int error) {
  std::error_code unseen;
  const bool is_there = fs::exists(command, unseen);
  if (error == ENOENT && find_program(command.substr(0, command.find(' '))))
    return fail(ExitCode::environment,
                fmt::format("command not found: '{}' was given as one word; leave its quotes out, "
                            "or run it by a shell: -- sh -c '{}'",
                            command, command));
  if (error == ENOENT && command.find('/') == std::string::npos)
    return fail(ExitCode::environment,
                fmt::format("command not found: {}{}", command,
                            is_there ? fmt::format("; a program of this folder is called ./{}", command) : ""));
  if (error == EACCES)
    return fail(
        ExitCode::environment,
        fmt::format("cannot run {}: it is not executable; a Python script is run by `-- python {}`", command, command));
  if (error == ENOENT && is_there)
    return fail(ExitCode::environment, fmt::format("cannot run {}: what its first line names is not there", command));
  return fail(ExitCode::environment, fmt::format("cannot run {}: {}", command, std::strerror(error)));
}

std::optional<Outcome> refuse_command(const std::string& command) {
  if (find_program(command)) return std::nullopt;
  std::error_code unseen;
  return cannot_start(command, command.find('/') != std::string::npos && fs::exists(command, unseen) ? EACCES : ENOENT);
}

}  // namespace zerostall::cli
