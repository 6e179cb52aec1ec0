#include "profiler/tracer/activity_records.h"

#include <cupti_activity_deprecated.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <deque>

namespace zerostall::tracer {
namespace {

using format::GpuKind;
using format::GpuRecord;

std::deque<std::string> g_interned;
std::uint32_t intern(std::string_view name) {
  g_interned.emplace_back(name);
  return static_cast<std::uint32_t>(g_interned.size());
}

// A record that ends where memory ends: who reads further dies.
class AtTheEnd {
 public:
  template <class Record>
  explicit AtTheEnd(const Record& record) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    bytes_ = 2 * page;
    memory_ = static_cast<char*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory_ + page, page, PROT_NONE);
    record_ = memory_ + page - sizeof record;
    std::memcpy(record_, &record, sizeof record);
  }
  ~AtTheEnd() { munmap(memory_, bytes_); }
  const CUpti_Activity& get() const { return *reinterpret_cast<const CUpti_Activity*>(record_); }

 private:
  char* memory_ = nullptr;
  char* record_ = nullptr;
  std::size_t bytes_ = 0;
};

template <class Record>
Record timed(CUpti_ActivityKind kind) {
  Record r{};
  r.kind = kind;
  r.start = 1000;
  r.end = 2000;
  r.deviceId = 1;
  r.contextId = 2;
  r.streamId = 13;
  r.correlationId = 77;
  return r;
}

template <class Record>
GpuRecord read(const Record& record) {
  KernelNames names(intern);
  GpuRecord out{};
  EXPECT_TRUE(read_gpu_work(AtTheEnd(record).get(), names, out));
  EXPECT_EQ(out.begin_ns, 1000);
  EXPECT_EQ(out.end_ns, 2000);
  EXPECT_EQ(out.device, 1u);
  EXPECT_EQ(out.context, 2u);
  EXPECT_EQ(out.stream, 13u);
  EXPECT_EQ(out.correlation, 77u);
  return out;
}

TEST(ActivityRecords, KernelsOfCuda12And13) {
  auto old = timed<CUpti_ActivityKernel9>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  old.name = "gemm";
  old.graphNodeId = 5;
  const GpuRecord kernel = read(old);
  EXPECT_EQ(kernel.kind, GpuKind::kernel);
  EXPECT_EQ(g_interned.at(kernel.name - 1), "gemm");
  EXPECT_EQ(kernel.graph_node, 5u);
  auto recent = timed<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_KERNEL);
  recent.name = nullptr;
  EXPECT_EQ(read(recent).name, 0u);
}

template <class Copy>
void expect_copy(CUpti_ActivityKind kind) {
  auto copy = timed<Copy>(kind);
  copy.bytes = 512;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
  copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  copy.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  const GpuRecord out = read(copy);
  EXPECT_EQ(out.kind, GpuKind::copy);
  EXPECT_EQ(out.bytes, 512u);
  EXPECT_EQ(out.copy_kind, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
  EXPECT_EQ(out.source_memory, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
  EXPECT_EQ(out.target_memory, CUPTI_ACTIVITY_MEMORY_KIND_PINNED);
  EXPECT_EQ(out.flags, 1u);
}

TEST(ActivityRecords, CopiesOfCuda12And13) {
  expect_copy<CUpti_ActivityMemcpy5>(CUPTI_ACTIVITY_KIND_MEMCPY);
  expect_copy<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY);
  expect_copy<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2);
}

TEST(ActivityRecords, Memsets) {
  auto memset = timed<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  memset.bytes = 64;
  memset.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
  const GpuRecord out = read(memset);
  EXPECT_EQ(out.kind, GpuKind::memset);
  EXPECT_EQ(out.bytes, 64u);
  EXPECT_EQ(out.target_memory, CUPTI_ACTIVITY_MEMORY_KIND_MANAGED);
  EXPECT_EQ(out.flags, 0u);
}

TEST(ActivityRecords, GraphsAsAWhole) {
  auto graph = timed<CUpti_ActivityGraphTrace>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  graph.graphId = 9;
  EXPECT_EQ(read(graph).kind, GpuKind::graph);
  EXPECT_EQ(read(graph).graph, 9u);
  EXPECT_EQ(read(timed<CUpti_ActivityGraphTrace2>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)).graph_node, 0u);
}

template <class Overhead>
format::OverheadRecord read_as(std::uint32_t version, CUpti_ActivityObjectKind object) {
  Overhead o{};
  o.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  o.overheadKind = CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL;
  o.objectKind = object;
  o.objectId.pt.processId = 1;
  o.objectId.pt.threadId = 42;
  o.start = 5;
  o.end = 8;
  if constexpr (requires { o.correlationId; }) o.correlationId = 77;
  if constexpr (requires { o.overheadData; }) o.overheadData = std::malloc(64);  // valgrind and ASan see it if kept
  format::OverheadRecord out;
  EXPECT_TRUE(read_overhead(AtTheEnd(o).get(), version, out));
  EXPECT_EQ(out.begin_ns, 5);
  EXPECT_EQ(out.end_ns, 8);
  EXPECT_EQ(out.kind, 6u << 16);
  return out;
}

TEST(ActivityRecords, OverheadsOfEveryVersionSince12) {
  const auto first = read_as<CUpti_ActivityOverhead>(19, CUPTI_ACTIVITY_OBJECT_THREAD);
  EXPECT_EQ(first.thread, 42u);
  EXPECT_EQ(first.correlation, 0u) << "not in that layout";
  EXPECT_EQ(read_as<CUpti_ActivityOverhead2>(21, CUPTI_ACTIVITY_OBJECT_THREAD).correlation, 77u);
  EXPECT_EQ(read_as<CUpti_ActivityOverhead3>(22, CUPTI_ACTIVITY_OBJECT_THREAD).correlation, 77u);
  const auto latest = read_as<CUpti_ActivityOverhead3>(130001, CUPTI_ACTIVITY_OBJECT_CONTEXT);
  EXPECT_EQ(latest.thread, 0u) << "the id is that of a context";
}

TEST(ActivityRecords, OtherKindsAreNoGpuWork) {
  KernelNames names(intern);
  GpuRecord out{};
  for (const int kind : {0, 5, 36, 38, 39, 999}) {
    CUpti_Activity record{};
    record.kind = static_cast<CUpti_ActivityKind>(kind);
    EXPECT_FALSE(read_gpu_work(record, names, out)) << kind;
    format::OverheadRecord overhead;
    EXPECT_FALSE(read_overhead(record, 130001, overhead)) << kind;
  }
}

TEST(KernelNames, InternEachNameOnceUntilAnotherStandsAtItsPlace) {
  g_interned.clear();
  KernelNames names(intern);
  char text[] = "first";
  const std::uint32_t first = names.id_of(text);
  EXPECT_EQ(names.id_of(text), first);
  EXPECT_EQ(g_interned.size(), 1u);
  std::strcpy(text, "other");  // its module was unloaded, and another loaded there
  EXPECT_NE(names.id_of(text), first);
  EXPECT_EQ(g_interned.back(), "other");
  EXPECT_EQ(names.id_of(nullptr), 0u);
}

}  // namespace
}  // namespace zerostall::tracer
