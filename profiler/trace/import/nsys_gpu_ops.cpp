// GPU work, and the records of synchronization, which are only counted: the calls tell who waited.
#include <fmt/format.h>

#include <tuple>

#include "profiler/trace/api_table.h"
#include "profiler/trace/import/nsys_import.h"
#include "profiler/trace/import/nsys_kinds.h"

namespace zerostall {
namespace {

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
  NsysProcess* last = nullptr;
  Cell last_cell = Cell::null;
  std::int64_t last_global = 0;
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
    if (cell != last_cell || global != last_global || last == nullptr) {
      if (cell == Cell::other) ++unreadable_values;
      last = import.make(cell == Cell::integer ? process_of(global) : 0);
      last_cell = cell;
      last_global = global;
    }
    NsysProcess* process = last;
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
  const auto expected = static_cast<std::size_t>(import.db.guess_rows(**table));
  OpReader reader{import};
  const auto rows = import.scan(**table, columns_with(std::move(own)), 2, [&](const SqliteRow& row) {
    RawGpuOp op;
    NsysProcess* process = reader.read_common(row, op);
    if (process == nullptr || !finish(reader, row, op, *process)) return true;
    auto& ops = process->trace.gpu_ops;
    if (ops.empty() && import.processes.size() == 1) ops.reserve(expected + expected / 4);  // most are kernels
    ops.push_back(op);
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

// Names of copies as Kineto writes them, made once for each combination.
class CopyNames {
 public:
  StringId of(NsysImport& import, NsysProcess& process, const NsysCopyKind& kind, const NsysMemory& source,
              const NsysMemory& target) {
    const auto [entry, is_new] = names_.try_emplace({&process, &kind, &source, &target});
    if (is_new)
      entry->second =
          import.intern(process, fmt::format("Memcpy {} ({} -> {})", kind.short_name, source.label, target.label));
    return entry->second;
  }

 private:
  std::map<std::tuple<NsysProcess*, const NsysCopyKind*, const NsysMemory*, const NsysMemory*>, StringId> names_;
};

Result<bool> read_copies(NsysImport& import, const NsysKinds& kinds) {
  const NsysCopyKind unknown_kind;
  const NsysMemory unknown_memory;
  const std::string no_cause;
  CopyNames names;
  return read_table(
      import, "CUPTI_ACTIVITY_KIND_MEMCPY", {"copyKind", "bytes", "srcKind", "dstKind", "migrationCause"},
      [&](OpReader& reader, const SqliteRow& row, RawGpuOp& op, NsysProcess& process) {
        const NsysCopyKind& kind = reader.look_up(row, kOwn, kinds.copies, unknown_kind);
        if (kind.migration) {
          const std::string& cause = reader.look_up(row, kOwn + 4, kinds.causes, no_cause);
          ++process.trace.contents[fmt::format("unified_memory: {}{}{}", kind.label, cause.empty() ? "" : ", ", cause)];
          return false;
        }
        const NsysMemory& source = reader.look_up(row, kOwn + 2, kinds.memories, unknown_memory);
        const NsysMemory& target = reader.look_up(row, kOwn + 3, kinds.memories, unknown_memory);
        op.kind = GpuOpKind::copy;
        op.direction = kind.direction;
        op.bytes = reader.read_bytes(row, kOwn + 1);
        op.source = source.kind;
        op.target = target.kind;
        op.name = names.of(import, process, kind, source, target);
        return true;
      });
}

Result<bool> read_memsets(NsysImport& import, const NsysKinds& kinds) {
  const NsysMemory unknown_memory;
  return read_table(import, "CUPTI_ACTIVITY_KIND_MEMSET", {"bytes", "memKind"},
                    [&](OpReader& reader, const SqliteRow& row, RawGpuOp& op, NsysProcess&) {
                      op.kind = GpuOpKind::memset;
                      op.bytes = reader.read_bytes(row, kOwn);
                      op.target = reader.look_up(row, kOwn + 1, kinds.memories, unknown_memory).kind;
                      return true;
                    });
}

}  // namespace

Result<bool> read_nsys_gpu_ops(NsysImport& gpu) {
  const auto kinds = read_nsys_kinds(gpu);
  if (!kinds) return kinds.error();
  const auto graphs = read_table(gpu, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", {},
                                 [](OpReader&, const SqliteRow&, RawGpuOp& op, NsysProcess&) {
                                   op.kind = GpuOpKind::graph;
                                   return true;
                                 });
  bool any = false;
  for (const auto& read : {read_kernels(gpu), read_copies(gpu, *kinds), read_memsets(gpu, *kinds), graphs}) {
    if (!read) return read.error();
    any = any || *read;
  }
  return any;
}

void take_gpu_ops(NsysImport& import, NsysImport& gpu) {
  for (NsysProcess& from : gpu.processes) {
    NsysProcess* to = import.find(Cell::integer, from.id * (std::int64_t{1} << 24));  // 0: not told
    auto& contents = to == nullptr ? import.contents : to->trace.contents;
    for (const auto& [name, count] : from.trace.contents) contents[name] += count;
    auto& ops = from.trace.gpu_ops;
    if (to == nullptr) {
      import.odd("gpu_ops_without_process", static_cast<std::int64_t>(ops.size()));
      continue;
    }
    std::vector<StringId> names(from.trace.strings.size());
    for (StringId id = 0; id < names.size(); ++id) names[id] = import.intern(*to, from.trace.strings.text(id));
    for (RawGpuOp& op : ops) op.name = names[op.name];
    if (to->trace.gpu_ops.empty())
      to->trace.gpu_ops = std::move(ops);
    else
      to->trace.gpu_ops.insert(to->trace.gpu_ops.end(), ops.begin(), ops.end());
    if (const auto missing = from.trace.oddities.find("missing_strings"); missing != from.trace.oddities.end())
      to->trace.oddities["missing_strings"] += missing->second;
  }
  for (const auto& [name, count] : gpu.contents) import.contents[name] += count;
  for (const auto& [name, count] : gpu.oddities) import.oddities[name] += count;
  import.lost_gpu_ops += gpu.lost_gpu_ops;
  if (!import.texts.failure) import.texts.failure = gpu.texts.failure;
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
