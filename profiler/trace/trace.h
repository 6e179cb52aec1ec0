// The event model every stage of the analysis reads: sorted, linked, checked. Built once by `build_trace`, never
// changed.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "profiler/trace/api_table.h"
#include "profiler/trace/raw_trace.h"
#include "profiler/trace/stacks.h"

namespace zerostall {

using CallIndex = std::uint32_t;    // into Trace::calls
using OpIndex = std::uint32_t;      // into Trace::gpu_ops
using ThreadIndex = std::uint32_t;  // into Trace::threads
inline constexpr std::uint32_t kNoIndex = 0xffffffffu;

struct Call {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;          // never before begin_ns
  std::uint64_t stream = 0;  // handle; 0 = legacy default stream (or none), 2 = the thread's own default stream
  std::uint64_t handle = 0;
  Bytes bytes = 0;  // of the linked copy records when there are some, else as passed
  ThreadIndex thread = 0;
  CallIndex parent = kNoIndex;
  OpIndex op = kNoIndex;      // the first GPU work this call started
  std::uint32_t context = 0;  // 0 = unknown
  std::uint32_t stack = 0;    // key of Trace::stacks; 0 = none
  StringId name = 0;          // without version suffix
  std::int32_t result = 0;
  ApiKind kind = ApiKind::other;
  bool outermost = false;     // no call of any interest (kind other than `other`) around it, and of interest itself
  bool async = false;         // copies, memsets
  bool grows_memory = false;  // took device memory, successfully
  bool unknown = false;       // nobody knows what it does; not inside a call of interest
  bool queue_full = false;    // waited for a place in the launch queue, by the tool's own word
  CopyDirection direction = CopyDirection::none;  // copies: by the linked record, else by arguments or name
  // Copies between host and device: kind of the host side. Memsets: of the target.
  MemoryKind host_memory = MemoryKind::unknown;
};

struct GpuOp {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
  Nanos launch_ns = 0;  // begin of the call that started it; begin_ns when no call is known
  Bytes bytes = 0;
  CallIndex call = kNoIndex;  // outermost call that started it
  StringId name = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  GpuOpKind kind = GpuOpKind::kernel;
  CopyDirection direction = CopyDirection::none;
  MemoryKind source = MemoryKind::unknown;
  MemoryKind target = MemoryKind::unknown;
  bool bad_time = false;  // leave it out of every figure of time
};

// An NVTX range or (end == begin, instant) mark.
struct Range {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;  // meaningless when `open`
  ThreadIndex thread = 0;
  StringId domain = 0;
  StringId text = 0;
  bool open = false;  // never closed in this trace
  bool instant = false;
};

struct Thread {
  std::uint32_t id = 0;  // the system's
  CallIndex first = 0;   // its calls are [first, first + count), parents before children, in order of begin
  CallIndex count = 0;
};

// Recording was on in [begin_ns, end_ns]: what happened outside is unknown.
struct RecordingWindow {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
};

struct Trace {
  TraceMeta meta;
  StringTable strings;
  std::vector<Thread> threads;    // in order of first appearance in the file
  std::vector<Call> calls;        // grouped by thread
  std::vector<GpuOp> gpu_ops;     // by launch_ns, then begin_ns
  std::vector<Range> ranges;      // by begin_ns, then outer before inner
  std::vector<Nanos> lazy_loads;  // when code was loaded because it was first needed; in file order
  std::vector<RawNote> notes;     // in file order
  std::optional<std::vector<RecordingWindow>> windows;  // by begin; nullopt: recorded all the time
  Stacks stacks;
  bool truncated = false;  // cut off, damaged, or not recorded to the end: `end` says where and why
  TraceEnd end;
  std::int64_t lost_records = 0;                 // GPU records
  std::int64_t lost_calls = 0, lost_marks = 0;   // that the tracer saw and could not record
  std::map<std::string, std::int64_t> oddities;  // reader's and builder's, by name; only names that occurred
  std::map<std::string, std::int64_t> contents;  // files of other tools: records by the tool's own kind, used or not

  std::span<const Call> calls_of(ThreadIndex thread) const {
    return std::span(calls).subspan(threads[thread].first, threads[thread].count);
  }
  std::string_view text(StringId id) const { return strings.text(id); }
};

// True for copies with one side on the host and the other on a device.
constexpr bool crosses_host(CopyDirection direction) {
  return direction == CopyDirection::host_to_device || direction == CopyDirection::device_to_host;
}

// "cut off at byte 1000", "damaged at byte 32 (checksum)", "cut off: the disk was full"; without the place where it is
// not known.
std::string describe(const TraceEnd& end);

// Words for output: "host to device", "pageable".
std::string_view name_of(CopyDirection direction);
std::string_view name_of(MemoryKind kind);

}  // namespace zerostall
