// Calls of the runtime and the driver, and what Nsight Systems says of time spent inside them.
#include <fmt/format.h>

#include <limits>

#include "profiler/trace/api_table.h"
#include "profiler/trace/import/nsys_import.h"

namespace zerostall {
namespace {

enum Column : int { kBegin, kEnd, kName, kThread, kCorrelation, kResult };
const std::vector<std::string> kColumns = {"start", "end", "nameId", "globalTid", "correlationId", "returnValue"};
constexpr std::size_t kRequired = 3;
constexpr std::size_t kMostWithRoom = 4;  // threads

std::int32_t saturated(std::int64_t value) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(value > kMost || value < -kMost ? kMost : value);
}

struct Counts {
  std::int64_t unreadable_rows = 0, unreadable_values = 0, without_end = 0, of_no_interest = 0;
};

// Times and name of a row; false where a call cannot be made of it.
bool read_required(const SqliteRow& row, RawCall& call, std::int64_t& name, Counts& counts) {
  const Cell begin = row.integer(kBegin, call.begin_ns), end = row.integer(kEnd, call.end_ns);
  if (begin != Cell::integer || end == Cell::other || !is_possible_time(call.begin_ns)) return false;
  if (end == Cell::null) {
    call.end_ns = call.begin_ns;
    ++counts.without_end;
  }
  return is_possible_time(call.end_ns) && row.integer(kName, name) == Cell::integer;
}

// Adds the calls of one table to their processes.
class CallReader {
 public:
  CallReader(NsysImport& import, std::int64_t expected)
      : import_(import), expected_(static_cast<std::size_t>(expected)) {}

  bool read(const SqliteRow& row) {
    RawCall call;
    std::int64_t name = 0, global = 0, result = 0;
    if (!read_required(row, call, name, counts)) {
      ++counts.unreadable_rows;
      return true;
    }
    if (row.integer(kThread, global) == Cell::other) ++counts.unreadable_values;
    if ((thread_ == nullptr || global != last_global_) && !switch_to(global)) return false;
    call.thread = thread_->id;
    call.correlation = read_u32(row, kCorrelation, counts.unreadable_values);
    if (row.integer(kResult, result) == Cell::other) ++counts.unreadable_values;
    call.result = saturated(result);
    call.name = import_.name(*process_, name);
    if (call.correlation != 0 && !process_->calls.add(call.correlation, call.name))
      ++process_->trace.oddities["duplicate_call_correlation"];
    if (matters(call.name))
      thread_->calls.push_back(call);
    else
      ++counts.of_no_interest;
    return true;
  }

  Counts counts;
  bool too_many = false;

 private:
  // Asked once per name of a process.
  bool matters(StringId name) {
    std::vector<signed char>& known = process_->calls_matter;
    if (name >= known.size()) known.resize(std::size_t{name} + 64, -1);
    if (known[name] < 0) known[name] = zerostall::matters(process_->trace.strings.text(name)) ? 1 : 0;
    return known[name] == 1;
  }

  bool switch_to(std::int64_t global) {
    process_ = import_.make(process_of(global));
    import_.has_calls = true;
    last_global_ = global;
    too_many = process_ == nullptr;
    if (too_many) return false;
    NsysThread*& thread = process_->thread_by_id[thread_of(global)];
    if (thread == nullptr) {
      process_->threads.push_back({thread_of(global), {}});
      thread = &process_->threads.back();
      // Each may turn out to make all of them; room that stays unused costs nothing.
      if (import_.processes.size() == 1 && process_->threads.size() <= kMostWithRoom) thread->calls.reserve(expected_);
    }
    thread_ = thread;
    return true;
  }

  NsysImport& import_;
  std::size_t expected_;
  NsysProcess* process_ = nullptr;
  NsysThread* thread_ = nullptr;
  std::int64_t last_global_ = 0;
};

Result<Done> read_table(NsysImport& import, const std::string& table) {
  CallReader reader(import, import.db.guess_rows(table));
  const auto rows = import.scan(table, kColumns, kRequired, [&](const SqliteRow& row) { return reader.read(row); });
  if (!rows) return rows.error();
  if (reader.too_many)
    return Error{fmt::format("{}: table {} has calls of more than {} processes: damaged", import.db.name(), table,
                             kMostProcesses)};
  const Counts& counts = reader.counts;
  if (*rows > 0 && *rows == counts.unreadable_rows)
    return Error{fmt::format("{}: table {}: no row has times and a name", import.db.name(), table)};
  import.contents[table] = *rows;
  import.lost_calls += counts.unreadable_rows;
  if (counts.of_no_interest > 0) import.contents["calls that never matter"] += counts.of_no_interest;
  import.odd("unreadable_rows", counts.unreadable_rows);
  import.odd("unreadable_values", counts.unreadable_values);
  import.odd("calls_without_end", counts.without_end);
  return Done{};
}

OverheadKind kind_of(const NsysLabel& label) {
  const auto has = [&](std::string_view part) { return label.name.find(part) != std::string::npos; };
  if (has("MODULE_LOADING")) return OverheadKind::module_loading;
  if (has("FUNCTION_LOADING")) return OverheadKind::function_loading;
  if (has("COMMAND_BUFFER_FULL")) return OverheadKind::queue_full;
  return OverheadKind::other;
}

}  // namespace

Result<Done> read_nsys_calls(NsysImport& import) {
  bool found = false;
  for (const char* name : {"CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER"}) {
    const auto table = import.table(name);
    if (!table) return table.error();
    if (!*table) continue;
    found = true;
    if (const auto read = read_table(import, **table); !read) return read.error();
  }
  import.odd("no_runtime_table", found ? 0 : 1);
  if (import.processes.empty()) import.processes.emplace_back();
  return Done{};
}

Result<Done> read_nsys_overheads(NsysImport& import) {
  const auto table = import.table("CUPTI_ACTIVITY_KIND_OVERHEAD");
  if (!table) return table.error();
  const auto labels = read_labels(import, "ENUM_CUPTI_OVERHEAD_TYPE");
  if (!labels) return labels.error();
  if (!*table) return Done{};
  std::int64_t unreadable = 0;
  const auto add = [&](const SqliteRow& row) {
    std::int64_t begin = 0, end = 0, global = 0, type = 0;
    const bool timed = row.integer(0, begin) == Cell::integer && row.integer(1, end) == Cell::integer;
    const Cell cell = row.integer(2, global);
    NsysProcess* process = import.find(cell, global);
    if (!timed || !is_possible_time(begin) || !is_possible_time(end) || process == nullptr) return true;
    RawOverhead overhead{begin, end, thread_of(global), read_u32(row, 3, unreadable)};
    if (row.integer(4, type) == Cell::integer && *labels)
      if (const auto label = (*labels)->find(type); label != (*labels)->end()) overhead.kind = kind_of(label->second);
    if (overhead.kind == OverheadKind::queue_full) process->trace.meta.tells_queue_full = true;
    process->trace.overheads.push_back(overhead);
    return true;
  };
  const auto rows = import.scan(**table, {"start", "end", "globalTid", "correlationId", "overheadType"}, 2, add);
  if (!rows) return rows.error();
  import.contents[**table] = *rows;
  return Done{};
}

}  // namespace zerostall
