// What the importer makes of the traits that exports have, each in a database of its own.
#include "profiler/trace/import/nsys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/analyze/steps.h"
#include "profiler/trace/build_trace.h"
#include "tests/trace/import/nsys_builder.h"

namespace zerostall {
namespace {

using testing::NsysBuilder;
using namespace testing;  // NOLINT: its numbers
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::vector<std::string> names_of(const RawTrace& trace) {
  std::vector<std::string> names;
  for (const RawCall& call : trace.calls) names.emplace_back(trace.strings.text(call.name));
  return names;
}

std::int64_t odd(const RawTrace& trace, const char* name) {
  const auto found = trace.oddities.find(name);
  return found == trace.oddities.end() ? 0 : found->second;
}

TEST(Nsys, ReadsCallsWorkAndRanges) {
  NsysBuilder db;
  db.range("step 1", 50, 900).call("cudaMemcpyAsync_v3020", 100, 200, 7).copy(110, 190, 7, kHostToDevice, kPageable);
  db.call("cudaLaunchKernel_v7000", 300, 310, 8).kernel(320, 400, 8);
  const auto traces = db.traces();
  ASSERT_EQ(traces.size(), 1u);
  const RawTrace& trace = traces[0];
  EXPECT_THAT(names_of(trace), ElementsAre("cudaMemcpyAsync_v3020", "cudaLaunchKernel_v7000"));
  EXPECT_EQ(trace.calls[0].begin_ns, 100);
  EXPECT_EQ(trace.calls[0].end_ns, 200);
  EXPECT_EQ(trace.calls[0].thread, 100u);
  ASSERT_EQ(trace.gpu_ops.size(), 2u);
  EXPECT_EQ(trace.strings.text(trace.gpu_ops[0].name), "add<float>(int)");
  EXPECT_EQ(trace.gpu_ops[1].direction, CopyDirection::host_to_device);
  EXPECT_EQ(trace.gpu_ops[1].source, MemoryKind::pageable);
  EXPECT_EQ(trace.gpu_ops[1].target, MemoryKind::device);
  EXPECT_EQ(trace.gpu_ops[1].bytes, 4u);
  EXPECT_EQ(trace.strings.text(trace.gpu_ops[1].name), "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(trace.meta.format, "nsys");
  EXPECT_EQ(trace.meta.tool, "Nsight Systems 2025.1.1.110 (schema 3.17.1)");
  EXPECT_EQ(trace.meta.start_utc_ns, 1753837769774933180);
  EXPECT_EQ(trace.meta.pid, 100);
  EXPECT_THAT(trace.oddities, IsEmpty());
  EXPECT_EQ(trace.contents.at("CUPTI_ACTIVITY_KIND_RUNTIME"), 2);
}

TEST(Nsys, KeepsProcessesApart) {  // correlations are unique in a process only
  NsysBuilder db;
  db.on(300, 301).call("cudaMemcpy_v3020", 500, 600, 7).copy(510, 590, 7, kDeviceToHost, kDevice, kPageable);
  db.range("step 1", 400, 900);
  db.on(200, 201).call("cudaMemcpyAsync_v3020", 100, 200, 7).copy(110, 190, 7, kHostToDevice, kPinned);
  const auto traces = db.traces();
  ASSERT_EQ(traces.size(), 2u);  // by first call
  EXPECT_EQ(traces[0].meta.pid, 200);
  EXPECT_THAT(names_of(traces[0]), ElementsAre("cudaMemcpyAsync_v3020"));
  ASSERT_EQ(traces[0].gpu_ops.size(), 1u);
  EXPECT_EQ(traces[0].gpu_ops[0].direction, CopyDirection::host_to_device);
  EXPECT_THAT(traces[0].marks, IsEmpty());
  EXPECT_EQ(traces[1].meta.pid, 300);
  EXPECT_EQ(traces[1].calls[0].thread, 301u);
  EXPECT_EQ(traces[1].gpu_ops[0].direction, CopyDirection::device_to_host);
  EXPECT_EQ(traces[1].marks.size(), 2u);
  for (const RawTrace& trace : traces) EXPECT_THAT(trace.oddities, IsEmpty());
}

TEST(Nsys, DriverCallInsideRuntimeCallIsOneWait) {
  NsysBuilder db;
  db.call("cuStreamSynchronize", 110, 190, 7).call("cudaStreamSynchronize_v3020", 100, 200, 7);
  RawTrace raw = std::move(db.traces()[0]);
  EXPECT_EQ(odd(raw, "duplicate_call_correlation"), 1);
  const Trace trace = build_trace(std::move(raw));
  ASSERT_EQ(trace.calls.size(), 2u);
  EXPECT_EQ(trace.text(trace.calls[0].name), "cudaStreamSynchronize");
  EXPECT_TRUE(trace.calls[0].outermost);
  EXPECT_FALSE(trace.calls[1].outermost);
}

TEST(Nsys, DriverCallsMayHaveTheirOwnTable) {
  NsysBuilder db;
  db.call("cudaStreamSynchronize_v3020", 100, 200, 7);
  db.sql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_DRIVER AS SELECT * FROM CUPTI_ACTIVITY_KIND_RUNTIME;"
      "UPDATE CUPTI_ACTIVITY_KIND_DRIVER SET start = 300, end = 400, correlationId = 8");
  const auto traces = db.traces();
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_EQ(traces[0].calls.size(), 2u);
  EXPECT_EQ(traces[0].contents.at("CUPTI_ACTIVITY_KIND_DRIVER"), 1);
}

TEST(Nsys, VersionedTableNames) {
  NsysBuilder db;
  db.call("cudaStreamSynchronize_v3020", 100, 200, 7).kernel(10, 20, 7);
  db.sql(
      "ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME RENAME TO CUPTI_ACTIVITY_KIND_RUNTIME_V3;"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V2 AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE 0");
  const auto traces = db.traces();
  EXPECT_EQ(traces[0].calls.size(), 1u);
  EXPECT_EQ(traces[0].gpu_ops.size(), 1u);  // of the newest that has rows
  EXPECT_EQ(traces[0].contents.at("CUPTI_ACTIVITY_KIND_RUNTIME_V3"), 1);
  EXPECT_THAT(traces[0].oddities, IsEmpty());
}

TEST(Nsys, OldSchemaWithoutEnumerations) {
  NsysBuilder db(true);
  db.call("cudaMemcpy", 100, 200, 7).copy(110, 190, 7, kHostToDevice, kPinned).sync(1, 7);
  db.range("step 1", 50, 300).event(kMark, "here", 60);
  const RawTrace trace = std::move(db.traces()[0]);
  EXPECT_EQ(trace.meta.tool, "Nsight Systems");
  EXPECT_FALSE(trace.meta.start_utc_ns);
  EXPECT_EQ(trace.gpu_ops[0].direction, CopyDirection::host_to_device);
  EXPECT_EQ(trace.gpu_ops[0].source, MemoryKind::pinned);
  EXPECT_EQ(trace.strings.text(trace.gpu_ops[0].name), "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(trace.contents.at("cuda_sync: 1 no label by cudaMemcpy"), 1);  // its numbers had other meanings then
  ASSERT_EQ(trace.marks.size(), 3u);
  EXPECT_EQ(trace.marks[1].kind, RawMarkKind::end);
  EXPECT_EQ(trace.marks[2].kind, RawMarkKind::instant);
  EXPECT_THAT(trace.oddities, IsEmpty());
}

TEST(Nsys, NumbersMeanWhatTheFileSays) {
  NsysBuilder db;
  db.call("cudaMemcpyAsync_v3020", 100, 200, 7).copy(110, 190, 7, kHostToDevice, kPageable).sync(3, 7);
  db.sql(
      "UPDATE ENUM_CUDA_MEM_KIND SET id = id + 100; UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET srcKind = 101, dstKind = 55");
  const RawTrace trace = std::move(db.traces()[0]);
  EXPECT_EQ(trace.gpu_ops[0].source, MemoryKind::pinned);
  EXPECT_EQ(trace.gpu_ops[0].target, MemoryKind::unknown);
  EXPECT_EQ(odd(trace, "unreadable_values"), 1);  // 55
  EXPECT_EQ(trace.contents.at("cuda_sync: 3 Stream sync by cudaMemcpyAsync"), 1);
}

TEST(Nsys, RangesByTextOrNumberWithDomains) {
  NsysBuilder db;
  db.call("cudaDeviceSynchronize_v3020", 10, 20, 1)
      .event(kDomainCreate, "zerostall", 1, 5)
      .range("step 3", 100, 200, 5);
  db.sql(
      "INSERT INTO NVTX_EVENTS (start, end, eventType, text, textId, globalTid, domainId) VALUES "
      "(300, 400, 60, '', " +
      std::to_string(db.text_id("by number")) + ", " + std::to_string(db.global()) + ", 0)");
  db.event(kPushPop, "never ends", 500).event(76, "no mark", 600);
  const Trace trace = build_trace(std::move(db.traces()[0]));
  ASSERT_EQ(trace.ranges.size(), 3u);
  EXPECT_EQ(trace.text(trace.ranges[0].domain), "zerostall");
  EXPECT_EQ(trace.text(trace.ranges[0].text), "step 3");
  EXPECT_EQ(trace.ranges[0].end_ns, 200);
  EXPECT_EQ(trace.text(trace.ranges[1].text), "by number");
  EXPECT_EQ(trace.ranges[1].end_ns, 400);
  EXPECT_TRUE(trace.ranges[2].open);
  EXPECT_EQ(split_steps(trace).from, StepsFrom::marks);
}

TEST(Nsys, OuterRangeComesFirstWhenTheyBeginTogether) {
  NsysBuilder db;
  db.call("cudaDeviceSynchronize_v3020", 10, 20, 1).range("inner", 100, 150).range("outer", 100, 200);
  const Trace trace = build_trace(std::move(db.traces()[0]));
  ASSERT_EQ(trace.ranges.size(), 2u);
  EXPECT_EQ(trace.text(trace.ranges[0].text), "outer");
}

TEST(Nsys, KeepsTextThatIsNotUtf8) {
  NsysBuilder db;
  db.call("cudaDeviceSynchronize_v3020", 10, 20, 1).range("caf\xe9", 100, 150).range("caf\xe9", 200, 250);
  db.range("caf\xc3\xa9 \xf0\x9f\x8c\x8d", 300, 350);
  const RawTrace trace = std::move(db.traces()[0]);
  EXPECT_EQ(trace.strings.text(trace.marks[0].text), "caf\xe9");
  EXPECT_EQ(odd(trace, "text_not_utf8"), 1);  // each text once
}

TEST(Nsys, MigrationsAreNoCopies) {
  NsysBuilder db;
  db.call("cudaLaunchKernel_v7000", 10, 20, 1).copy(100, 150, 0, kMigration, kManaged);
  const RawTrace trace = std::move(db.traces()[0]);
  EXPECT_THAT(trace.gpu_ops, IsEmpty());
  EXPECT_EQ(trace.contents.at("unified_memory: Unified Host-to-Device, User"), 1);
  EXPECT_EQ(trace.contents.at("CUPTI_ACTIVITY_KIND_MEMCPY"), 1);
}

TEST(Nsys, GraphsAreOnePieceOfWork) {
  NsysBuilder db;
  db.call("cudaGraphLaunch_v10000", 10, 20, 1);
  db.sql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER,"
      "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (30, 90, 0, 1, 7, 1, " +
      std::to_string(db.global()) + ", 3)");
  const Trace trace = build_trace(std::move(db.traces()[0]));
  ASSERT_EQ(trace.gpu_ops.size(), 1u);
  EXPECT_EQ(trace.gpu_ops[0].kind, GpuOpKind::graph);
  EXPECT_EQ(trace.gpu_ops[0].call, 0u);
}

TEST(Nsys, WithoutCallsThereIsOneTraceWithoutCalls) {
  NsysBuilder db;
  db.range("step 1", 100, 200).on(300, 301).range("step 2", 300, 400).kernel(10, 20, 3);
  const auto traces = db.traces();
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_THAT(traces[0].calls, IsEmpty());
  EXPECT_EQ(traces[0].marks.size(), 4u);
  EXPECT_EQ(traces[0].gpu_ops.size(), 1u);
  EXPECT_EQ(odd(traces[0], "no_runtime_table"), 1);
}

TEST(Nsys, WithoutTablesOfWorkNothingIsKnownOfIt) {
  NsysBuilder without, with;
  without.call("cudaLaunchKernel_v7000", 10, 20, 1);
  with.call("cudaLaunchKernel_v7000", 10, 20, 1).kernel(30, 40, 1);
  EXPECT_TRUE(without.traces()[0].meta.counts_only);
  EXPECT_FALSE(with.traces()[0].meta.counts_only);
}

TEST(Nsys, WorkAndMarksOfProcessesWithoutCallsAreCounted) {
  NsysBuilder db;
  db.call("cudaLaunchKernel_v7000", 10, 20, 1).on(300, 301).kernel(30, 40, 1).range("step 1", 10, 20);
  const auto traces = db.traces();
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_EQ(odd(traces[0], "gpu_ops_without_process"), 1);
  EXPECT_EQ(odd(traces[0], "marks_without_process"), 1);
}

TEST(Nsys, NamesOfDevicesAndPrograms) {
  NsysBuilder db;
  db.call("cudaLaunchKernel_v7000", 10, 20, 1).kernel(30, 40, 1);
  db.sql(
      "INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 'A100'), (0, 1, 'H100');"
      "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 100), (0, 0, 999);"
      "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);"
      "INSERT INTO PROCESSES VALUES (" +
      std::to_string(db.global()) + ", 4711, '/usr/bin/python3')");
  const RawTrace trace = std::move(db.traces()[0]);
  EXPECT_EQ(trace.meta.device_name, "H100");  // the second of the machine is the first that this process saw
  EXPECT_EQ(trace.meta.device, R"({"name":"H100"})");
  EXPECT_EQ(trace.meta.program, "python3");
  EXPECT_EQ(trace.meta.pid, 4711);
  EXPECT_EQ(trace.contents.at("device: A100"), 1);
}

TEST(Nsys, RankFromTheFewVariablesThatTellIt) {
  NsysBuilder db;
  db.call("cudaLaunchKernel_v7000", 10, 20, 1);
  db.sql(
      "CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT);"
      "INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ENVIRONMENT_VARIABLE', 'RANK=\"3\"'),"
      "('PROCESS_0:ENVIRONMENT_VARIABLE', 'WORLD_SIZE=\"8\"'), ('PROCESS_0:ENVIRONMENT_VARIABLE', 'TOKEN=\"secret\"'),"
      "('PROCESS_0:ENVIRONMENT_VARIABLE', 'LOCAL_RANK=\"x\"')");
  const RawTrace trace = std::move(db.traces()[0]);
  EXPECT_EQ(trace.meta.rank, 3);
  EXPECT_EQ(trace.meta.world_size, 8);
  EXPECT_FALSE(trace.meta.local_rank);
  for (StringId id = 0; id < trace.strings.size(); ++id) EXPECT_THAT(trace.strings.text(id), Not(HasSubstr("secret")));
}

TEST(Nsys, DiagnosticsOfLostDataBecomeNotes) {
  NsysBuilder db;
  db.call("cudaLaunchKernel_v7000", 10, 20, 1).diagnostic(2, "Not all CUDA events might have been collected.");
  db.diagnostic(3, "12 CUPTI records were dropped\nmore").diagnostic(2, "No NVTX events collected. Does it use NVTX?");
  db.diagnostic(1, "CUDA injection initialized successfully.").diagnostic(2, "perf event paranoid level is 2");
  db.on(300, 301).diagnostic(2, "CUDA profiling might have not been started correctly.");
  const RawTrace trace = std::move(db.traces()[0]);
  ASSERT_EQ(trace.notes.size(), 2u);
  EXPECT_EQ(trace.notes[0].kind, NoteKind::warning);
  EXPECT_EQ(trace.notes[1].kind, NoteKind::lost_records);
  EXPECT_EQ(trace.notes[1].value, 12u);
  EXPECT_EQ(trace.strings.text(trace.notes[1].text), "12 CUPTI records were dropped");
}

TEST(Nsys, OverheadsByTheirNames) {
  NsysBuilder db;
  db.call("cudaLaunchKernel_v7000", 10, 20, 1).kernel(30, 40, 1);
  db.sql(
      "CREATE TABLE ENUM_CUPTI_OVERHEAD_TYPE (id INTEGER, name TEXT, label TEXT);"
      "INSERT INTO ENUM_CUPTI_OVERHEAD_TYPE VALUES (7, 'OVERHEAD_LAZY_FUNCTION_LOADING', ''),"
      "(8, 'OVERHEAD_COMMAND_BUFFER_FULL', '');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER,"
      "overheadType INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES (11, 12, " +
      std::to_string(db.global()) +
      ", 1, 7),"
      "(13, 14, " +
      std::to_string(db.global()) + ", 1, 8), (13, 14, " + std::to_string(db.global()) + ", 1, 9)");
  const RawTrace trace = std::move(db.traces()[0]);
  ASSERT_EQ(trace.overheads.size(), 3u);
  EXPECT_EQ(trace.overheads[0].kind, OverheadKind::function_loading);
  EXPECT_EQ(trace.overheads[1].kind, OverheadKind::queue_full);
  EXPECT_EQ(trace.overheads[2].kind, OverheadKind::other);
  EXPECT_TRUE(trace.meta.tells_queue_full);
}

}  // namespace
}  // namespace zerostall
