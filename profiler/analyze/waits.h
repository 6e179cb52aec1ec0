// Stage 4 of the route: every moment in which the host may wait for the GPU, once. Rules: metrics.md, "Host wait".
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/trace/trace.h"

namespace zerostall {

enum class WaitKind : std::uint8_t {
  stream_sync,
  device_sync,
  event_sync,
  blocking_copy,
  blocking_memset,
  // Reported apart from the total:
  implicit,
  spin,
  queue_full,
  unknown_copy,  // may be a blocking copy or not: the trace does not say where its host memory is
};

std::string_view name_of(WaitKind kind);  // as it is called here: "stream_sync"

// True for the kinds that count as host waits.
constexpr bool is_host_wait(WaitKind kind) { return kind <= WaitKind::blocking_memset; }

struct Wait {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
  // Begin of the call that may block, which decides the step: the copy where it blocks by itself, else the sync. A
  // pinned copy at the end of a step whose event is waited for after the last step is no wait of that step.
  Nanos blocks_ns = 0;
  ThreadIndex thread = 0;
  CallIndex copy = kNoIndex;  // the copy of a blocking copy, of copy + sync, of an unknown copy
  CallIndex sync = kNoIndex;  // the sync, if there is one; for memsets, implicit, spin, queue_full: the (last) call
  WaitKind kind = WaitKind::stream_sync;  // of copy + sync: that of the sync
  bool host_to_device = false;            // holds a host-to-device copy
  bool failed = false;                    // one of its calls returned an error
  std::optional<bool> drains;  // at its return the device had no work left; unknown without complete GPU records
  std::optional<bool> idle;    // what it waits for had ended when it began: it costs nothing; unknown likewise
  // When what it had to wait for had ended, its own copy included; nullopt: nothing, or (with `idle`) unknown.
  std::optional<Nanos> work_end_ns;
  // The stream that is waited for, by its handle as in Call::stream; nullopt: the whole device, or the trace does not
  // tell.
  std::optional<std::uint64_t> stream;
  bool staged = false;  // an upload of pageable memory that returned before its transfer began: it did not block
};

// Waits of each thread in order and without overlap, threads in order of Trace::threads.
std::vector<Wait> find_waits(const Trace& trace);

// A copy call that blocks by contract: between host and device, by an API without `Async` or with pageable host memory.
bool is_blocking_copy(const Call& call);
// A memset call that waits for itself and all before it: without `Async`, of pinned or managed memory.
bool is_blocking_memset(const Call& call);
// A copy call of which the trace does not tell whether it blocks.
bool is_unknown_copy(const Call& call);

// The call in which the host waits, of a copy and its sync: the copy where that blocks by its very name.
const Call& blocking_call(const Trace& trace, const Wait& wait);

// What a person recognises the wait by: "cudaMemcpyAsync 512 B host to device + cudaStreamSynchronize".
std::string describe(const Trace& trace, const Wait& wait);

}  // namespace zerostall
