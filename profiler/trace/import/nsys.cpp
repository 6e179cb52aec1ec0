#include "profiler/trace/import/nsys.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

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

// What cannot be said of one process is said of the first.
void finish(NsysImport& import) {
  for (NsysProcess& process : import.processes) {
    RawTrace& trace = process.trace;
    order_calls(trace.calls, trace.strings);
    trace.lost_calls += import.lost_calls;
    trace.lost_marks += import.lost_marks;
    if (import.lost_gpu_ops == 0) continue;
    RawNote note{0, static_cast<std::uint64_t>(import.lost_gpu_ops), 0,
                 trace.strings.intern("rows of GPU work cannot be read")};
    note.kind = NoteKind::lost_records;
    trace.notes.push_back(note);
  }
  RawTrace& first = import.processes.front().trace;
  for (const auto& [name, count] : import.contents) first.contents[name] += count;
  for (const auto& [name, count] : import.oddities) first.oddities[name] += count;
}

void sort_by_first_call(std::deque<NsysProcess>& processes) {
  const auto first = [](const NsysProcess& process) {
    Nanos begin_ns = std::numeric_limits<Nanos>::max();
    for (const RawCall& call : process.trace.calls) begin_ns = std::min(begin_ns, call.begin_ns);
    return begin_ns;
  };
  std::vector<std::pair<Nanos, NsysProcess*>> order;
  for (NsysProcess& process : processes) order.emplace_back(first(process), &process);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::deque<NsysProcess> sorted;
  for (const auto& [begin_ns, process] : order) sorted.push_back(std::move(*process));
  processes = std::move(sorted);
}

Result<std::vector<RawTrace>> import_from(SqliteFile& db) {
  if (!is_nsys(db)) return Error{fmt::format("{}: {}", db.name(), db.describe())};
  auto texts = NsysTexts::open(db);
  if (!texts) return texts.error();
  NsysImport import{db, std::move(*texts)};
  if (const auto read = read_nsys_calls(import); !read) return read.error();
  for (const auto part : {read_nsys_gpu_ops, read_nsys_syncs, read_nsys_marks, read_nsys_overheads,
                          read_nsys_diagnostics, read_nsys_meta})
    if (const auto read = part(import); !read) return read.error();
  if (import.texts.failure) return *import.texts.failure;
  sort_by_first_call(import.processes);
  finish(import);
  std::vector<RawTrace> traces;
  for (NsysProcess& process : import.processes) traces.push_back(std::move(process.trace));
  return traces;
}

}  // namespace

Result<std::vector<RawTrace>> import_nsys(const std::filesystem::path& path, const ReadOptions&) {
  auto db = SqliteFile::open(path);
  if (!db) return db.error();
  return import_from(*db);
}

Result<std::vector<RawTrace>> parse_nsys(std::span<const std::byte> bytes, const std::string& name,
                                         const ReadOptions&) {
  auto db = SqliteFile::from_bytes(bytes, name);
  if (!db) return db.error();
  return import_from(*db);
}

}  // namespace zerostall
