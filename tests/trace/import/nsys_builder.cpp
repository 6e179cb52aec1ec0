#include "tests/trace/import/nsys_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>

namespace zerostall::testing {
namespace {

constexpr const char* kEnums =
    "CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);"
    "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (0, 'CUDA_MEMCPY_KIND_UNKNOWN', 'Unknown'),"
    " (1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device'), (2, 'CUDA_MEMCPY_KIND_DTOH', 'Device-to-Host'),"
    " (8, 'CUDA_MEMCPY_KIND_DTOD', 'Device-to-Device'),"
    " (11, 'CUDA_MEMCPY_KIND_UVM_HTOD', 'Unified Host-to-Device');"
    "CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);"
    "INSERT INTO ENUM_CUDA_MEM_KIND VALUES (0, 'CUDA_MEMOPR_MEMORY_KIND_PAGEABLE', 'Pageable'),"
    " (1, 'CUDA_MEMOPR_MEMORY_KIND_PINNED', 'Pinned'), (2, 'CUDA_MEMOPR_MEMORY_KIND_DEVICE', 'Device'),"
    " (4, 'CUDA_MEMOPR_MEMORY_KIND_MANAGED', 'Managed'), (7, 'CUDA_MEMOPR_MEMORY_KIND_UNKNOWN', 'Unknown');"
    "CREATE TABLE ENUM_CUDA_UNIF_MEM_MIGRATION (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);"
    "INSERT INTO ENUM_CUDA_UNIF_MEM_MIGRATION VALUES (1, 'CAUSE_USER', 'User');"
    "CREATE TABLE ENUM_CUPTI_SYNC_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);"
    "INSERT INTO ENUM_CUPTI_SYNC_TYPE VALUES (3, 'STREAM_SYNCHRONIZE', 'Stream sync');"
    "CREATE TABLE ENUM_NSYS_EVENT_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);"
    "INSERT INTO ENUM_NSYS_EVENT_TYPE VALUES (34, 'NvtxMark', ''), (59, 'NvtxPushPopRange', ''),"
    " (60, 'NvtxStartEndRange', ''), (75, 'NvtxDomainCreate', ''), (76, 'NvtxDomainDestroy', '');"
    "CREATE TABLE ENUM_DIAGNOSTIC_SEVERITY_LEVEL (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);"
    "INSERT INTO ENUM_DIAGNOSTIC_SEVERITY_LEVEL VALUES (1, 'Info', 'Info'), (2, 'Warning', 'Warning'),"
    " (3, 'Error', 'Error');"
    "CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);"
    "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2025.1.1.110'),"
    " ('EXPORT_SCHEMA_VERSION', '3.17.1');"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);"
    "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1753837769774933180, '', '');";

const std::map<std::string, std::string>& columns_of_tables() {
  static const std::string common =
      "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,"
      "streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER";
  static const std::map<std::string, std::string> columns = {
      {"StringIds", "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL"},
      {"CUPTI_ACTIVITY_KIND_RUNTIME",
       "start INTEGER NOT NULL, end INTEGER, eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER,"
       "nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL"},
      {"CUPTI_ACTIVITY_KIND_KERNEL",
       common + ", demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, graphNodeId INTEGER"},
      {"CUPTI_ACTIVITY_KIND_MEMCPY", common + ", bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER,"
                                              "dstKind INTEGER, migrationCause INTEGER"},
      {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", common + ", syncType INTEGER NOT NULL, eventId INTEGER"},
      {"NVTX_EVENTS",
       "start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER,"
       "color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER"},
      {"DIAGNOSTIC_EVENT",
       "timestamp INTEGER NOT NULL, timestampType INTEGER NOT NULL, source INTEGER NOT NULL, severity INTEGER NOT NULL,"
       "text TEXT NOT NULL, globalPid INTEGER"}};
  return columns;
}

}  // namespace

NsysBuilder::NsysBuilder(bool old) : old_(old) {
  if (sqlite3_open(":memory:", &db_) != SQLITE_OK) throw std::runtime_error("no memory for a database");
  need("StringIds");
  run("CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT);");
  if (!old_) run(kEnums);
}

NsysBuilder::~NsysBuilder() { sqlite3_close(db_); }

NsysBuilder& NsysBuilder::on(std::int64_t process, std::int64_t thread) {
  process_ = process;
  thread_ = thread;
  return *this;
}

NsysBuilder& NsysBuilder::call(const std::string& name, std::int64_t begin, std::int64_t end,
                               std::int64_t correlation) {
  need("CUPTI_ACTIVITY_KIND_RUNTIME");
  run(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({}, {}, 0, {}, {}, {}, 0)", begin, end, global(),
                  correlation, text_id(name)));
  return *this;
}

NsysBuilder& NsysBuilder::kernel(std::int64_t begin, std::int64_t end, std::int64_t correlation) {
  need("CUPTI_ACTIVITY_KIND_KERNEL");
  run(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({}, {}, 0, 1, 7, {}, {}, {}, {}, NULL)", begin, end,
                  correlation, global(), text_id("add<float>(int)"), text_id("add")));
  return *this;
}

NsysBuilder& NsysBuilder::copy(std::int64_t begin, std::int64_t end, std::int64_t correlation, std::int64_t kind,
                               std::int64_t source, std::int64_t target, std::int64_t bytes) {
  need("CUPTI_ACTIVITY_KIND_MEMCPY");
  run(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES ({}, {}, 0, 1, 7, {}, {}, {}, {}, {}, {}, {})", begin,
                  end, correlation, global(), bytes, kind, source, target, kind == kMigration ? "1" : "NULL"));
  return *this;
}

NsysBuilder& NsysBuilder::sync(std::int64_t type, std::int64_t correlation) {
  need("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION");
  run(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (1, 2, 0, 1, 7, {}, {}, {}, 0)", correlation,
                  global(), type));
  return *this;
}

NsysBuilder& NsysBuilder::range(const std::string& text, std::int64_t begin, std::int64_t end, std::int64_t domain) {
  need("NVTX_EVENTS");
  run(
      fmt::format("INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) VALUES ({}, {}, {}, {}, "
                  "{}, {})",
                  begin, end, static_cast<std::int64_t>(kPushPop), literal(text), global(), domain));
  return *this;
}

NsysBuilder& NsysBuilder::event(std::int64_t type, const std::string& text, std::int64_t begin, std::int64_t domain) {
  need("NVTX_EVENTS");
  run(fmt::format("INSERT INTO NVTX_EVENTS (start, eventType, textId, globalTid, domainId) VALUES ({}, {}, {}, {}, {})",
                  begin, type, text_id(text), global(), domain));
  return *this;
}

NsysBuilder& NsysBuilder::diagnostic(int severity, const std::string& text) {
  need("DIAGNOSTIC_EVENT");
  run(fmt::format("INSERT INTO DIAGNOSTIC_EVENT VALUES (5, 1, 1, {}, {}, {})", severity, literal(text), global()));
  return *this;
}

NsysBuilder& NsysBuilder::sql(const std::string& statements) {
  for (const auto& [table, columns] : columns_of_tables())
    if (statements.find(table) != std::string::npos) need(table);
  run(statements);
  return *this;
}

std::int64_t NsysBuilder::text_id(const std::string& text) {
  const auto known = std::find(texts_.begin(), texts_.end(), text);
  const auto id = known - texts_.begin() + 1;
  if (known != texts_.end()) return id;
  texts_.push_back(text);
  run(fmt::format("INSERT INTO StringIds VALUES ({}, {})", id, literal(text)));
  return id;
}

std::string NsysBuilder::literal(const std::string& text) const {
  std::string hex;
  for (const char c : text) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return fmt::format("CAST(x'{}' AS TEXT)", hex);
}

void NsysBuilder::need(const std::string& table) {
  if (!tables_.insert(table).second) return;
  run(fmt::format("CREATE TABLE {} ({})", table, columns_of_tables().at(table)));
}

void NsysBuilder::run(const std::string& statements) {
  char* message = nullptr;
  if (sqlite3_exec(db_, statements.c_str(), nullptr, nullptr, &message) == SQLITE_OK) return;
  const std::string error = fmt::format("{}: {}", statements, message);
  sqlite3_free(message);
  throw std::runtime_error(error);
}

std::string NsysBuilder::bytes() {
  sqlite3_int64 size = 0;
  unsigned char* data = sqlite3_serialize(db_, "main", &size, 0);
  std::string bytes(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
  sqlite3_free(data);
  return bytes;
}

void NsysBuilder::write(const std::filesystem::path& path) {
  const std::string all = bytes();
  std::ofstream(path, std::ios::binary).write(all.data(), static_cast<std::streamsize>(all.size()));
}

std::vector<RawTrace> NsysBuilder::traces() {
  auto read = import_bytes(bytes());
  if (!read) throw std::runtime_error(read.error().message);
  return std::move(*read);
}

std::string NsysBuilder::error() {
  const auto read = import_bytes(bytes());
  return read ? "" : read.error().message;
}

Result<std::vector<RawTrace>> import_bytes(const std::string& bytes) {
  return parse_nsys(std::as_bytes(std::span(bytes)), "test.sqlite", {});
}

}  // namespace zerostall::testing
