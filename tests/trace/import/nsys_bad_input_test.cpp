// Databases that are damaged or hostile: a clear error or a correct reading, never a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "profiler/trace/build_trace.h"
#include "profiler/trace/import/nsys.h"
#include "tests/faults/fault_count.h"
#include "tests/trace/import/nsys_builder.h"

namespace zerostall {
namespace {

using ::testing::HasSubstr;
using testing::import_bytes;
using ::testing::IsEmpty;
using testing::NsysBuilder;

constexpr auto kRuntime = "CUPTI_ACTIVITY_KIND_RUNTIME";

std::int64_t odd(const RawTrace& trace, const char* name) {
  const auto found = trace.oddities.find(name);
  return found == trace.oddities.end() ? 0 : found->second;
}

void one_call(NsysBuilder& db) { db.call("cudaStreamSynchronize_v3020", 100, 200, 7).kernel(10, 20, 7); }

TEST(NsysBad, EveryCut) {
  NsysBuilder db;
  one_call(db);
  const std::string bytes = db.bytes();
  testing::FaultCount faults("file_cut_inside");
  for (std::size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 101) {
    faults.next();
    EXPECT_FALSE(import_bytes(bytes.substr(0, size))) << size;
  }
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
  EXPECT_TRUE(trace.truncated);
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

TEST(NsysBad, ProcessToldOnTheHostOnly) {  // and 0 for NULL, as older exports have it
  NsysBuilder db;
  one_call(db);
  db.kernel(30, 40, 7).range("step 1", 5, 300).range("never ends", 50, 0);
  db.sql(
      "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = iif(start < 30, NULL, 0);"
      "UPDATE NVTX_EVENTS SET globalTid = 0");
  RawTrace raw = std::move(db.traces()[0]);
  EXPECT_EQ(raw.meta.pid, 100);
  EXPECT_THAT(raw.oddities, IsEmpty());
  const Trace trace = build_trace(std::move(raw));
  EXPECT_EQ(trace.gpu_ops.size(), 2u);
  ASSERT_EQ(trace.ranges.size(), 2u);
  EXPECT_FALSE(trace.ranges[0].open);
  EXPECT_TRUE(trace.ranges[1].open);
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

TEST(NsysBad, AnyBytes) {
  NsysBuilder db;
  one_call(db);
  db.range("step 1", 50, 900).copy(110, 190, 7, 1, 0).sync(3, 7).diagnostic(2, "CUDA");
  const std::string good = db.bytes();
  std::mt19937 random(7);
  int read = 0;
  testing::FaultCount faults("file_flipped_inside");
  for (int round = 0; round < 300; ++round) {
    faults.next();
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
