// What is not events: who wrote the file, on which machine, and what the profiler had to say.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "profiler/trace/import/nsys_import.h"

namespace zerostall {
namespace {

constexpr std::int64_t kMostRows = 100'000;  // of a table that describes

// The rows of a table of texts and numbers that may be missing; `each` looks at one.
template <class Each>
Result<Done> for_rows(NsysImport& import, const std::string& table, std::vector<std::string> columns,
                      const Each& each) {
  if (!import.db.has(table)) return Done{};
  std::int64_t count = 0;
  const auto read = import.db.scan(table, columns, [&](const SqliteRow& row) {
    if (++count > kMostRows) return false;
    each(row);
    return true;
  });
  if (!read) return read.error();
  if (count > kMostRows)
    return Error{fmt::format("{}: table {}: damaged: more than {} rows", import.db.name(), table, kMostRows)};
  return Done{};
}

std::int64_t number_at(const SqliteRow& row, int column, std::int64_t missing = -1) {
  std::int64_t value = 0;
  return row.integer(column, value) == Cell::integer ? value : missing;
}

Result<Done> read_export(NsysImport& import) {
  std::string version, schema;
  const auto read = for_rows(import, "META_DATA_EXPORT", {"name", "value"}, [&](const SqliteRow& row) {
    const auto name = row.text(0), value = row.text(1);
    if (!name || !value) return;
    if (!is_utf8(*value)) import.odd("text_not_utf8");
    if (*name == "EXPORT_PRODUCT_VERSION") version = *value;
    if (*name == "EXPORT_SCHEMA_VERSION") schema = *value;
  });
  std::string tool = "Nsight Systems";
  if (!version.empty()) tool += " " + version;
  if (!schema.empty()) tool += fmt::format(" (schema {})", schema);
  for (NsysProcess& process : import.processes) {
    process.trace.meta.format = "nsys";
    process.trace.meta.tool = tool;
  }
  return read;
}

Result<Done> read_session(NsysImport& import) {
  return for_rows(import, "TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, [&](const SqliteRow& row) {
    std::int64_t start = 0;
    if (row.integer(0, start) != Cell::integer || start <= 0) return;
    for (NsysProcess& process : import.processes) process.trace.meta.start_utc_ns = start;
  });
}

Result<Done> read_processes(NsysImport& import) {
  if (!import.has_calls) return Done{};
  for (NsysProcess& process : import.processes)
    if (process.id != 0) process.trace.meta.pid = process.id & 0xffffff;
  return for_rows(import, "PROCESSES", {"globalPid", "pid", "name"}, [&](const SqliteRow& row) {
    std::int64_t global = 0, pid = 0;
    if (row.integer(0, global) != Cell::integer) return;
    const auto process = import.by_id.find(process_of(global));
    if (process == import.by_id.end()) return;
    if (row.integer(1, pid) == Cell::integer && pid > 0) process->second->trace.meta.pid = pid;
    if (const auto name = row.text(2))
      process->second->trace.meta.program = std::filesystem::path(std::string(*name)).filename().string();
  });
}

// Which GPU a process means by a number is told by one table, by a column, or by there being one kind alone.
struct Gpu {
  std::string name;
  std::int64_t id = -1, cuda_id = -1;
  nlohmann::ordered_json properties{};  // under the names of the file's columns
};

void set_device(const Gpu& gpu, TraceMeta& meta) {
  meta.device_name = gpu.name;
  meta.device = gpu.properties.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Result<Done> read_devices(NsysImport& import) {
  std::vector<Gpu> gpus;
  const std::vector<std::string> columns = {"name",        "id",      "deviceId",  "cuDevice",
                                            "totalMemory", "smCount", "clockRate", "memoryBandwidth"};
  auto read = for_rows(import, "TARGET_INFO_GPU", columns, [&](const SqliteRow& row) {
    const auto name = row.text(0);
    if (!name || name->empty()) return;
    Gpu gpu{std::string(*name), number_at(row, 1, number_at(row, 2)), number_at(row, 3)};
    gpu.properties["name"] = gpu.name;
    for (int i = 4; i < static_cast<int>(columns.size()); ++i)
      if (const std::int64_t value = number_at(row, i); value > 0)
        gpu.properties[columns[static_cast<std::size_t>(i)]] = value;
    gpus.push_back(std::move(gpu));
    ++import.contents[fmt::format("device: {}", *name)];
  });
  if (!read) return read;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> gpu_of;  // process, its number of the device
  read = for_rows(import, "TARGET_INFO_CUDA_DEVICE", {"pid", "cudaId", "gpuId"}, [&](const SqliteRow& row) {
    gpu_of[{number_at(row, 0), number_at(row, 1)}] = number_at(row, 2);
  });
  if (!read) return read;
  const bool alike = std::all_of(gpus.begin(), gpus.end(), [&](const Gpu& g) { return g.name == gpus.front().name; });
  for (NsysProcess& process : import.processes) {
    TraceMeta& meta = process.trace.meta;
    if (alike && !gpus.empty()) set_device(gpus.front(), meta);
    if (process.trace.gpu_ops.empty() || alike) continue;
    const std::int64_t device = process.trace.gpu_ops.front().device;
    auto mapped = gpu_of.find({meta.pid.value_or(-1), device});
    if (mapped == gpu_of.end()) mapped = gpu_of.find({process.id & 0xffffff, device});
    for (const Gpu& gpu : gpus)
      if (mapped != gpu_of.end() ? gpu.id == mapped->second : gpu.cuda_id == device) set_device(gpu, meta);
  }
  return Done{};
}

std::optional<std::int64_t> number_in(std::string_view text) {
  while (!text.empty() && text.front() == '"') text.remove_prefix(1);
  while (!text.empty() && text.back() == '"') text.remove_suffix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// The place of a process in its job, from the few variables that tell it. The rest of the environment is not kept.
Result<Done> read_job(NsysImport& import) {
  const auto ranks = for_rows(import, "MPI_RANKS", {"globalPid", "rank"}, [&](const SqliteRow& row) {
    std::int64_t global = 0, rank = 0;
    const Cell cell = row.integer(0, global);
    NsysProcess* process = import.find(cell, global);
    if (process != nullptr && row.integer(1, rank) == Cell::integer && rank >= 0) process->trace.meta.rank = rank;
  });
  if (!ranks) return ranks;
  if (import.processes.size() != 1) return Done{};  // a launcher's variables are not those of its processes
  TraceMeta& meta = import.processes.front().trace.meta;
  return for_rows(import, "META_DATA_CAPTURE", {"name", "value"}, [&](const SqliteRow& row) {
    const auto name = row.text(0), value = row.text(1);
    if (!name || !value || *name != "PROCESS_0:ENVIRONMENT_VARIABLE") return;
    const std::size_t equals = std::min(value->find('='), value->size());
    const std::string_view variable = value->substr(0, equals);
    const auto number = number_in(value->substr(std::min(equals + 1, value->size())));
    if (!number) return;
    if (variable == "RANK" || (variable == "OMPI_COMM_WORLD_RANK" && !meta.rank)) meta.rank = number;
    if (variable == "LOCAL_RANK" || (variable == "OMPI_COMM_WORLD_LOCAL_RANK" && !meta.local_rank))
      meta.local_rank = number;
    if (variable == "WORLD_SIZE" || (variable == "OMPI_COMM_WORLD_SIZE" && !meta.world_size)) meta.world_size = number;
  });
}

// The kinds of tables that are counted but not read.
Result<Done> count_others(NsysImport& import) {
  for (const std::string& table : import.db.tables()) {
    const bool counted = table.starts_with("CUPTI_ACTIVITY_KIND_") || table.starts_with("NVTX_EVENTS") ||
                         table.starts_with("CUDA_GRAPH_") || table.starts_with("CUDA_UM_") ||
                         table == "PROFILER_OVERHEAD";
    if (!counted || import.contents.contains(table)) continue;
    const auto count = import.db.count_rows(table);
    if (!count) return count.error();
    import.contents[table] = *count;
  }
  return Done{};
}

}  // namespace

Result<Done> read_nsys_meta(NsysImport& import) {
  for (const auto part : {read_export, read_session, read_processes, read_devices, read_job, count_others})
    if (const auto read = part(import); !read) return read;
  return Done{};
}

}  // namespace zerostall
