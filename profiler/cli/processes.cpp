#include "profiler/cli/processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <set>
#include <span>
#include <tuple>

#include "profiler/base/files.h"
#include "profiler/base/strings.h"
#include "profiler/cli/frame_names.h"
#include "profiler/cli/report_page.h"
#include "profiler/cli/say.h"
#include "profiler/cli/source_texts.h"
#include "profiler/trace/format.h"
#include "profiler/trace/import/text_source.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

// "rank10" behind "rank2": where both hold digits these stand for a number.
bool comes_before(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    std::uint64_t number_a = 0, number_b = 0;
    const auto end_a = std::from_chars(a.data(), a.data() + a.size(), number_a);
    const auto end_b = std::from_chars(b.data(), b.data() + b.size(), number_b);
    const bool numbers = end_a.ec == std::errc{} && end_b.ec == std::errc{};
    if (numbers ? number_a != number_b : a.front() != b.front())
      return numbers ? number_a < number_b : a.front() < b.front();
    a.remove_prefix(numbers ? static_cast<std::size_t>(end_a.ptr - a.data()) : 1);
    b.remove_prefix(numbers ? static_cast<std::size_t>(end_b.ptr - b.data()) : 1);
  }
  return a.size() < b.size();
}

// As tools call them. A folder may hold other JSON too.
constexpr std::array<std::string_view, 4> kTraceNames = {".zstall", ".pt.trace.json", ".pt.trace.json.gz", ".sqlite"};

// Whether other JSON begins like a trace.
bool begins_like_a_trace(const fs::path& file) {
  constexpr std::size_t kLook = std::size_t{1} << 16;
  auto source = TextSource::open(file, Bytes{1} << 30);
  if (!source) return false;
  std::string text(kLook, '\0');
  const auto n = source->read(std::span(text));
  if (!n) return false;
  text.resize(*n);
  return text.find("\"traceEvents\"") != std::string::npos || text.find("\"ph\"") != std::string::npos;
}

// While they grow, traces have other names.
bool is_trace(const fs::directory_entry& entry) {
  std::error_code error;
  const std::string name = entry.path().filename().string();
  if (!entry.is_regular_file(error) || name.starts_with('.')) return false;
  for (const std::string_view ending : kTraceNames)
    if (name.ends_with(ending)) return true;
  if (name.ends_with(".json") || name.ends_with(".json.gz")) return begins_like_a_trace(entry.path());
  std::array<char, format::kMagic.size()> magic{};
  std::ifstream(entry.path(), std::ios::binary).read(magic.data(), magic.size());
  return magic == format::kMagic;
}

// Each once: a file may be named and lie in a folder that is named.
Result<std::vector<fs::path>> all_files(const std::vector<fs::path>& paths) {
  std::vector<fs::path> all;
  for (const fs::path& path : paths) {
    std::error_code error;
    if (paths.size() > 1 && !fs::exists(path, error))
      return Error{fmt::format("cannot read {}: No such file or directory", path.string())};
    const auto files = trace_files(path);
    if (!files) return files.error();
    for (const fs::path& file : *files)
      if (std::find(all.begin(), all.end(), file) == all.end()) all.push_back(file);
  }
  return all;
}

bool are_named_apart(const std::vector<fs::path>& files) {
  std::set<fs::path> names;
  return std::all_of(files.begin(), files.end(),
                     [&](const fs::path& file) { return names.insert(file.filename()).second; });
}

// Why it cannot be read; nullopt = it was.
std::optional<std::string> take_file(const fs::path& file, const std::string& name, bool alone,
                                     const ReadOptions& options, const TakeProcess& take) {
  auto traces = read_trace(file, options);
  if (!traces) return traces.error().message;
  const bool several = traces->size() > 1;
  for (RawTrace& trace : *traces) {
    const std::string process = process_name(trace.meta);
    take(!several ? name : alone ? process : name + " " + process, file, std::move(trace));
  }
  return std::nullopt;
}

std::tuple<std::int64_t, Count> badness(const RunSummary& run) {
  const auto& waits = run.per_step[Counter::waits];
  return {waits ? waits->max : -1, run.totals[Counter::waits]};
}

}  // namespace

bool trace_comes_first(const fs::path& a, const fs::path& b) {
  const auto group = [](const std::string& stem) {
    return stem.starts_with("rank") ? 0 : stem.starts_with("host") ? 1 : 2;
  };
  const std::string stem_a = a.stem().string(), stem_b = b.stem().string();
  if (group(stem_a) != group(stem_b)) return group(stem_a) < group(stem_b);
  if (comes_before(stem_a, stem_b) != comes_before(stem_b, stem_a)) return comes_before(stem_a, stem_b);
  return a < b;  // "rank0.json" and "rank0.zstall": the same order wherever they are listed
}

Result<std::vector<fs::path>> trace_files(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector<fs::path>{path};
  std::vector<fs::path> files;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
    if (is_trace(*it)) files.push_back(it->path());
  if (error) return Error{fmt::format("cannot read {}: {}", path.string(), error.message())};
  if (files.empty())
    return Error{fmt::format("{} is a folder without traces (*.zstall, *.json or *.json.gz with traceEvents, *.sqlite)",
                             path.string())};
  std::sort(files.begin(), files.end(), trace_comes_first);
  return files;
}

Result<std::vector<UnreadableTrace>> for_each_process(const std::vector<fs::path>& paths, const ReadOptions& options,
                                                      const TakeProcess& take) {
  const auto files = all_files(paths);
  if (!files) return files.error();
  const bool by_name = are_named_apart(*files);
  std::vector<UnreadableTrace> unreadable;
  for (const fs::path& file : *files) {
    const std::string name = by_name ? file.filename().string() : file.string();
    if (auto why = take_file(file, name, files->size() == 1, options, take)) unreadable.push_back({name, *why});
  }
  if (unreadable.size() == files->size()) return Error{unreadable.front().why};
  return unreadable;
}

NamedRun named_run(std::string name, RawTrace raw, const SummaryOptions& wanted, const StepOptions& steps,
                   bool timeline) {
  if (!timeline) return {std::move(name), analyze(std::move(raw), wanted, steps)};
  Analyzed all = analyze_keeping(std::move(raw), wanted, steps);
  TimelineBlob made = timeline_of(all, kTimelineBytes);
  return {std::move(name), std::move(all.run), std::move(made)};
}

void ProcessReader::read(const fs::path& file, const std::string& name, bool alone, ReadProcesses& into) {
  const auto take = [&](std::string process, const fs::path& of, RawTrace raw) {
    SummaryOptions of_file = wanted_;
    if (of_file.path.empty()) of_file.path = of.string();
    of_file.sources = read_sources(raw, of);
    of_file.frame_names = names_.of(raw);
    into.runs.push_back(named_run(std::move(process), std::move(raw), of_file, steps_, timelines_));
  };
  if (auto why = take_file(file, name, alone, options_, take)) into.unreadable.push_back({name, *why});
}

Result<ReadProcesses> read_processes(const std::vector<fs::path>& paths, const ReadOptions& options,
                                     const SummaryOptions& wanted, const StepOptions& steps, bool timelines) {
  return read_processes(paths, ProcessReader(options, wanted, steps, timelines));
}

Result<ReadProcesses> read_processes(const std::vector<fs::path>& paths, ProcessReader reader) {
  const auto files = all_files(paths);
  if (!files) return files.error();
  const bool by_name = are_named_apart(*files);
  ReadProcesses read;
  for (const fs::path& file : *files)
    reader.read(file, by_name ? file.filename().string() : file.string(), files->size() == 1, read);
  if (read.unreadable.size() == files->size()) return Error{read.unreadable.front().why};
  return read;
}

Result<fs::path> newest_trace(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> runs;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with("run") || it->path().extension() != ".zstall") continue;
    std::error_code gone;
    if (const auto time = it->last_write_time(gone); !gone) runs.emplace_back(time, it->path().lexically_normal());
  }
  if (!runs.empty()) return std::max_element(runs.begin(), runs.end())->second;
  if (const auto left = kept_folders(folder); !left.empty())
    return Error{
        fmt::format("no run*.zstall in this folder, but a recording that was killed left a trace: zerostall stat {}",
                    left.back().lexically_normal().string())};
  return Error{"no run*.zstall in this folder: name a trace, or record one with `zerostall record -- COMMAND`"};
}

Result<std::string> named_or_newest(const std::string& file, std::string_view doing) {
  if (!file.empty()) return file;
  const auto newest = newest_trace(".");
  if (!newest) return newest.error();
  say(fmt::format("{} {}", doing, newest->string()));
  return newest->string();
}

std::string why_not_all(const std::vector<UnreadableTrace>& unreadable, std::size_t read, const std::string& path) {
  return fmt::format("{} of {} traces in {} cannot be read: {}", unreadable.size(), unreadable.size() + read, path,
                     unreadable.front().why);
}

std::string process_name(const TraceMeta& meta) {
  if (meta.rank) return fmt::format("rank{}", *meta.rank);
  if (meta.local_rank && meta.host_number) return fmt::format("host{}-rank{}", *meta.host_number, *meta.local_rank);
  if (meta.local_rank) return fmt::format("rank{}", *meta.local_rank);
  return meta.pid ? fmt::format("process-{}", *meta.pid) : "process";
}

bool waits_more(const RunSummary& a, const RunSummary& b) { return badness(a) > badness(b); }

std::size_t worst_process(const std::vector<NamedRun>& runs) {
  const auto worst = std::max_element(runs.begin(), runs.end(),
                                      [](const auto& a, const auto& b) { return waits_more(b.summary, a.summary); });
  return static_cast<std::size_t>(worst - runs.begin());
}

Result<std::size_t> choose_process(const std::vector<NamedRun>& runs, const std::optional<std::int64_t>& rank) {
  if (!rank) return worst_process(runs);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const TraceMeta& meta = runs[i].summary.meta;
    if (rank_of(meta) == rank) return i;
    names.push_back(runs[i].name);
  }
  return Error{fmt::format("no process of rank {} in this recording; it has {}", *rank, join(names, ", "))};
}

Result<StepOptions> step_options(const std::string& pattern) {
  StepOptions options;
  if (pattern.empty()) return options;
  if (!is_valid_pattern(pattern)) return Error{fmt::format("'{}' is not a regular expression", pattern)};
  options.pattern = pattern;
  options.pattern_given = true;
  return options;
}

std::optional<std::string> why_no_match(const StepOptions& options, StepsFrom found, const std::string& file) {
  if (!options.pattern_given || found != StepsFrom::none) return std::nullopt;
  return fmt::format("no NVTX range or mark in {} matches '{}'", file, options.pattern);
}

std::string missing_ranks(const std::vector<NamedRun>& runs) {
  std::set<std::int64_t> ranks;
  std::int64_t world = 0;
  for (const NamedRun& run : runs) {
    if (!run.summary.meta.rank || !run.summary.meta.world_size) continue;
    ranks.insert(*run.summary.meta.rank);
    world = std::max(world, *run.summary.meta.world_size);
  }
  std::vector<std::string> missing;
  for (std::int64_t rank = 0; rank < world && missing.size() < 8; ++rank)
    if (!ranks.contains(rank)) missing.push_back(fmt::format("{}", rank));
  if (missing.empty()) return {};
  return fmt::format("{} of {} ranks left a trace with CUDA calls; missing: {}", ranks.size(), world,
                     join(missing, ", "));
}

std::string why_no_calls(const RunSummary& run) {
  if (run.truncated)
    return fmt::format(
        "{} is {} and no CUDA call is readable before that: cannot tell whether the program used the GPU", run.path,
        describe(run.end));
  if (!run.tool_problems.empty())
    return fmt::format("{} holds no CUDA call, and the tracer had a problem: {}", run.path, run.tool_problems.front());
  if (run.meta.format != "zstall")
    return fmt::format("{} holds no CUDA call: it was recorded without CUDA, or the program did not use the GPU",
                       run.path);
  return fmt::format("{} holds no CUDA call: the program never used the GPU while it was recorded", run.path);
}

}  // namespace zerostall::cli
