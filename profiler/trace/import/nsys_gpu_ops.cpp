// GPU work, and the records of synchronization, which are only counted: the calls tell who waited.
#include <fmt/format.h>

#include "profiler/trace/api_table.h"
#include "profiler/trace/import/nsys_import.h"

namespace zerostall {
namespace {

// Nsight Systems' own numbers, for files without the tables that explain them. They are not CUPTI's.
constexpr const char* kCopies[] = {"UNKNOWN", "HTOD", "DTOH", "HTOA", "ATOH",     "ATOA",     "ATOD",
                                   "DTOA",    "DTOD", "HTOH", "PTOP", "UVM_HTOD", "UVM_DTOH", "UVM_DTOD"};
constexpr const char* kMemories[] = {"PAGEABLE", "PINNED",        "DEVICE",         "ARRAY",
                                     "MANAGED",  "DEVICE_STATIC", "MANAGED_STATIC", "UNKNOWN"};
constexpr std::string_view kCopyPrefix = "CUDA_MEMCPY_KIND_", kMemoryPrefix = "CUDA_MEMOPR_MEMORY_KIND_";

struct CopyKind {
  CopyDirection direction = CopyDirection::unknown;
  bool migration = false;  // pages of unified memory, moved by the driver
  std::string label;
};

CopyDirection direction_of(std::string_view name) {  // arrays live on the device
  if (name == "HTOD" || name == "HTOA") return CopyDirection::host_to_device;
  if (name == "DTOH" || name == "ATOH") return CopyDirection::device_to_host;
  if (name == "DTOD" || name == "ATOA" || name == "ATOD" || name == "DTOA") return CopyDirection::device_to_device;
  if (name == "HTOH") return CopyDirection::host_to_host;
  return name == "PTOP" ? CopyDirection::peer : CopyDirection::unknown;
}

MemoryKind memory_of(std::string_view name) {
  if (name == "PAGEABLE") return MemoryKind::pageable;
  if (name == "PINNED") return MemoryKind::pinned;
  if (name == "DEVICE" || name == "ARRAY" || name == "DEVICE_STATIC") return MemoryKind::device;
  if (name == "MANAGED" || name == "MANAGED_STATIC") return MemoryKind::managed;
  return MemoryKind::unknown;
}

std::string_view without(std::string_view prefix, std::string_view name) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

// What the numbers of a file mean.
struct Kinds {
  std::map<std::int64_t, CopyKind> copies;
  std::map<std::int64_t, MemoryKind> memories;
  std::map<std::int64_t, std::string> causes;  // of migrations
};

Result<Kinds> read_kinds(NsysImport& import) {
  Kinds kinds;
  const auto copies = read_labels(import, "ENUM_CUDA_MEMCPY_OPER");
  const auto memories = read_labels(import, "ENUM_CUDA_MEM_KIND");
  const auto causes = read_labels(import, "ENUM_CUDA_UNIF_MEM_MIGRATION");
  if (!copies) return copies.error();
  if (!memories) return memories.error();
  if (!causes) return causes.error();
  const auto add_copy = [&](std::int64_t id, std::string_view name, std::string_view label) {
    const bool migration = name.starts_with("UVM_");
    kinds.copies[id] = {direction_of(migration ? name.substr(4) : name), migration, std::string(label)};
  };
  if (*copies)
    for (const auto& [id, row] : **copies) add_copy(id, without(kCopyPrefix, row.name), row.label);
  else
    for (std::int64_t id = 0; const char* name : kCopies) add_copy(id++, name, name);
  if (*memories)
    for (const auto& [id, row] : **memories) kinds.memories[id] = memory_of(without(kMemoryPrefix, row.name));
  else
    for (std::int64_t id = 0; const char* name : kMemories) kinds.memories[id++] = memory_of(name);
  if (*causes)
    for (const auto& [id, row] : **causes) kinds.causes[id] = row.label;
  return kinds;
}

enum Column : int { kBegin, kEnd, kProcess, kCorrelation, kDevice, kContext, kStream, kNode, kOwn };
std::vector<std::string> columns_with(std::vector<std::string> own) {
  std::vector<std::string> all = {"start",    "end",       "globalPid", "correlationId",
                                  "deviceId", "contextId", "streamId",  "graphNodeId"};
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

// Reads the rows of one table.
struct OpReader {
  NsysImport& import;
  std::int64_t unreadable_rows = 0, unreadable_values = 0, without_process = 0;

  // What all tables of GPU work have; nullptr: a row to leave out.
  NsysProcess* read_common(const SqliteRow& row, RawGpuOp& op) {
    const Cell begin = row.integer(kBegin, op.begin_ns), end = row.integer(kEnd, op.end_ns);
    if (begin == Cell::other || end == Cell::other || !is_possible_time(op.begin_ns) || !is_possible_time(op.end_ns)) {
      ++unreadable_rows;
      return nullptr;
    }
    std::int64_t global = 0, node = 0;
    const Cell cell = row.integer(kProcess, global);
    NsysProcess* process = import.find(cell, global);
    if (process == nullptr) {
      ++without_process;
      return nullptr;
    }
    op.correlation = read_u32(row, kCorrelation, unreadable_values);
    op.device = read_u32(row, kDevice, unreadable_values);
    op.context = read_u32(row, kContext, unreadable_values);
    op.stream = read_u32(row, kStream, unreadable_values);
    op.from_graph = row.integer(kNode, node) == Cell::integer && node != 0;
    return process;
  }
  Bytes read_bytes(const SqliteRow& row, int column) {
    std::int64_t bytes = 0;
    const Cell cell = row.integer(column, bytes);
    if (cell == Cell::integer && bytes >= 0) return static_cast<Bytes>(bytes);
    if (cell != Cell::null) ++unreadable_values;
    return 0;
  }
  // The meaning of a number, or `missing`; a number without a meaning is counted.
  template <class Map>
  const typename Map::mapped_type& look_up(const SqliteRow& row, int column, const Map& map,
                                           const typename Map::mapped_type& missing) {
    std::int64_t id = 0;
    const Cell cell = row.integer(column, id);
    if (cell == Cell::null) return missing;
    const auto found = cell == Cell::integer ? map.find(id) : map.end();
    if (found != map.end()) return found->second;
    ++unreadable_values;
    return missing;
  }
};

// Rows of `name` and its own columns; `finish` sets what only this table knows, and says whether it is GPU work. False:
// there is no such table.
template <class Finish>
Result<bool> read_table(NsysImport& import, const std::string& name, std::vector<std::string> own,
                        const Finish& finish) {
  const auto table = import.table(name);
  if (!table) return table.error();
  if (!*table) return false;
  OpReader reader{import};
  const auto rows = import.scan(**table, columns_with(std::move(own)), 2, [&](const SqliteRow& row) {
    RawGpuOp op;
    NsysProcess* process = reader.read_common(row, op);
    if (process != nullptr && finish(reader, row, op, *process)) process->trace.gpu_ops.push_back(op);
    return true;
  });
  if (!rows) return rows.error();
  if (*rows > 0 && *rows == reader.unreadable_rows)
    return Error{fmt::format("{}: table {}: no row has times", import.db.name(), **table)};
  import.contents[**table] = *rows;
  import.lost_gpu_ops += reader.unreadable_rows;
  import.odd("unreadable_rows", reader.unreadable_rows);
  import.odd("unreadable_values", reader.unreadable_values);
  import.odd("gpu_ops_without_process", reader.without_process);
  return true;
}

Result<bool> read_kernels(NsysImport& import) {
  return read_table(import, "CUPTI_ACTIVITY_KIND_KERNEL", {"demangledName", "shortName"},
                    [&](OpReader&, const SqliteRow& row, RawGpuOp& op, NsysProcess& process) {
                      std::int64_t name = 0;
                      op.kind = GpuOpKind::kernel;
                      if (row.integer(kOwn, name) == Cell::integer || row.integer(kOwn + 1, name) == Cell::integer)
                        op.name = import.name(process, name);
                      return true;
                    });
}

Result<bool> read_copies(NsysImport& import, const Kinds& kinds) {
  const CopyKind unknown;
  const std::string no_cause;
  return read_table(
      import, "CUPTI_ACTIVITY_KIND_MEMCPY", {"copyKind", "bytes", "srcKind", "dstKind", "migrationCause"},
      [&](OpReader& reader, const SqliteRow& row, RawGpuOp& op, NsysProcess& process) {
        const CopyKind& kind = reader.look_up(row, kOwn, kinds.copies, unknown);
        if (kind.migration) {
          const std::string& cause = reader.look_up(row, kOwn + 4, kinds.causes, no_cause);
          ++process.trace.contents[fmt::format("unified_memory: {}{}{}", kind.label, cause.empty() ? "" : ", ", cause)];
          return false;
        }
        op.kind = GpuOpKind::copy;
        op.direction = kind.direction;
        op.bytes = reader.read_bytes(row, kOwn + 1);
        op.source = reader.look_up(row, kOwn + 2, kinds.memories, MemoryKind::unknown);
        op.target = reader.look_up(row, kOwn + 3, kinds.memories, MemoryKind::unknown);
        return true;
      });
}

Result<bool> read_memsets(NsysImport& import, const Kinds& kinds) {
  return read_table(import, "CUPTI_ACTIVITY_KIND_MEMSET", {"bytes", "memKind"},
                    [&](OpReader& reader, const SqliteRow& row, RawGpuOp& op, NsysProcess&) {
                      op.kind = GpuOpKind::memset;
                      op.bytes = reader.read_bytes(row, kOwn);
                      op.target = reader.look_up(row, kOwn + 1, kinds.memories, MemoryKind::unknown);
                      return true;
                    });
}

}  // namespace

Result<Done> read_nsys_gpu_ops(NsysImport& import) {
  if (import.processes.size() == 1) {
    std::int64_t expected = 0;
    for (const char* table : {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"})
      expected += import.db.has(table) ? import.db.guess_rows(table) : 0;
    import.processes.front().trace.gpu_ops.reserve(static_cast<std::size_t>(expected));
  }
  const auto kinds = read_kinds(import);
  if (!kinds) return kinds.error();
  const auto graphs = read_table(import, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", {},
                                 [](OpReader&, const SqliteRow&, RawGpuOp& op, NsysProcess&) {
                                   op.kind = GpuOpKind::graph;
                                   return true;
                                 });
  bool any = false;
  for (const auto& read : {read_kernels(import), read_copies(import, *kinds), read_memsets(import, *kinds), graphs}) {
    if (!read) return read.error();
    any = any || *read;
  }
  for (NsysProcess& process : import.processes) process.trace.meta.counts_only = import.has_calls && !any;
  return Done{};
}

Result<Done> read_nsys_syncs(NsysImport& import) {
  const auto table = import.table("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION");
  if (!table) return table.error();
  if (!*table) return Done{};
  const auto labels = read_labels(import, "ENUM_CUPTI_SYNC_TYPE");
  if (!labels) return labels.error();
  struct Key {
    NsysProcess* process;
    std::int64_t type;
    std::optional<StringId> call;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, std::int64_t> counts;
  std::int64_t unreadable = 0;
  const auto add = [&](const SqliteRow& row) {
    std::int64_t type = 0, global = 0;
    if (row.integer(0, type) != Cell::integer) ++unreadable;
    const std::uint32_t correlation = read_u32(row, 1, unreadable);
    const Cell cell = row.integer(2, global);
    NsysProcess* process = import.find(cell, global);
    const auto call = process == nullptr ? std::nullopt : process->calls.find(correlation);
    ++counts[{process == nullptr ? &import.processes.front() : process, type, call}];
    return true;
  };
  const auto rows = import.scan(**table, {"syncType", "correlationId", "globalPid"}, 1, add);
  if (!rows) return rows.error();
  import.contents[**table] = *rows;
  import.odd("unreadable_values", unreadable);
  for (const auto& [key, count] : counts) {
    std::string label = "no label", call = "no call";
    if (*labels)
      if (const auto row = (*labels)->find(key.type); row != (*labels)->end()) label = row->second.label;
    if (key.call) call = strip_version(key.process->trace.strings.text(*key.call));
    key.process->trace.contents[fmt::format("cuda_sync: {} {} by {}", key.type, label, call)] += count;
  }
  return Done{};
}

}  // namespace zerostall
