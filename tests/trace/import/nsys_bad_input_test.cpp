// Databases that are damaged, hostile, in use, or something else: a clear error or a correct reading, never a crash.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "profiler/base/files.h"
#include "profiler/trace/build_trace.h"
#include "profiler/trace/import/nsys.h"
#include "profiler/trace/import/sqlite_file.h"
#include "tests/trace/import/nsys_builder.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::import_bytes;
using ::testing::IsEmpty;
using testing::NsysBuilder;

constexpr auto kRuntime = "CUPTI_ACTIVITY_KIND_RUNTIME";

std::int64_t odd(const RawTrace& trace, const char* name) {
  const auto found = trace.oddities.find(name);
  return found == trace.oddities.end() ? 0 : found->second;
}

struct InFolder : ::testing::Test {
  TempFolder folder = std::move(*TempFolder::make());
  fs::path path = folder.path() / "a b%?#.sqlite";
  std::string error() const {
    const auto read = import_nsys(path, {});
    return read ? "" : read.error().message;
  }
  void write(const std::string& bytes) const {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
};

// Opened by a program of its own, as SQLite sees it.
struct Connection {
  explicit Connection(const fs::path& path) { EXPECT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK); }
  ~Connection() { sqlite3_close(db); }
  void run(const char* sql) const { ASSERT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sql; }
  sqlite3* db = nullptr;
};

void one_call(NsysBuilder& db) { db.call("cudaStreamSynchronize_v3020", 100, 200, 7).kernel(10, 20, 7); }

TEST_F(InFolder, FileIsReadAndLeftAsItWas) {
  NsysBuilder db;
  one_call(db);
  db.write(path);
  const auto before = fs::last_write_time(path);
  ASSERT_EQ(error(), "");
  EXPECT_EQ(fs::last_write_time(path), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST_F(InFolder, WhatIsNoFile) {
  EXPECT_THAT(error(), AllOf(HasSubstr(path.string()), HasSubstr("No such file")));
  fs::create_directory(path);
  EXPECT_THAT(error(), HasSubstr("not a file"));
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(error(), HasSubstr("not a file"));
}

TEST_F(InFolder, WhatMayNotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  write("x");
  fs::permissions(path, fs::perms::none);
  EXPECT_THAT(error(), HasSubstr("Permission denied"));
}

TEST_F(InFolder, LockedDatabaseIsRead) {
  NsysBuilder db;
  one_call(db);
  db.write(path);
  const Connection other(path);
  other.run("BEGIN EXCLUSIVE");
  EXPECT_EQ(error(), "");
}

TEST_F(InFolder, WriteAheadLogIsRead) {
  NsysBuilder db;
  one_call(db);
  db.write(path);
  const Connection other(path);
  other.run(
      "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT "
      "start + 1000, end + 1000, eventClass, globalTid, correlationId + 1, nameId, 0 FROM "
      "CUPTI_ACTIVITY_KIND_RUNTIME");
  ASSERT_GT(fs::file_size(path.string() + "-wal"), 32u);
  const auto read = import_nsys(path, {});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->front().calls.size(), 2u);
}

TEST_F(InFolder, DatabaseOfWriteAheadKindWithoutALog) {
  NsysBuilder db;
  one_call(db);
  std::string bytes = db.bytes();
  bytes[18] = bytes[19] = 2;
  write(bytes);
  EXPECT_EQ(error(), "");
  EXPECT_TRUE(import_bytes(bytes));
  EXPECT_FALSE(fs::exists(path.string() + "-wal"));
}

TEST_F(InFolder, InterruptedExportIsSaidToBe) {
  NsysBuilder db;
  one_call(db);
  db.write(path);
  std::ofstream(path.string() + "-journal") << "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7 and more";
  EXPECT_THAT(error(), HasSubstr("interrupted or still runs"));
}

TEST_F(InFolder, OtherDatabasesAreNamed) {
  write(std::string("SQLite format 3\0", 16));
  EXPECT_THAT(error(), HasSubstr("cut off after 16 bytes"));
  write("{\"traceEvents\": []}");
  EXPECT_THAT(error(), HasSubstr("not an SQLite database"));
  fs::remove(path);
  Connection(path).run("CREATE TABLE songs (title TEXT)");
  EXPECT_THAT(error(), HasSubstr("an SQLite database, but no export of Nsight Systems"));
  Connection(path).run("CREATE TABLE rocpd_region_0001 (id INTEGER)");
  EXPECT_THAT(error(), HasSubstr("a rocpd database (rocprofv3): not supported yet"));
  EXPECT_EQ(describe_sqlite(path), "a rocpd database (rocprofv3): not supported yet");
  Connection(path).run("CREATE TABLE rocpd_api (id INTEGER)");
  EXPECT_EQ(describe_sqlite(path), "an RPD database (rocmProfileData): not supported yet");
}

TEST(NsysBad, EveryCut) {
  NsysBuilder db;
  one_call(db);
  const std::string bytes = db.bytes();
  for (std::size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 101)
    EXPECT_FALSE(import_bytes(bytes.substr(0, size))) << size;
}

TEST(NsysBad, NothingBehindTheHeader) {
  NsysBuilder db;
  one_call(db);
  std::string bytes = db.bytes();
  std::fill(bytes.begin() + 100, bytes.end(), '\0');
  const auto read = import_bytes(bytes);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("test.sqlite: table sqlite_master: "));
}

TEST(NsysBad, ViewInsteadOfATable) {
  NsysBuilder db;
  one_call(db);
  db.sql(
      "ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME RENAME TO other;"
      "CREATE VIEW CUPTI_ACTIVITY_KIND_RUNTIME AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
      "SELECT i AS start, i AS end, 1 AS nameId FROM n");
  EXPECT_THAT(db.error(), HasSubstr("table CUPTI_ACTIVITY_KIND_RUNTIME is a view"));
}

TEST(NsysBad, ViewsAndTriggersBesideTheTablesDoNothing) {
  NsysBuilder db;
  one_call(db);
  db.sql(
      "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;"
      "CREATE TRIGGER t AFTER INSERT ON StringIds BEGIN DELETE FROM StringIds; END;"
      "CREATE INDEX i ON CUPTI_ACTIVITY_KIND_RUNTIME (start, end, nameId)");
  EXPECT_EQ(db.traces()[0].calls.size(), 1u);
}

TEST(NsysBad, MissingTablesAndColumns) {
  NsysBuilder without_texts, without_column, empty;
  without_texts.call("cudaStreamSynchronize_v3020", 1, 2).sql("DROP TABLE StringIds");
  const RawTrace trace = std::move(without_texts.traces()[0]);
  EXPECT_EQ(trace.strings.text(trace.calls[0].name), "(name lost)");
  EXPECT_EQ(odd(trace, "missing_strings"), 1);
  without_column.call("cudaStreamSynchronize_v3020", 1, 2);
  without_column.sql("ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME DROP COLUMN nameId");
  EXPECT_EQ(without_column.error(), "test.sqlite: table CUPTI_ACTIVITY_KIND_RUNTIME has no column nameId");
  EXPECT_EQ(odd(empty.traces()[0], "no_runtime_table"), 1);
}

TEST(NsysBad, NumberOfANameThatIsNotThere) {
  NsysBuilder db;
  one_call(db);
  db.sql(
      "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET nameId = 9999; INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start, "
      "end, "
      "0, globalTid, 9, -5, 0 FROM CUPTI_ACTIVITY_KIND_RUNTIME; INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start, "
      "end, 0, globalTid, 10, 9223372036854775807, 0 FROM CUPTI_ACTIVITY_KIND_RUNTIME LIMIT 1");
  const RawTrace trace = std::move(db.traces()[0]);
  EXPECT_EQ(trace.calls.size(), 3u);
  EXPECT_EQ(odd(trace, "missing_strings"), 3);
}

TEST(NsysBad, TextAndNothingWhereNumbersMustBe) {
  NsysBuilder db;
  one_call(db);
  db.call("cudaStreamSynchronize_v3020", 300, 400, 8).call("cudaStreamSynchronize_v3020", 500, 600, 9);
  db.call("cudaStreamSynchronize_v3020", 700, 800, 10);
  db.sql(
      "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = '12 monkeys' WHERE start = 100;"
      "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET end = NULL WHERE start = 300;"
      "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET correlationId = x'07', returnValue = 'no' WHERE start = 500;"
      "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET nameId = 1.5 WHERE start = 700");
  const RawTrace trace = std::move(db.traces()[0]);
  ASSERT_EQ(trace.calls.size(), 2u);
  EXPECT_EQ(trace.calls[0].end_ns, 300);
  EXPECT_EQ(trace.calls[1].correlation, 0u);
  EXPECT_EQ(odd(trace, "unreadable_rows"), 2);
  EXPECT_EQ(odd(trace, "calls_without_end"), 1);
  EXPECT_EQ(odd(trace, "unreadable_values"), 2);
  EXPECT_EQ(trace.lost_calls, 2);
  EXPECT_EQ(trace.contents.at(kRuntime), 4);
}

TEST(NsysBad, NoRowThatCanBeRead) {
  NsysBuilder db;
  one_call(db);
  db.sql("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = 'never'");
  EXPECT_EQ(db.error(), "test.sqlite: table CUPTI_ACTIVITY_KIND_RUNTIME: no row has times and a name");
  NsysBuilder kernels;
  one_call(kernels);
  kernels.sql("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 'never'");
  EXPECT_EQ(kernels.error(), "test.sqlite: table CUPTI_ACTIVITY_KIND_KERNEL: no row has times");
}

TEST(NsysBad, HugeAndNegativeNumbers) {
  NsysBuilder db;
  one_call(db);
  db.call("cudaStreamSynchronize_v3020", -500, -400, 8);
  db.call("cudaStreamSynchronize_v3020", INT64_MIN + 1, 5, 9).call("cudaStreamSynchronize_v3020", 5, INT64_MAX, 10);
  db.call("cudaStreamSynchronize_v3020", 900, 950, INT64_MAX).call("cudaStreamSynchronize_v3020", 960, 970, -1);
  db.kernel(INT64_MAX, INT64_MAX, 7).copy(1000, 1100, 8, INT64_MAX, INT64_MIN + 1, 2, -4);
  const auto traces = db.traces();
  const RawTrace& trace = traces[0];
  EXPECT_EQ(trace.calls.size(), 4u);
  EXPECT_EQ(trace.calls[0].begin_ns, -500);
  EXPECT_EQ(odd(trace, "unreadable_rows"), 3);
  EXPECT_EQ(odd(trace, "unreadable_values"), 5);  // two correlations, kind, memory, bytes
  EXPECT_EQ(trace.lost_calls, 2);
  ASSERT_EQ(trace.notes.size(), 1u);
  EXPECT_EQ(trace.notes[0].kind, NoteKind::lost_records);
  EXPECT_EQ(trace.gpu_ops.back().direction, CopyDirection::unknown);
}

TEST(NsysBad, ProcessUnknown) {
  NsysBuilder db;
  one_call(db);
  db.sql(
      "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = NULL; UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = "
      "NULL");
  const auto traces = db.traces();
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_FALSE(traces[0].meta.pid);
  EXPECT_EQ(traces[0].gpu_ops.size(), 1u);
}

TEST(NsysBad, TooManyProcesses) {
  NsysBuilder db;
  one_call(db);
  db.sql(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO "
      "CUPTI_ACTIVITY_KIND_RUNTIME SELECT i, i, 0, i << 24, i, 1, 0 FROM n");
  EXPECT_THAT(db.error(), HasSubstr("more than 4096 processes"));
}

TEST(NsysBad, TextsWithoutAKey) {
  NsysBuilder db;
  one_call(db);
  db.sql("CREATE TABLE t AS SELECT * FROM StringIds; DROP TABLE StringIds; ALTER TABLE t RENAME TO StringIds");
  const RawTrace trace = std::move(db.traces()[0]);
  EXPECT_EQ(trace.strings.text(trace.calls[0].name), "cudaStreamSynchronize_v3020");
}

void put(std::string& bytes, std::size_t place, std::size_t count, std::uint64_t value) {
  for (std::size_t i = 0; i < count; ++i) bytes[place + i] = static_cast<char>(value >> 8 * (count - 1 - i));
}

// Gives a table with one page of rows a tree of eight levels above it, all of whose branches lead to that page.
std::string with_endless_rows(const fs::path& path, const std::string& table) {
  constexpr std::size_t kPage = 4096, kCells = 500, kLevels = 8;
  std::size_t root = 0;
  {
    const Connection file(path);
    sqlite3_exec(
        file.db, ("SELECT rootpage FROM sqlite_master WHERE name = '" + table + "'").c_str(),
        [](void* to, int, char** values, char**) {
          *static_cast<std::size_t*>(to) = std::strtoull(values[0], nullptr, 10);
          return 0;
        },
        &root, nullptr);
  }
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_GT(root, 1u);
  std::string leaf = bytes.substr((root - 1) * kPage, kPage);
  bytes += leaf;
  for (std::size_t level = 0; level < kLevels; ++level) {
    const std::size_t child = bytes.size() / kPage;
    std::string page(kPage, '\0');
    page[0] = 5;  // interior page of a table
    put(page, 3, 2, kCells);
    put(page, 5, 2, kPage - 5 * kCells);
    put(page, 8, 4, child);
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      put(page, 12 + 2 * cell, 2, kPage - 5 * (cell + 1));
      put(page, kPage - 5 * (cell + 1), 5, child << 8 | 1);  // child, largest row number
    }
    if (level + 1 < kLevels)
      bytes += page;
    else
      bytes.replace((root - 1) * kPage, kPage, page);
  }
  put(bytes, 28, 4, bytes.size() / kPage);
  return bytes;
}

TEST_F(InFolder, RowsThatNeverEndAreDamage) {
  NsysBuilder db;
  one_call(db);
  db.sql("CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT AS SELECT * FROM CUPTI_ACTIVITY_KIND_RUNTIME");
  for (const char* table : {"CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_KERNEL",
                            "CUPTI_ACTIVITY_KIND_CUDA_EVENT", "META_DATA_EXPORT", "ENUM_CUDA_MEM_KIND"}) {
    db.write(path);
    const auto read = import_bytes(with_endless_rows(path, table));
    ASSERT_FALSE(read) << table;
    EXPECT_THAT(read.error().message, HasSubstr(std::string("table ") + table + ": damaged: more ")) << table;
  }
}

TEST(NsysBad, AnyBytes) {
  NsysBuilder db;
  one_call(db);
  db.range("step 1", 50, 900).copy(110, 190, 7, 1, 0).sync(3, 7).diagnostic(2, "CUDA");
  const std::string good = db.bytes();
  std::mt19937 random(7);
  int read = 0;
  for (int round = 0; round < 300; ++round) {
    std::string bytes = good;
    for (int change = 0; change < 1 + round % 20; ++change)
      bytes[100 + random() % (bytes.size() - 100)] = static_cast<char>(random());
    auto traces = import_bytes(bytes);
    if (!traces) {
      EXPECT_THAT(traces.error().message, ::testing::StartsWith("test.sqlite: "));
      continue;
    }
    ++read;
    for (RawTrace& trace : *traces) build_trace(std::move(trace));
  }
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace zerostall
