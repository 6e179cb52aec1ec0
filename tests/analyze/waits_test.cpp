#include "profiler/analyze/waits.h"

#include <gtest/gtest.h>

#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;

constexpr const char* kAsync = "cudaMemcpyAsync_v3020";
constexpr const char* kSync = "cudaMemcpy_v3020";

// Each wait in words; those in no total have their kind in front.
std::vector<std::string> waits_of(const Trace& trace) {
  std::vector<std::string> list;
  for (const Wait& wait : find_waits(trace)) {
    std::string kind;
    if (wait.kind == WaitKind::implicit) kind = "implicit: ";
    if (wait.kind == WaitKind::spin) kind = "spin: ";
    if (wait.kind == WaitKind::queue_full) kind = "queue full: ";
    if (wait.kind == WaitKind::unknown_copy) kind = "unknown: ";
    list.push_back(kind + describe(trace, wait));
  }
  return list;
}
using List = std::vector<std::string>;

void record_event(TraceBuilder& t, std::uint64_t event, std::uint64_t stream = 7) {
  format::CallRecord& record = t.call("cudaEventRecord_v3020");
  record.handle = event;
  record.stream = stream;
}

TEST(FindWaits, MergesACopyAndItsSync) {
  TraceBuilder t;
  t.item();
  t.upload(512);
  const Trace trace = t.trace();
  EXPECT_EQ(waits_of(trace), (List{"cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize",
                                   "cudaMemcpyAsync 512 B host to device + cudaStreamSynchronize"}));
  const auto waits = find_waits(trace);
  EXPECT_EQ(waits[0].begin_ns, trace.calls[0].begin_ns);
  EXPECT_EQ(waits[0].end_ns, trace.calls[1].end_ns);
  EXPECT_FALSE(waits[0].host_to_device);
  EXPECT_TRUE(waits[1].host_to_device);
}

TEST(FindWaits, DoesNotMergeAcrossALaunch) {
  TraceBuilder t;
  t.copy(kAsync, kHostToDevice, 8, kPageable);
  t.launch();
  t.sync();
  t.copy(kAsync, kHostToDevice, 8, kPinned);
  t.call("cudaMemsetAsync_v3020");
  t.sync();
  EXPECT_EQ(waits_of(t.trace()), (List{"cudaMemcpyAsync 8 B host to device (pageable memory)", "cudaStreamSynchronize",
                                       "cudaStreamSynchronize"}));
}

TEST(FindWaits, MergesOnlyTheLastOfSeveralCopies) {
  TraceBuilder t;
  t.copy(kAsync, kHostToDevice, 1, kPageable);
  t.copy(kAsync, kHostToDevice, 2, kPinned);
  t.copy(kAsync, kHostToDevice, 3, kPageable);
  t.sync();
  EXPECT_EQ(waits_of(t.trace()), (List{"cudaMemcpyAsync 1 B host to device (pageable memory)",
                                       "cudaMemcpyAsync 3 B host to device + cudaStreamSynchronize"}));
}

TEST(FindWaits, MergesOnlyWithASyncThatCoversTheCopy) {
  TraceBuilder t;
  t.copy(kAsync, kDeviceToHost, 4, kPinned, 7);
  t.sync("cudaStreamSynchronize_v3020", 8);  // another stream
  t.copy(kAsync, kDeviceToHost, 4, kPinned, 7);
  t.sync("cudaDeviceSynchronize_v3020", 0);
  EXPECT_EQ(waits_of(t.trace()),
            (List{"cudaStreamSynchronize", "cudaMemcpyAsync 4 B device to host + cudaDeviceSynchronize"}));
}

TEST(FindWaits, MergesWithAnEventRecordedBehindTheCopyOnly) {
  TraceBuilder t;
  const auto read = [&](std::uint64_t recorded, std::uint64_t stream, std::uint64_t waited) {
    t.copy(kAsync, kDeviceToHost, 4, kPinned);
    record_event(t, recorded, stream);
    t.sync("cudaEventSynchronize_v3020", 0).handle = waited;
    t.launch();
  };
  read(0xe1, 7, 0xe1);
  read(0xe1, 7, 0xe2);  // waits for an older event
  read(0xe1, 9, 0xe1);  // recorded on another stream
  EXPECT_EQ(waits_of(t.trace()), (List{"cudaMemcpyAsync 4 B device to host + cudaEventSynchronize",
                                       "cudaEventSynchronize", "cudaEventSynchronize"}));
}

TEST(FindWaits, ClassifiesCopiesByApiAndHostMemory) {
  TraceBuilder t;
  t.copy(kSync, kHostToDevice, 1, kPinned);
  t.copy(kAsync, kHostToDevice, 2, kPinned);
  t.copy(kAsync, kDeviceToHost, 3, kPageable);
  t.copy(kSync, kDeviceToDevice, 4, kDevice);
  t.copy(kAsync, kHostToDevice, 5, kManaged);
  t.copy(kAsync, kHostToDevice, 6, kUnknownMemory);
  t.copy(kAsync, kHostToDevice, 7, kPinned, 7, false);  // no record: the kind of memory is not known
  t.copy(kAsync, kByAddress, 8, kPinned, 7, false);     // nor is the direction
  t.copy(kSync, kHostToDevice, 9, kPinned, 7, false);   // blocks whatever the memory
  EXPECT_EQ(waits_of(t.trace()),
            (List{"cudaMemcpy 1 B host to device", "cudaMemcpyAsync 3 B device to host (pageable memory)",
                  "unknown: cudaMemcpyAsync 5 B host to device (managed memory)",
                  "unknown: cudaMemcpyAsync 6 B host to device (unknown memory)",
                  "unknown: cudaMemcpyAsync 7 B host to device (unknown memory)",
                  "unknown: cudaMemcpyAsync 8 B unknown (unknown memory)", "cudaMemcpy 9 B host to device"}));
}

TEST(FindWaits, MergesACopyOfUnknownMemoryWithItsSync) {
  TraceBuilder t;
  t.copy(kAsync, kHostToDevice, 7, kPinned, 7, false);
  t.sync();
  EXPECT_EQ(waits_of(t.trace()), (List{"cudaMemcpyAsync 7 B host to device + cudaStreamSynchronize"}));
}

TEST(FindWaits, CountsOnlyTheOutermostCall) {
  TraceBuilder t;
  t.call("cudaStreamSynchronize_v3020", [&] { t.call("cuStreamSynchronize"); });
  t.call("cudaFree_v3020", [&] { t.call("cuCtxSynchronize"); });
  t.call("cudaLaunchKernel_v7000", [&] { t.call("cuStreamSynchronize"); });
  EXPECT_EQ(waits_of(t.trace()), (List{"cudaStreamSynchronize", "implicit: cudaFree"}));
}

TEST(FindWaits, NeverCountsStreamOrderedCallsOrReadyQueries) {
  TraceBuilder t;
  for (const char* name : {"cudaStreamWaitEvent_v3020", "cudaMallocAsync_v11020", "cudaFreeAsync_v11020",
                           "cudaEventQuery_v3020", "cudaStreamQuery_v3020", "cudaEventRecord_v3020"})
    t.call(name);
  t.launch();
  EXPECT_EQ(waits_of(t.trace()), List{});
}

TEST(FindWaits, CallsThreeNotReadyQueriesInARowASpin) {
  TraceBuilder t;
  const auto poll = [&](int times, std::int32_t result = 600) {
    for (int i = 0; i < times; ++i) t.call("cudaEventQuery_v3020").result = result;
  };
  poll(2);
  t.launch();  // breaks the row
  poll(3);
  poll(1, 0);
  poll(2);
  t.now_ns += 1'000'001;  // too long ago to be one loop
  poll(2);
  const Trace trace = t.trace();
  EXPECT_EQ(waits_of(trace), (List{"spin: cudaEventQuery"}));
  EXPECT_FALSE(find_waits(trace)[0].failed);
  EXPECT_FALSE(is_host_wait(WaitKind::spin));
}

TEST(FindWaits, MarksFailedCalls) {
  TraceBuilder t;
  t.sync().result = 700;
  const Trace trace = t.trace();
  EXPECT_EQ(waits_of(trace), (List{"cudaStreamSynchronize (failed)"}));
  EXPECT_TRUE(find_waits(trace)[0].failed);
}

TEST(FindWaits, KnowsWhetherTheDeviceRanDry) {
  TraceBuilder t;
  t.launch(7);
  t.sync();  // all work was on that stream
  t.launch(7);
  const std::int64_t first_end = t.gpu_ops.back().end_ns;
  t.launch(8);  // still running when the event is complete
  format::CallRecord& wait = t.call("cudaEventSynchronize_v3020");
  wait.context = 1;
  wait.end_ns = t.now_ns = first_end;
  const auto waits = find_waits(t.trace());
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].drains, true);
  EXPECT_EQ(waits[1].drains, false);
}

TEST(FindWaits, LeavesDrainsUnknownWhenRecordsAreMissing) {
  TraceBuilder lost;
  lost.item();
  lost.note(format::NoteKind::lost_records, "x", 1);
  EXPECT_EQ(find_waits(lost.trace())[0].drains, std::nullopt);
  TraceBuilder cut;
  cut.item();
  cut.closed = false;
  EXPECT_EQ(find_waits(cut.trace())[0].drains, std::nullopt);
  TraceBuilder never_taken;
  never_taken.launch();
  never_taken.sync();
  never_taken.gpu_ops.clear();
  EXPECT_EQ(find_waits(never_taken.trace())[0].drains, std::nullopt);
}

TEST(FindWaits, TellsALaunchBlockedByAFullQueueFromASync) {
  TraceBuilder t;
  for (int i = 0; i < 1100; ++i) t.launch();
  t.launch().end_ns += 5'000;
  t.now_ns += 5'000;
  EXPECT_EQ(waits_of(t.trace()), (List{"queue full: cudaLaunchKernel"}));
}

TEST(FindWaits, WorksOnAClockThatStandsStill) {
  TraceBuilder t;
  t.cost_ns = 0;
  t.kernel_ns = 0;
  for (int i = 0; i < 3; ++i) t.launch(), t.item();
  EXPECT_EQ(find_waits(t.trace()).size(), 3u);
}

TEST(FindWaits, FollowsEachThreadOnItsOwn) {
  TraceBuilder t;
  t.on_thread(1).copy(kAsync, kDeviceToHost, 4, kPinned);
  t.on_thread(2).launch();
  t.on_thread(1).sync();
  EXPECT_EQ(waits_of(t.trace()), (List{"cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize"}));
}

}  // namespace
}  // namespace zerostall
