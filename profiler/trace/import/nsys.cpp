#include "profiler/trace/import/nsys.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <system_error>
#include <thread>

#include "profiler/trace/import/nsys_import.h"
#include "profiler/trace/import/order_calls.h"

namespace zerostall {
namespace {

bool is_nsys(const SqliteFile& db) {
  const auto of_nsys = [](const std::string& table) {
    return table.starts_with("CUPTI_ACTIVITY_KIND_") || table.starts_with("NVTX_EVENTS") ||
           table.starts_with("TARGET_INFO_") || table == "META_DATA_EXPORT";
  };
  return std::any_of(db.tables().begin(), db.tables().end(), of_nsys);
}

void gather_calls(NsysProcess& process) {
  std::vector<RawCall>& calls = process.trace.calls;
  for (NsysThread& thread : process.threads) {
    order_thread(thread.calls, process.trace.strings);
    if (calls.empty())
      calls = std::move(thread.calls);
    else
      calls.insert(calls.end(), thread.calls.begin(), thread.calls.end());
    thread.calls = {};
  }
}

// In order of their first call.
std::vector<NsysProcess*> sorted(std::deque<NsysProcess>& processes) {
  const auto first = [](const NsysProcess& process) {
    Nanos begin_ns = std::numeric_limits<Nanos>::max();
    for (const RawCall& call : process.trace.calls) begin_ns = std::min(begin_ns, call.begin_ns);
    return begin_ns;
  };
  std::vector<std::pair<Nanos, NsysProcess*>> order;
  for (NsysProcess& process : processes) order.emplace_back(first(process), &process);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<NsysProcess*> sorted;
  for (const auto& [begin_ns, process] : order) sorted.push_back(process);
  return sorted;
}

// What cannot be said of one process is said of the first.
std::vector<RawTrace> finish(NsysImport& import, const std::vector<NsysProcess*>& processes) {
  std::vector<RawTrace> traces;
  for (NsysProcess* process : processes) {
    RawTrace& trace = traces.emplace_back(std::move(process->trace));
    trace.lost_calls += import.lost_calls;
    trace.lost_marks += import.lost_marks;
    if (import.lost_calls + import.lost_marks > 0) {
      trace.truncated = true;
      trace.end.reason = "records of calls or ranges cannot be read";
    }
    if (import.lost_gpu_ops == 0) continue;
    RawNote note{0, static_cast<std::uint64_t>(import.lost_gpu_ops), 0,
                 trace.strings.intern("rows of GPU work cannot be read")};
    note.kind = NoteKind::lost_records;
    trace.notes.push_back(note);
  }
  for (const auto& [name, count] : import.contents) traces.front().contents[name] += count;
  for (const auto& [name, count] : import.oddities) traces.front().oddities[name] += count;
  return traces;
}

// GPU work, read on its own: from a second connection, or the same one afterwards.
struct GpuWork {
  std::unique_ptr<SqliteFile> db;  // the second connection
  std::unique_ptr<NsysImport> import;
  Result<bool> any = Error{};
};

GpuWork read_gpu_work(SqliteFile& db) {
  auto texts = NsysTexts::open(db);
  if (!texts) return {nullptr, nullptr, texts.error()};
  auto import = std::make_unique<NsysImport>(NsysImport{db, std::move(*texts)});
  auto any = read_nsys_gpu_ops(*import);
  return {nullptr, std::move(import), std::move(any)};
}

using Reopen = std::function<Result<SqliteFile>()>;

GpuWork reopen_and_read(const Reopen& reopen) {
  auto opened = reopen();
  if (!opened) return {nullptr, nullptr, opened.error()};
  auto db = std::make_unique<SqliteFile>(std::move(*opened));
  GpuWork work = read_gpu_work(*db);
  work.db = std::move(db);
  return work;
}

// Where `reopen` is given, GPU work is read by a second thread.
Result<std::vector<RawTrace>> import_from(SqliteFile& db, const Reopen& reopen) {
  if (!is_nsys(db)) return Error{fmt::format("{}: {}", db.name(), db.describe())};
  auto texts = NsysTexts::open(db);
  if (!texts) return texts.error();
  NsysImport import{db, std::move(*texts)};
  std::future<GpuWork> second;
  try {
    if (reopen) second = std::async(std::launch::async, [&] { return reopen_and_read(reopen); });
  } catch (const std::system_error&) {
    // no thread to be had: one after the other
  }
  const auto calls = read_nsys_calls(import);
  GpuWork gpu = second.valid() ? second.get() : calls ? read_gpu_work(db) : GpuWork{};
  if (!calls) return calls.error();
  if (!gpu.any) return gpu.any.error();
  take_gpu_ops(import, *gpu.import);
  for (NsysProcess& process : import.processes) process.trace.meta.counts_only = import.has_calls && !*gpu.any;
  for (const auto part : {read_nsys_syncs, read_nsys_marks, read_nsys_overheads, read_nsys_diagnostics, read_nsys_meta})
    if (const auto read = part(import); !read) return read.error();
  if (import.texts.failure) return *import.texts.failure;
  for (NsysProcess& process : import.processes) gather_calls(process);
  return finish(import, sorted(import.processes));
}

constexpr std::uintmax_t kWorthAThread = 1 << 20;  // bytes: a smaller file is read sooner than a thread begins

bool use_second_thread(const std::filesystem::path& path, const ReadOptions& options) {
  const unsigned threads = options.threads > 0 ? options.threads : std::thread::hardware_concurrency();
  std::error_code error;
  return threads > 1 && std::filesystem::file_size(path, error) >= kWorthAThread && !error;
}

}  // namespace

Result<std::vector<RawTrace>> import_nsys(const std::filesystem::path& path, const ReadOptions& options) {
  auto db = SqliteFile::open(path);
  if (!db) return db.error();
  if (db->is_copy() || !use_second_thread(path, options)) return import_from(*db, nullptr);
  return import_from(*db, [&] { return SqliteFile::open(path); });
}

Result<std::vector<RawTrace>> parse_nsys(std::span<const std::byte> bytes, const std::string& name,
                                         const ReadOptions&) {
  auto db = SqliteFile::from_bytes(bytes, name);
  if (!db) return db.error();
  return import_from(*db, nullptr);
}

}  // namespace zerostall
