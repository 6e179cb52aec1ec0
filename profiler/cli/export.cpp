#include "profiler/cli/export.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "profiler/base/strings.h"
#include "profiler/cli/export_target.h"
#include "profiler/cli/processes.h"
#include "profiler/cli/say.h"
#include "profiler/trace/read_native.h"
#include "reports/exporter.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

Result<std::vector<RawTrace>> read_processes(const fs::path& file) {
  auto raw = read_native(file);
  if (!raw) return raw.error();
  std::vector<RawTrace> processes;
  processes.push_back(std::move(*raw));
  return processes;
}

// Writes what was asked for, process by process; holds what there is to say about the rest.
class Export {
 public:
  Export(const ExportArguments& options, std::size_t files, ExportTarget& target)
      : options_(options), target_(target), output_([this](std::string_view piece) { return target_.write(piece); }) {
    format_.format = options.format;
    format_.table = options.table;
    format_.several = files > 1 && !options.rank;
  }

  void add_file(const fs::path& file) {
    auto processes = read_processes(file);
    if (!processes) return unreadable_.push_back({file.filename().string(), processes.error().message});
    if (!exporter_ && !options_.rank) format_.several |= processes->size() > 1;
    for (RawTrace& raw : *processes) {
      const bool wanted = !options_.rank || (raw.meta.rank ? raw.meta.rank : raw.meta.local_rank) == options_.rank;
      const std::string name = own_name(raw.meta);
      seen_.push_back(name);
      if (wanted && !output_.failed()) add(std::move(raw), name, file);
    }
  }

  Outcome finish(const std::string& path) {
    if (!exporter_) return nothing(path);
    exporter_->finish(unreadable_);
    Outcome outcome = target_.finish();
    if (outcome.code != ExitCode::ok) return outcome;
    if (target_.is_file()) say(written());
    for (const std::string& why : left_out_) say("left out: " + why);
    if (!unreadable_.empty()) {
      outcome.code = ExitCode::cannot_tell;
      outcome.error = fmt::format("{} of {} traces in {} cannot be read: {}", unreadable_.size(),
                                  unreadable_.size() + seen_.size(), path, unreadable_.front().why);
    }
    return outcome;
  }

 private:
  // Two processes of a recording may call themselves alike.
  std::string own_name(const TraceMeta& meta) {
    const std::string name = process_name(meta);
    std::string own = name;
    for (int n = 2; !names_.insert(own).second; ++n) own = fmt::format("{}-{}", name, n);
    return own;
  }

  void add(RawTrace raw, const std::string& name, const fs::path& file) {
    StepOptions steps;
    if (!options_.step_pattern.empty()) steps.pattern = options_.step_pattern;
    const ExportProcess process =
        make_export_process(std::move(raw), {name, file.filename().string(), options_.warmup, steps});
    if (std::string why = missing(process, file); !why.empty()) {
      left_out_.push_back(format_.several ? name + ": " + why : why);
      return;
    }
    if (!exporter_) exporter_ = make_exporter(format_, output_);
    exporter_->add(process);
    ++processes_;
    steps_ += process.steps.steps.size();
    complete_ = complete_ && process.run.complete();
  }

  // Why this process does not hold what was asked for; "" = it does.
  std::string missing(const ExportProcess& process, const fs::path& file) const {
    if (process.trace.calls.empty()) {
      return process.trace.truncated ? fmt::format("{} is {} and no CUDA call is readable before that", file.string(),
                                                   describe(process.trace.end))
                                     : fmt::format("{} holds no CUDA call", file.string());
    }
    if (!process.steps.steps.empty()) return {};
    if (!options_.step_pattern.empty())
      return fmt::format("no NVTX range or mark in {} matches '{}'", file.string(), options_.step_pattern);
    if (options_.format == ExportFormat::csv && options_.table == CsvTable::steps)
      return fmt::format("no steps found in {}: --table waits needs none, --step-pattern names them", file.string());
    return {};
  }

  Outcome nothing(const std::string& path) const {
    if (seen_.empty()) return fail(ExitCode::bad_use, unreadable_.front().why);
    if (left_out_.empty())
      return fail(ExitCode::cannot_tell,
                  fmt::format("no process of rank {} in {}; it has {}", *options_.rank, path, join(seen_, ", ")));
    return fail(ExitCode::cannot_tell, left_out_.front());
  }

  std::string written() const {
    std::string text =
        fmt::format("wrote {}: {}", target_.path().string(), counted(static_cast<std::int64_t>(steps_), "step"));
    if (processes_ > 1) text += fmt::format(" of {} processes", processes_);
    if (!complete_) text += ", of a trace that is not complete";
    if (options_.format == ExportFormat::perfetto || options_.format == ExportFormat::chrome)
      text += "; open it in https://ui.perfetto.dev";
    return text;
  }

  const ExportArguments& options_;
  ExportTarget& target_;
  ChunkedOutput output_;
  ExportOptions format_;
  std::unique_ptr<Exporter> exporter_;  // made for the first process that is written: else nothing is
  std::vector<UnreadableTrace> unreadable_;
  std::vector<std::string> seen_, left_out_;
  std::set<std::string> names_;
  std::size_t processes_ = 0, steps_ = 0;
  bool complete_ = true;
};

}  // namespace

Outcome run_export(const ExportArguments& options) {
  if (options.schema) return {ExitCode::ok, std::string(export_schema()), {}};
  if (!is_valid_pattern(options.step_pattern))
    return fail(ExitCode::bad_use, fmt::format("'{}' is not a regular expression", options.step_pattern));
  std::string path = options.file;
  if (path.empty()) {
    const auto newest = newest_trace(".");
    if (!newest) return fail(ExitCode::bad_use, newest.error().message);
    path = newest->string();
    say("exporting " + path);
  }
  const auto files = trace_files(path);
  if (!files) return fail(ExitCode::bad_use, files.error().message);
  auto target = ExportTarget::make(options.output, *files);
  if (!target) return fail(ExitCode::bad_use, target.error().message);
  if (options.format == ExportFormat::perfetto && !target->is_file() && ::isatty(STDOUT_FILENO) != 0)
    return fail(ExitCode::bad_use, "perfetto is a binary format, not for a terminal: name a file with -o run.pftrace");
  Export run(options, files->size(), *target);
  for (const fs::path& file : *files) run.add_file(file);
  return run.finish(path);
}

}  // namespace zerostall::cli
