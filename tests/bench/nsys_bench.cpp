// How fast an export of Nsight Systems is read, against a bare scan of the same columns by SQLite's C API in the same
// run: nsys_bench [EXPORT.sqlite [ROWS]]. The export is repeated with shifted times and correlations until it has ROWS
// rows of events (3 million). Without an export: two public ones, of CUDA calls and of NVTX ranges above all.
#include <fmt/format.h>
#include <sqlite3.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "figure.h"
#include "profiler/base/files.h"
#include "profiler/trace/import/nsys.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
constexpr int kRounds = 5;

// What the importer reads of each table of events.
struct Table {
  const char* name;
  const char* columns;  // integers
  const char* text;     // or nullptr
};
constexpr Table kTables[] = {
    {"CUPTI_ACTIVITY_KIND_RUNTIME", "start, end, nameId, globalTid, correlationId, returnValue", nullptr},
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     "start, end, globalPid, correlationId, deviceId, contextId, streamId, graphNodeId, demangledName", nullptr},
    {"CUPTI_ACTIVITY_KIND_MEMCPY",
     "start, end, globalPid, correlationId, deviceId, contextId, streamId, graphNodeId, copyKind, bytes, srcKind, "
     "dstKind",
     nullptr},
    {"CUPTI_ACTIVITY_KIND_MEMSET",
     "start, end, globalPid, correlationId, deviceId, contextId, streamId, graphNodeId, bytes, memKind", nullptr},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "syncType, correlationId, globalPid", nullptr},
    {"NVTX_EVENTS", "start, eventType, end, textId, globalTid, domainId", "text"}};

struct Database {
  Database(const fs::path& path, int flags) {
    if (sqlite3_open_v2(path.c_str(), &db, flags, nullptr) != SQLITE_OK) throw std::runtime_error(sqlite3_errmsg(db));
  }
  ~Database() { sqlite3_close(db); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql) const {
    if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
      throw std::runtime_error(sql + ": " + sqlite3_errmsg(db));
  }
  std::vector<std::vector<std::string>> rows(const std::string& sql) const {
    std::vector<std::vector<std::string>> all;
    const auto add = [](void* to, int count, char** values, char**) {
      auto& row = static_cast<decltype(all)*>(to)->emplace_back();
      for (int i = 0; i < count; ++i) row.emplace_back(values[i] == nullptr ? "" : values[i]);
      return 0;
    };
    if (sqlite3_exec(db, sql.c_str(), add, &all, nullptr) != SQLITE_OK)
      throw std::runtime_error(sql + ": " + sqlite3_errmsg(db));
    return all;
  }
  std::int64_t number(const std::string& sql) const { return std::stoll(rows(sql).at(0).at(0)); }

  sqlite3* db = nullptr;
};

std::vector<Table> tables_in(const Database& database) {
  std::vector<Table> tables;
  for (const Table& table : kTables)
    if (database.number(fmt::format("SELECT count(*) FROM sqlite_master WHERE name = '{}'", table.name)) > 0)
      tables.push_back(table);
  return tables;
}

// Appends shifted copies of all events until there are `wanted`; returns how many there are.
std::int64_t repeat(const fs::path& path, std::int64_t wanted) {
  const Database database(path, SQLITE_OPEN_READWRITE);
  const auto tables = tables_in(database);
  std::int64_t rows = 0, last = 0, first_correlation = INT64_MAX, last_correlation = 0;
  for (const Table& table : tables) {
    rows += database.number(fmt::format("SELECT count(*) FROM {}", table.name));
    for (const char* which : {"min", "max"}) {
      if (table.text != nullptr) break;  // NVTX has no correlations
      const std::int64_t value = database.number(fmt::format("SELECT {}(correlationId) FROM {}", which, table.name));
      first_correlation = std::min(first_correlation, value);
      last_correlation = std::max(last_correlation, value);
    }
    last = std::max(last, database.number(fmt::format("SELECT max(end) FROM {}", table.name)));
  }
  const std::int64_t times = (wanted + rows - 1) / rows;
  database.run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN");
  for (const Table& table : tables) {
    std::string terms;
    for (const auto& column : database.rows(fmt::format("PRAGMA table_info({})", table.name))) {
      const std::string& name = column.at(1);
      const std::int64_t shift = name == "start" || name == "end" ? last
                                 : name == "correlationId"        ? last_correlation - first_correlation + 1
                                                                  : 0;
      terms +=
          fmt::format("{}\"{}\"{}", terms.empty() ? "" : ", ", name, shift > 0 ? fmt::format(" + n * {}", shift) : "");
    }
    database.run(
        fmt::format("CREATE TEMP TABLE once AS SELECT * FROM {0}; WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL "
                    "SELECT n + 1 FROM c WHERE n < {1}) INSERT INTO {0} SELECT {2} FROM c CROSS JOIN once; "
                    "DROP TABLE once",
                    table.name, times - 1, terms));
  }
  database.run("COMMIT");
  return rows * times;
}

std::int64_t scan(const Database& database) {
  std::int64_t sum = 0;
  for (const Table& table : tables_in(database)) {
    const std::string sql = fmt::format("SELECT {}{}{} FROM {}", table.columns, table.text == nullptr ? "" : ", ",
                                        table.text == nullptr ? "" : table.text, table.name);
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database.db, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
      throw std::runtime_error(sqlite3_errmsg(database.db));
    const int columns = sqlite3_column_count(statement) - (table.text == nullptr ? 0 : 1);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      for (int i = 0; i < columns; ++i) sum += sqlite3_column_int64(statement, i);
      if (table.text != nullptr && sqlite3_column_text(statement, columns) != nullptr)
        sum += sqlite3_column_bytes(statement, columns);
    }
    sqlite3_finalize(statement);
  }
  return sum;
}

template <class Action>
double seconds(const Action& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// What one thread computes: others on the machine do not count.
template <class Action>
double cpu_seconds(const Action& action) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double begin = now();
  action();
  return now() - begin;
}

void run(const fs::path& source, std::int64_t wanted, const std::string& id, const std::string& what) {
  auto folder = TempFolder::make();
  if (!folder) throw std::runtime_error(folder.error().message);
  const fs::path path = folder->path() / "large.sqlite";
  fs::copy_file(source, path);
  const std::int64_t rows = repeat(path, wanted);
  fmt::print("{}: {} rows of events, {} MB\n", source.filename().string(), rows, fs::file_size(path) >> 20);
  const auto import = [&](unsigned threads) {
    ReadOptions options;
    options.threads = threads;
    auto traces = import_nsys(path, options);
    if (!traces) throw std::runtime_error(traces.error().message);
    return traces;
  };
  double bare = 1e9, one = 1e9, one_elapsed = 1e9, two = 1e9;
  std::int64_t sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    bare =
        std::min(bare, cpu_seconds([&] { sum += scan(Database(path, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX)); }));
    Result<std::vector<RawTrace>> traces = Error{};
    double cpu = 0;
    one_elapsed = std::min(one_elapsed, seconds([&] { cpu = cpu_seconds([&] { traces = import(1); }); }));
    one = std::min(one, cpu);
    traces = Error{};
    two = std::min(two, seconds([&] { traces = import(2); }));
    sum += static_cast<std::int64_t>(traces->size());
  }
  const auto show = [&](const char* what, double time) {
    fmt::print("{:38} {:.3f} s  {:.2f} M rows/s  {:.2f} of a bare scan\n", what, time,
               static_cast<double>(rows) / time / 1e6, bare / time);
  };
  show("bare scan (CPU time)", bare);
  show("import_nsys, one thread (CPU time)", one);
  show("import_nsys, one thread (elapsed)", one_elapsed);
  show("import_nsys, two threads (elapsed)", two);
  if (sum == 0) throw std::runtime_error("nothing was read");
  const auto speed = [&](double time) {
    return fmt::format("{:.2f} M rows/s", static_cast<double>(rows) / time / 1e6);
  };
  tell({id, what + ", to finished trace, of a bare scan of its columns", "x", bare / one, speed(one)});
  tell({id + ".two", what + ", two threads", "x", bare / two, speed(two)});
}

}  // namespace
}  // namespace zerostall

int main(int argc, char** argv) {
  const char* folder = std::getenv("ZEROSTALL_TRACES");
  const std::filesystem::path traces = folder != nullptr ? folder : ZEROSTALL_SOURCE_DIR "/../shared/traces";
  try {
    const std::int64_t rows = argc > 2 ? std::atoll(argv[2]) : 3'000'000;
    if (argc > 1) return zerostall::run(argv[1], rows, "import.sqlite.own", "this SQLite export"), 0;
    zerostall::run(traces / "nsys-nvtx-steps.sqlite", rows, "import.sqlite.calls", "SQLite export");
    zerostall::run(traces / "nsys-mfu-after.sqlite", rows, "import.sqlite.nvtx", "SQLite export, 60 % NVTX rows");
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "nsys_bench: {}\n", error.what());
    return 2;
  }
}
