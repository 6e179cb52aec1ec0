#include "profiler/cli/processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

// "rank10.zstall" -> 10; behind all ranks where the name has none.
std::int64_t rank_of(const fs::path& file) {
  const std::string stem = file.stem().string();
  std::int64_t rank = std::numeric_limits<std::int64_t>::max();
  if (stem.starts_with("rank")) std::from_chars(stem.data() + 4, stem.data() + stem.size(), rank);
  return rank;
}

std::tuple<std::int64_t, Count> badness(const RunSummary& run) {
  const auto& waits = run.per_step[Counter::waits];
  return {waits ? waits->max : -1, run.totals[Counter::waits]};
}

}  // namespace

Result<std::vector<fs::path>> trace_files(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector<fs::path>{path};
  std::vector<fs::path> files;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".zstall") files.push_back(it->path());
  if (error) return Error{fmt::format("cannot read {}: {}", path.string(), error.message())};
  if (files.empty()) return Error{fmt::format("{} is a folder without traces (*.zstall)", path.string())};
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return std::pair(rank_of(a), a.stem().string()) < std::pair(rank_of(b), b.stem().string());
  });
  return files;
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
  return Error{"no run*.zstall in this folder: name a trace, or record one with `zerostall record -- COMMAND`"};
}

std::string process_name(const TraceMeta& meta) {
  if (meta.rank) return fmt::format("rank{}", *meta.rank);
  if (meta.local_rank) return fmt::format("rank{}", *meta.local_rank);
  return meta.pid ? fmt::format("process-{}", *meta.pid) : "process";
}

std::size_t worst_process(const std::vector<NamedRun>& runs) {
  const auto worst = std::max_element(
      runs.begin(), runs.end(), [](const auto& a, const auto& b) { return badness(a.summary) < badness(b.summary); });
  return static_cast<std::size_t>(worst - runs.begin());
}

}  // namespace zerostall::cli
