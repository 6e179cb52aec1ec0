// What build_trace learns of a call from the GPU's and the driver's own records, and from not knowing its name.
#include <gtest/gtest.h>

#include "profiler/trace/build_trace.h"

namespace zerostall {
namespace {

class Raw {
 public:
  Raw() { raw.meta.clock = Clock::modelled; }

  // A call of 100 ns on thread 1; returns its correlation.
  std::uint32_t call(const std::string& name, std::uint8_t depth = 0) {
    RawCall c;
    c.begin_ns = now;
    c.end_ns = now += 100;
    c.thread = 1;
    c.correlation = next++;
    c.depth = depth;
    c.name = raw.strings.intern(name);
    raw.calls.push_back(c);
    return c.correlation;
  }
  void copied(std::uint32_t correlation, Bytes bytes, CopyDirection direction, MemoryKind source, MemoryKind target) {
    RawGpuOp op;
    op.begin_ns = now;
    op.end_ns = now + 10;
    op.bytes = bytes;
    op.correlation = correlation;
    op.kind = GpuOpKind::copy;
    op.direction = direction;
    op.source = source;
    op.target = target;
    raw.gpu_ops.push_back(op);
  }
  Trace build() { return build_trace(std::move(raw)); }

  RawTrace raw;
  Nanos now = 1000;
  std::uint32_t next = 1;
};

constexpr auto kUp = CopyDirection::host_to_device;
constexpr auto kDown = CopyDirection::device_to_host;

TEST(LinkRecords, ABatchOfCopiesHasTheSizeOfAllOfThem) {
  Raw r;
  const auto batch = r.call("cudaMemcpyBatchAsync_v13000");
  for (const Bytes bytes : {10, 20, 30}) r.copied(batch, bytes, kUp, MemoryKind::pinned, MemoryKind::device);
  const Trace trace = r.build();
  EXPECT_EQ(trace.calls[0].bytes, 60u);
  EXPECT_EQ(trace.calls[0].direction, kUp);
  EXPECT_EQ(trace.calls[0].host_memory, MemoryKind::pinned);
}

TEST(LinkRecords, ABatchInSeveralDirectionsHasNone) {
  Raw r;
  const auto batch = r.call("cuMemcpyBatchAsync_v2");
  r.copied(batch, 10, kUp, MemoryKind::pinned, MemoryKind::device);
  r.copied(batch, 20, kDown, MemoryKind::device, MemoryKind::pinned);
  EXPECT_EQ(r.build().calls[0].direction, CopyDirection::unknown);
}

TEST(LinkRecords, PageableMemoryAnywhereInABatchIsPageableMemory) {
  for (const bool first : {true, false}) {
    Raw r;
    const auto batch = r.call("cuMemcpyBatchAsync_v2");
    r.copied(batch, 10, kUp, first ? MemoryKind::pageable : MemoryKind::pinned, MemoryKind::device);
    r.copied(batch, 10, kUp, first ? MemoryKind::pinned : MemoryKind::pageable, MemoryKind::device);
    EXPECT_EQ(r.build().calls[0].host_memory, MemoryKind::pageable);
  }
  Raw r;
  const auto batch = r.call("cuMemcpyBatchAsync_v2");
  r.copied(batch, 10, kUp, MemoryKind::managed, MemoryKind::device);
  r.copied(batch, 10, kUp, MemoryKind::pinned, MemoryKind::device);
  EXPECT_EQ(r.build().calls[0].host_memory, MemoryKind::unknown);
}

TEST(LinkRecords, AMemsetHasTheMemoryOfItsTarget) {
  Raw r;
  const auto memset = r.call("cudaMemset_v3020");
  r.copied(memset, 8, CopyDirection::none, MemoryKind::unknown, MemoryKind::managed);
  r.raw.gpu_ops[0].kind = GpuOpKind::memset;
  EXPECT_EQ(r.build().calls[0].host_memory, MemoryKind::managed);
}

TEST(LinkRecords, OverheadsBelongToTheCallOfTheirCorrelationOrElseToTheOneAroundThem) {
  Raw r;
  const auto first = r.call("cudaLaunchKernel_v7000");
  r.call("cudaLaunchKernel_v7000");
  r.raw.overheads.push_back({5, 6, 1, first, OverheadKind::queue_full});
  r.raw.overheads.push_back({1150, 1160, 1, 0, OverheadKind::queue_full});
  r.raw.overheads.push_back({1150, 1160, 7, 0, OverheadKind::queue_full});  // of a thread nobody knows
  const Trace trace = r.build();
  EXPECT_TRUE(trace.calls[0].queue_full);
  EXPECT_TRUE(trace.calls[1].queue_full);
  EXPECT_EQ(trace.oddities.at("unlinked_overheads"), 1);
  EXPECT_TRUE(trace.lazy_loads.empty());
}

TEST(LinkRecords, LoadedCodeIsDatedByItsCall) {
  Raw r;
  const auto launch = r.call("cudaLaunchKernel_v7000");
  r.raw.overheads.push_back({0, 0, 1, launch, OverheadKind::function_loading});
  r.raw.overheads.push_back({1070, 1080, 9, 0, OverheadKind::module_loading});
  r.raw.overheads.push_back({0, 0, 9, 0, OverheadKind::module_loading});  // who knows when
  r.raw.overheads.push_back({1070, 1080, 1, launch, OverheadKind::other});
  const Trace trace = r.build();
  EXPECT_EQ(trace.lazy_loads, (std::vector<Nanos>{1000, 1070}));
  EXPECT_FALSE(trace.calls[0].queue_full);
}

TEST(LinkRecords, CallsOfUnknownFunctionsAreUnknownUnlessPartOfAKnownOne) {
  Raw r;
  r.call("cuNewWait", 1);
  r.call("cudaMemcpy_v3020");
  r.call("cudaNewWait_v14000");
  r.call("cudaMallocAsync_v11020");
  r.call("cuStreamSynchronize", 1);
  r.call("cudaNewerWait_v15000");
  const Trace trace = r.build();
  std::string unknown, outermost;
  for (const Call& call : trace.calls) {
    if (call.unknown) unknown += std::string(trace.text(call.name)) + " ";
    if (call.outermost) outermost += std::string(trace.text(call.name)) + " ";
  }
  EXPECT_EQ(unknown, "cudaNewWait cudaNewerWait ");
  EXPECT_EQ(outermost, "cudaMemcpy cuStreamSynchronize ") << "an unknown call hides nothing";
}

}  // namespace
}  // namespace zerostall
