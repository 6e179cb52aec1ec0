// What a reader of any trace format yields: records as found, not yet sorted, linked or judged. `build_trace` does
// that.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/strings.h"
#include "profiler/base/units.h"
#include "profiler/trace/stacks.h"

namespace zerostall {

enum class CopyDirection : std::uint8_t {
  none,  // not a copy
  unknown,
  host_to_device,
  device_to_host,
  device_to_device,
  host_to_host,
  peer,  // between two devices
};

enum class MemoryKind : std::uint8_t { unknown, pageable, pinned, device, managed };

// How the clock of a trace came about. Modelled times are never mixed with measured ones.
enum class Clock : std::uint8_t { measured, modelled };

// A call of the CUDA runtime or driver API. Records of one thread stand in the order in which the calls RETURNED: a
// nested call comes before the one that encloses it. Times within a thread never decrease, but many may be equal.
struct RawCall {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
  std::uint64_t stream = 0;  // handle as passed
  std::uint64_t handle = 0;  // event, executable graph, or 0
  Bytes bytes = 0;           // size of a copy or an allocation, or 0
  std::uint32_t thread = 0;
  std::uint32_t correlation = 0;  // 0 = none
  std::uint32_t context = 0;
  StringId name = 0;                              // as the tool gave it, with version suffix
  std::int32_t result = 0;                        // 0 = success
  std::uint8_t depth = 0;                         // recorded calls of the same thread around this one
  CopyDirection direction = CopyDirection::none;  // as the call's arguments say
  std::uint32_t stack = 0;                        // key of RawTrace::stacks; 0 = none
};

// graph: a whole launch of a graph, instead of its kernels, copies and memsets.
enum class GpuOpKind : std::uint8_t { kernel, copy, memset, graph };

// A piece of GPU work. A time of 0 means that the tool gave none.
struct RawGpuOp {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
  Bytes bytes = 0;
  std::uint32_t correlation = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;  // the tool's stream id, not the handle
  StringId name = 0;
  GpuOpKind kind = GpuOpKind::kernel;
  CopyDirection direction = CopyDirection::none;
  MemoryKind source = MemoryKind::unknown;
  MemoryKind target = MemoryKind::unknown;
  bool from_graph = false;
};

enum class OverheadKind : std::uint8_t { other, module_loading, function_loading, queue_full };

// Time that a call spent on more than its own work, as the tool reports it.
struct RawOverhead {
  Nanos begin_ns = 0;  // 0 = the tool gave no times
  Nanos end_ns = 0;
  std::uint32_t thread = 0;       // 0 = unknown
  std::uint32_t correlation = 0;  // of the call; 0 = unknown
  OverheadKind kind = OverheadKind::other;
};

enum class RawMarkKind : std::uint8_t { push, pop, start, end, instant };

// An NVTX event; records of one thread stand in order. push and pop nest per thread and domain, start and end share
// `range`.
struct RawMark {
  Nanos time_ns = 0;
  std::uint64_t range = 0;
  std::uint32_t thread = 0;
  StringId domain = 0;
  StringId text = 0;
  RawMarkKind kind = RawMarkKind::push;
};

enum class NoteKind : std::uint8_t {
  lost_records,
  unsupported_call,
  unreal_readback,
  tool_problem,
  warning,
  detached,
  clock_step,
  window_open,
  window_close
};

// Something the tool has to say about the trace; see profiler/trace/format.h for the meaning of `value` and `text`.
struct RawNote {
  Nanos time_ns = 0;
  std::uint64_t value = 0;
  std::uint32_t thread = 0;
  StringId text = 0;
  NoteKind kind = NoteKind::tool_problem;
};

// What the tracer's own work on calls of one kind took, measured on some of them.
struct OwnCost {
  std::int64_t samples = 0;  // at least 1
  Nanos ns = 0;              // of all of them
};

// Who wrote the trace and on what. Empty text = the trace does not say.
struct TraceMeta {
  std::string format;  // "zstall", "kineto", "nsys"
  std::string tool;    // "zerostall 0.1.0"
  std::string device;  // JSON object of the device's properties as recorded, or "" (passed through to `stat --json`)
  std::string device_name;
  Clock clock = Clock::measured;
  std::string host_clock;  // of the simulated GPU: "cpu" when the host's CPU time drives it; else "" or "model"
  std::string program;     // file name of the executable
  std::string script;      // what Python runs: a path (relative to its project), "-m MODULE", "-c" or "-"
  std::optional<std::int64_t> arguments;  // how many the program, or the script, was given; values are never stored
  std::optional<std::int64_t> pid, rank, local_rank, world_size;
  std::optional<std::int64_t> host_number;   // of the host within the job
  std::string host;                          // its name, where the user wanted that kept
  std::optional<std::int64_t> start_utc_ns;  // where stamps count from the start of the recording: when that was
  std::vector<std::string> unknown_apis;     // functions that CUPTI can report and this program does not know
  bool tells_queue_full = false;             // CUPTI says of launches whether they waited for a place in the queue
  std::map<std::string, OwnCost> own_cost;   // by name of ApiKind; real time, also where times are modelled
  bool counts_only = false;                  // GPU work was not to be recorded: that there is none says nothing
  bool gpu_records = false;  // the tracer asked for a record of each piece of GPU work, so that a missing one is lost
};

// Within the job, where that is known, else within the host; nullopt = neither is known.
inline std::optional<std::int64_t> rank_of(const TraceMeta& meta) { return meta.rank ? meta.rank : meta.local_rank; }

// Why a trace is not complete, and where its readable part ends.
struct TraceEnd {
  std::uint64_t byte = 0;  // of the cut (the size of the file) or of the damaged part; 0 = not known
  std::string damage{};    // what is wrong there: "checksum", "segment header", "record", ...; "" = the file just ends
  std::string reason{};    // why recording ended before the process did: "the disk was full"; "" = no such thing
  bool failed = false;     // that is a failure to write: not the limit that the user gave, nor the end of the process
};

struct RawTrace {
  TraceMeta meta;
  StringTable strings;
  std::vector<RawCall> calls;
  std::vector<RawGpuOp> gpu_ops;
  std::vector<RawOverhead> overheads;
  std::vector<RawMark> marks;
  std::vector<RawNote> notes;
  Stacks stacks;
  bool truncated = false;  // cut off, damaged, or not recorded to the end: `end` says where and why
  TraceEnd end;
  std::int64_t lost_calls = 0, lost_marks = 0;  // that the tracer saw and could not record
  // What the reader met and repaired, dropped or guessed, by name; only names that occurred.
  std::map<std::string, std::int64_t> oddities;
  // Files of other tools: how many records of each of the tool's own kinds the file holds, used here or not.
  std::map<std::string, std::int64_t> contents;
};

}  // namespace zerostall
