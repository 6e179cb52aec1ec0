// Databases as files: in use, cut, something else than they seem, or with pages that lead nowhere.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "profiler/base/files.h"
#include "profiler/trace/import/nsys.h"
#include "profiler/trace/import/sqlite_file.h"
#include "tests/trace/import/nsys_builder.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::import_bytes;
using testing::NsysBuilder;

struct NsysFile : ::testing::Test {
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

TEST_F(NsysFile, FileIsReadAndLeftAsItWas) {
  NsysBuilder db;
  one_call(db);
  db.write(path);
  const auto before = fs::last_write_time(path);
  ASSERT_EQ(error(), "");
  EXPECT_EQ(fs::last_write_time(path), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST_F(NsysFile, SecondThreadReadsTheSame) {
  NsysBuilder db;
  one_call(db);
  db.on(300, 301);
  one_call(db);
  db.sql(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 15000) INSERT INTO "
      "CUPTI_ACTIVITY_KIND_RUNTIME SELECT start + i * 1000, end + i * 1000, 0, globalTid, correlationId + i, nameId, 0 "
      "FROM CUPTI_ACTIVITY_KIND_RUNTIME, n; INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start + 1, end + 2, 0, 1, 7, "
      "correlationId, globalTid, 2, 2, NULL FROM CUPTI_ACTIVITY_KIND_RUNTIME");
  db.write(path);
  ASSERT_GT(fs::file_size(path), 1u << 20);
  ReadOptions one, two;
  one.threads = 1;
  two.threads = 2;
  const auto a = import_nsys(path, one), b = import_nsys(path, two);
  ASSERT_TRUE(a && b);
  ASSERT_EQ(a->size(), 2u);
  ASSERT_EQ(b->size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const RawTrace &x = (*a)[i], &y = (*b)[i];
    EXPECT_EQ(x.calls.size(), 15001u);
    EXPECT_EQ(y.calls.size(), 15001u);
    ASSERT_EQ(x.gpu_ops.size(), y.gpu_ops.size());
    for (std::size_t op = 0; op < x.gpu_ops.size(); ++op) {
      EXPECT_EQ(x.gpu_ops[op].begin_ns, y.gpu_ops[op].begin_ns);
      EXPECT_EQ(x.strings.text(x.gpu_ops[op].name), y.strings.text(y.gpu_ops[op].name));
    }
    EXPECT_EQ(x.contents, y.contents);
    EXPECT_EQ(x.oddities, y.oddities);
  }
}

TEST_F(NsysFile, WhatIsNoFile) {
  EXPECT_THAT(error(), AllOf(HasSubstr(path.string()), HasSubstr("No such file")));
  fs::create_directory(path);
  EXPECT_THAT(error(), HasSubstr("not a file"));
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(error(), HasSubstr("not a file"));
}

TEST_F(NsysFile, WhatMayNotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  write("x");
  fs::permissions(path, fs::perms::none);
  EXPECT_THAT(error(), HasSubstr("Permission denied"));
}

TEST_F(NsysFile, LockedDatabaseIsRead) {
  NsysBuilder db;
  one_call(db);
  db.write(path);
  const Connection other(path);
  other.run("BEGIN EXCLUSIVE");
  EXPECT_EQ(error(), "");
}

TEST_F(NsysFile, WriteAheadLogIsRead) {
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

TEST_F(NsysFile, DatabaseOfWriteAheadKindWithoutALog) {
  NsysBuilder db;
  one_call(db);
  std::string bytes = db.bytes();
  bytes[18] = bytes[19] = 2;
  write(bytes);
  EXPECT_EQ(error(), "");
  EXPECT_TRUE(import_bytes(bytes));
  EXPECT_FALSE(fs::exists(path.string() + "-wal"));
}

TEST_F(NsysFile, InterruptedExportIsSaidToBe) {
  NsysBuilder db;
  one_call(db);
  db.write(path);
  std::ofstream(path.string() + "-journal") << "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7 and more";
  EXPECT_THAT(error(), HasSubstr("interrupted or still runs"));
}

TEST_F(NsysFile, OtherDatabasesAreNamed) {
  write(std::string("SQLite format 3\0", 16));
  EXPECT_THAT(error(), HasSubstr("cut off after 16 bytes"));
  write("{\"traceEvents\": []}");
  EXPECT_THAT(error(), HasSubstr("not an SQLite database"));
  fs::remove(path);
  Connection(path).run("CREATE TABLE songs (title TEXT)");
  EXPECT_THAT(error(), HasSubstr("an SQLite database, but no export of Nsight Systems"));
  Connection(path).run("CREATE TABLE rocpd_region_0001 (id INTEGER)");
  EXPECT_THAT(error(), HasSubstr("a rocpd database (rocprofv3): not supported yet"));
  Connection(path).run("CREATE TABLE rocpd_api (id INTEGER)");
  EXPECT_THAT(error(), HasSubstr("an RPD database (rocmProfileData): not supported yet"));
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

TEST_F(NsysFile, RowsThatNeverEndAreDamage) {
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

}  // namespace
}  // namespace zerostall
