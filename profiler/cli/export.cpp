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
#include "reports/exporter.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

// Writes what was asked for, process by process; holds what there is to say about the rest.
class Export {
 public:
  Export(const ExportArguments& options, const StepOptions& steps, ExportTarget& target)
      : options_(options),
        steps_wanted_(steps),
        target_(target),
        output_([this](std::string_view piece) { return target_.write(piece); }) {
    format_.format = options.format;
    format_.table = options.table;
  }

  // `several`: other processes may follow.
  void add(RawTrace raw, const fs::path& file, bool several) {
    const bool wanted = !options_.rank || rank_of(raw.meta) == options_.rank;
    seen_.push_back(own_name(raw.meta));
    if (!wanted || output_.failed()) return;
    format_.several = several && !options_.rank;
    add_wanted(std::move(raw), seen_.back(), file);
  }

  Outcome finish(const std::string& path, const std::vector<UnreadableTrace>& unreadable) {
    if (!exporter_) return nothing(path);
    exporter_->finish(unreadable);
    Outcome outcome = target_.finish();
    if (outcome.code != ExitCode::ok) return outcome;
    if (target_.is_file()) say(written());
    for (const std::string& why : left_out_) say("left out: " + why);
    if (!unreadable.empty()) {
      outcome.code = ExitCode::cannot_tell;
      outcome.error = why_not_all(unreadable, seen_.size(), path);
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

  void add_wanted(RawTrace raw, const std::string& name, const fs::path& file) {
    const ExportProcess process =
        make_export_process(std::move(raw), {name, file.filename().string(), options_.warmup, steps_wanted_});
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
      if (process.trace.truncated)
        return fmt::format("{} is {} and no CUDA call is readable before that", file.string(),
                           describe(process.trace.end));
      const auto& problems = process.run.tool_problems;
      const std::string why = problems.empty() ? "" : ", and the tracer had a problem: " + problems.front();
      return fmt::format("{} holds no CUDA call{}", file.string(), why);
    }
    if (!process.steps.steps.empty()) return {};
    if (auto why = why_no_match(steps_wanted_, process.steps.from, file.string())) return *why;
    if (options_.format == ExportFormat::csv && options_.table == CsvTable::steps)
      return fmt::format("no steps found in {}: --table waits needs none, --step-pattern names them", file.string());
    return {};
  }

  Outcome nothing(const std::string& path) const {
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
  const StepOptions& steps_wanted_;
  ExportTarget& target_;
  ChunkedOutput output_;
  ExportOptions format_;
  std::unique_ptr<Exporter> exporter_;  // made for the first process that is written: else nothing is
  std::vector<std::string> seen_, left_out_;
  std::set<std::string> names_;
  std::size_t processes_ = 0, steps_ = 0;
  bool complete_ = true;
};

}  // namespace

Outcome run_export(const ExportArguments& options) {
  if (options.schema) return {ExitCode::ok, std::string(export_schema()), {}};
  const auto steps = step_options(options.step_pattern);
  if (!steps) return fail(ExitCode::bad_use, steps.error().message);
  const auto named = named_or_newest(options.file, "exporting");
  if (!named) return fail(ExitCode::bad_use, named.error().message);
  const std::string& path = *named;
  const auto files = trace_files(path);
  if (!files) return fail(ExitCode::bad_use, files.error().message);
  auto target = ExportTarget::make(options.output, *files);
  if (!target) return fail(ExitCode::bad_use, target.error().message);
  if (options.format == ExportFormat::perfetto && !target->is_file() && ::isatty(STDOUT_FILENO) != 0)
    return fail(ExitCode::bad_use, "perfetto is a binary format, not for a terminal: name a file with -o run.pftrace");
  Export run(options, *steps, *target);
  const auto unreadable =
      for_each_process({path}, {.most_expanded = static_cast<Bytes>(options.most_expanded)},
                       [&](const std::string& name, const fs::path& file, RawTrace raw) {
                         // The only process of a file is called like the file.
                         run.add(std::move(raw), file, files->size() > 1 || name != file.filename().string());
                       });
  if (!unreadable) return fail(ExitCode::bad_use, unreadable.error().message);
  return run.finish(path, *unreadable);
}

}  // namespace zerostall::cli
