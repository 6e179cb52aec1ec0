#include "profiler/trace/build_trace.h"

#include <gtest/gtest.h>

#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;

std::vector<std::string> names(const Trace& trace, ThreadIndex thread) {
  std::vector<std::string> list;
  for (const Call& call : trace.calls_of(thread)) list.emplace_back(trace.text(call.name));
  return list;
}

TEST(BuildTrace, PutsParentsBeforeChildrenByDepthNotByTime) {
  TraceBuilder t;
  t.cost_ns = 0;  // all stamps equal
  t.call("cudaMemcpy_v3020", [&] { t.call("cuMemcpyHtoD_v2", [&] { t.call("cuStreamSynchronize"); }); });
  t.call("cudaFree_v3020");
  const Trace trace = t.trace();
  EXPECT_EQ(names(trace, 0),
            (std::vector<std::string>{"cudaMemcpy", "cuMemcpyHtoD_v2", "cuStreamSynchronize", "cudaFree"}));
  EXPECT_TRUE(trace.calls[0].outermost);
  EXPECT_EQ(trace.calls[1].parent, 0u);
  EXPECT_EQ(trace.calls[2].parent, 1u);
  EXPECT_FALSE(trace.calls[1].outermost);
  EXPECT_FALSE(trace.calls[2].outermost);
  EXPECT_TRUE(trace.calls[3].outermost);
  EXPECT_EQ(trace.calls[3].parent, kNoIndex);
  EXPECT_TRUE(trace.oddities.empty());
}

TEST(BuildTrace, DoesNotLetCallsOfNoInterestHideOthers) {
  TraceBuilder t;
  t.call("cudaProfilerStop_v4000", [&] { t.call("cuCtxSynchronize"); });
  const Trace trace = t.trace();
  EXPECT_FALSE(trace.calls[0].outermost);
  EXPECT_TRUE(trace.calls[1].outermost);
}

TEST(BuildTrace, LetsACallWhoseParentIsMissingStandForItself) {
  TraceBuilder t;
  t.launch();
  t.call("cuStreamSynchronize").depth = 1;  // the file ends before its parent returned
  const Trace trace = t.trace();
  EXPECT_TRUE(trace.calls[1].outermost);
  EXPECT_EQ(trace.oddities.at("orphaned_calls"), 1);
}

TEST(BuildTrace, KeepsThreadsApart) {
  TraceBuilder t;
  t.on_thread(5).launch();
  t.on_thread(9).sync();
  t.on_thread(5).sync();
  const Trace trace = t.trace();
  ASSERT_EQ(trace.threads.size(), 2u);
  EXPECT_EQ(trace.threads[0].id, 5u);
  EXPECT_EQ(names(trace, 0), (std::vector<std::string>{"cudaLaunchKernel", "cudaStreamSynchronize"}));
  EXPECT_EQ(names(trace, 1), (std::vector<std::string>{"cudaStreamSynchronize"}));
}

TEST(BuildTrace, LinksGpuWorkToTheOutermostCall) {
  TraceBuilder t;
  std::uint32_t inner = 0;
  t.call("cudaLaunchKernel_v7000", [&] { inner = t.call("cuLaunchKernel").correlation; });
  t.launch();
  t.gpu_ops[0].correlation = inner;
  const Trace trace = t.trace();
  ASSERT_EQ(trace.gpu_ops.size(), 1u);
  EXPECT_EQ(trace.gpu_ops[0].call, 0u);
  EXPECT_EQ(trace.calls[0].op, 0u);
  EXPECT_EQ(trace.gpu_ops[0].launch_ns, trace.calls[0].begin_ns);
}

TEST(BuildTrace, BelievesTheCopyRecordMoreThanTheCall) {
  TraceBuilder t;
  t.copy("cudaMemcpyAsync_v3020", kByAddress, 64, kPinned);
  t.gpu_ops.back().copy_kind = 2;
  t.gpu_ops.back().target_memory = kPageable;
  t.gpu_ops.back().bytes = 60;
  const Trace trace = t.trace();
  EXPECT_EQ(trace.calls[0].direction, CopyDirection::device_to_host);
  EXPECT_EQ(trace.calls[0].host_memory, MemoryKind::pageable);
  EXPECT_EQ(trace.calls[0].bytes, 60u);
}

TEST(BuildTrace, TakesTheDirectionFromArgumentsOrNameWithoutARecord) {
  TraceBuilder t;
  t.copy("cudaMemcpyAsync_v3020", kHostToDevice, 64, kPinned, 7, false);
  t.copy("cuMemcpyDtoHAsync_v2", 254, 64, kPinned, 7, false);
  t.copy("cudaMemcpyAsync_v3020", kByAddress, 64, kPinned, 7, false);
  const Trace trace = t.trace();
  EXPECT_EQ(trace.calls[0].direction, CopyDirection::host_to_device);
  EXPECT_EQ(trace.calls[1].direction, CopyDirection::device_to_host);
  EXPECT_EQ(trace.calls[2].direction, CopyDirection::unknown);
  EXPECT_EQ(trace.calls[0].host_memory, MemoryKind::unknown);
}

TEST(BuildTrace, CountsBadTimesAndUnlinkedWork) {
  TraceBuilder t;
  for (int i = 0; i < 5; ++i) t.launch();
  t.gpu_ops[0].begin_ns = 0;
  t.gpu_ops[1].end_ns = t.gpu_ops[1].begin_ns - 1;
  t.gpu_ops[2].begin_ns = t.now_ns - 300 - 20'001;
  t.gpu_ops[3].correlation = 999;
  const Trace trace = t.trace();
  EXPECT_EQ(trace.oddities.at("bad_times"), 3);
  EXPECT_EQ(trace.oddities.at("unlinked_gpu_ops"), 1);
}

TEST(BuildTrace, PairsRangesPerThreadAndDomain) {
  TraceBuilder t;
  t.range("outer", [&] {
    t.range(
        "other domain", [&] { t.mark(format::MarkKind::start, "by id", "zerostall", 77); }, "nccl");
    t.range("inner", [] {});
    t.mark(format::MarkKind::end, "", "", 77);
  });
  t.mark(format::MarkKind::pop, "", "zerostall");
  t.mark(format::MarkKind::push, "never closed", "zerostall");
  t.mark(format::MarkKind::instant, "now", "zerostall");
  const Trace trace = t.trace();
  std::vector<std::string> texts;
  for (const Range& range : trace.ranges) texts.emplace_back(trace.text(range.text));
  EXPECT_EQ(texts, (std::vector<std::string>{"outer", "other domain", "by id", "inner", "never closed", "now"}));
  EXPECT_GT(trace.ranges[0].end_ns, trace.ranges[3].end_ns);
  EXPECT_FALSE(trace.ranges[2].open);
  EXPECT_TRUE(trace.ranges[4].open);
  EXPECT_TRUE(trace.ranges[5].instant);
  EXPECT_EQ(trace.oddities.at("unmatched_pops"), 1);
  EXPECT_EQ(trace.oddities.at("open_ranges"), 1);
}

TEST(BuildTrace, TellsTheDefaultStreamsApart) {
  TraceBuilder t;
  t.sync("cudaStreamSynchronize_v3020", 0);
  t.sync("cudaStreamSynchronize_v3020", 1);
  t.sync("cudaStreamSynchronize_ptsz_v7000", 0);
  t.sync("cudaStreamSynchronize_v3020", 2);
  const Trace trace = t.trace();
  EXPECT_EQ(trace.calls[0].stream, trace.calls[1].stream);
  EXPECT_EQ(trace.calls[2].stream, trace.calls[3].stream);
  EXPECT_NE(trace.calls[0].stream, trace.calls[2].stream);
}

TEST(BuildTrace, SumsLostRecordsAndRepairsReversedCalls) {
  TraceBuilder t;
  t.note(format::NoteKind::lost_records, "x", 3);
  t.note(format::NoteKind::lost_records, "y", 4);
  format::CallRecord& call = t.sync();
  call.end_ns = call.begin_ns - 5;
  const Trace trace = t.trace();
  EXPECT_EQ(trace.lost_records, 7);
  EXPECT_EQ(trace.calls[0].end_ns, trace.calls[0].begin_ns);
  EXPECT_EQ(trace.oddities.at("reversed_calls"), 1);
}

TEST(BuildTrace, TakesAnEmptyTrace) {
  const Trace trace = build_trace({});
  EXPECT_TRUE(trace.calls.empty());
  EXPECT_TRUE(trace.threads.empty());
}

}  // namespace
}  // namespace zerostall
