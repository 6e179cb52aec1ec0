#include "profiler/analyze/waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiler/analyze/device_load.h"
#include "profiler/analyze/idle.h"

namespace zerostall {
namespace {

constexpr std::int32_t kNotReady = 600;  // cudaErrorNotReady and CUDA_ERROR_NOT_READY
constexpr int kFewestSpins = 3;          // not-ready queries in a row that make a polling loop
constexpr Nanos kLongestSpinGapNs = 1'000'000;
constexpr std::int64_t kQueueNearlyFull = 1000;  // of the 1,024 launches a queue holds

// A copy between host and device that a sync may still follow.
struct Pending {
  CallIndex copy = kNoIndex;
  std::vector<std::uint64_t> events;  // recorded behind it on its stream
};

struct Polling {
  CallIndex first = kNoIndex;
  CallIndex last = kNoIndex;
  int count = 0;
};

// Walks the outermost calls of one thread in order.
class ThreadWalk {
 public:
  ThreadWalk(const Trace& trace, const DeviceLoad& load, const IdleCheck& idle, Nanos slow_launch_ns,
             std::vector<Wait>& waits)
      : trace_(trace), load_(load), idle_(idle), slow_launch_ns_(slow_launch_ns), waits_(waits) {}

  void visit(CallIndex index) {
    const Call& call = trace_.calls[index];
    if (call.kind != ApiKind::query) end_polling();
    switch (call.kind) {
      case ApiKind::copy:
        return visit_copy(index);
      case ApiKind::stream_sync:
        return visit_sync(index, WaitKind::stream_sync);
      case ApiKind::device_sync:
        return visit_sync(index, WaitKind::device_sync);
      case ApiKind::event_sync:
        return visit_sync(index, WaitKind::event_sync);
      case ApiKind::launch:
      case ApiKind::graph_launch:
        return visit_launch(index);
      case ApiKind::memset:
        return visit_memset(index);
      case ApiKind::query:
        return visit_query(index);
      case ApiKind::event_record:
        return visit_record(call);
      case ApiKind::implicit:
        return add(kNoIndex, index, WaitKind::implicit);
      case ApiKind::module_load:
      case ApiKind::stream_wait:  // the device's wait, not the host's
      case ApiKind::other:
        return;
    }
  }

  void finish() {
    end_pending();
    end_polling();
  }

 private:
  void add(CallIndex copy, CallIndex sync, WaitKind kind, CallIndex first = kNoIndex) {
    Wait wait;
    const Call& last = trace_.calls[sync != kNoIndex ? sync : copy];
    if (first == kNoIndex) first = copy != kNoIndex ? copy : sync;
    wait.begin_ns = trace_.calls[first].begin_ns;
    wait.end_ns = std::max(last.end_ns, wait.begin_ns);
    const bool copy_blocks = copy != kNoIndex && (sync == kNoIndex || is_blocking_copy(trace_.calls[copy]));
    wait.blocks_ns = copy_blocks ? wait.begin_ns : kind == WaitKind::spin ? wait.begin_ns : last.begin_ns;
    wait.thread = last.thread;
    wait.copy = copy;
    wait.sync = sync;
    wait.kind = kind;
    wait.host_to_device = copy != kNoIndex && trace_.calls[copy].direction == CopyDirection::host_to_device;
    wait.failed = kind != WaitKind::spin && ((copy != kNoIndex && trace_.calls[copy].result != 0) || last.result != 0);
    if (is_host_wait(kind)) wait.drains = load_.idle_after(last.context, wait.end_ns);
    if (is_host_wait(kind)) wait.idle = idle_.idle(copy, sync);
    if (is_host_wait(kind)) wait.stream = idle_.waited_for(copy, sync).stream;
    if (is_host_wait(kind)) find_work_end(wait);
    waits_.push_back(wait);
  }

  void find_work_end(Wait& wait) const {
    if (wait.sync == kNoIndex && wait.host_to_device && trace_.calls[wait.copy].host_memory == MemoryKind::pageable) {
      const auto transfer = idle_.transfers().of(wait.copy);
      wait.staged = transfer && wait.end_ns < transfer->begin_ns;
    }
    if (!wait.staged) wait.work_end_ns = idle_.work_end(wait.copy, wait.sync, wait.end_ns);
  }

  void end_pending() {
    if (pending_.copy == kNoIndex) return;
    const Call& copy = trace_.calls[pending_.copy];
    if (is_blocking_copy(copy)) add(pending_.copy, kNoIndex, WaitKind::blocking_copy);
    if (is_unknown_copy(copy)) add(pending_.copy, kNoIndex, WaitKind::unknown_copy);
    pending_ = {};
  }

  void end_polling() {
    if (polling_.count >= kFewestSpins) add(kNoIndex, polling_.last, WaitKind::spin, polling_.first);
    polling_ = {};
  }

  void visit_copy(CallIndex index) {
    end_pending();  // a copy is work launched between an earlier copy and its sync
    const Call& call = trace_.calls[index];
    if (call.queue_full && !is_blocking_copy(call)) add(kNoIndex, index, WaitKind::queue_full);
    if (crosses_host(call.direction) || is_unknown_copy(call)) pending_.copy = index;
  }

  void visit_sync(CallIndex index, WaitKind kind) {
    if (pending_.copy != kNoIndex && covers(trace_.calls[index], kind)) {
      add(pending_.copy, index, kind);
      pending_ = {};
      return;
    }
    end_pending();
    add(kNoIndex, index, kind);
  }

  // Whether the sync waits for the pending copy.
  bool covers(const Call& sync, WaitKind kind) const {
    const Call& copy = trace_.calls[pending_.copy];
    if (!crosses_host(copy.direction)) return false;
    if (kind == WaitKind::device_sync) return true;
    if (kind == WaitKind::stream_sync) return sync.stream == copy.stream;
    return std::find(pending_.events.begin(), pending_.events.end(), sync.handle) != pending_.events.end();
  }

  void visit_record(const Call& record) {
    if (pending_.copy != kNoIndex && record.stream == trace_.calls[pending_.copy].stream)
      pending_.events.push_back(record.handle);
  }

  void visit_memset(CallIndex index) {
    end_pending();
    const Call& call = trace_.calls[index];
    if (is_blocking_memset(call)) return add(kNoIndex, index, WaitKind::blocking_memset);
    if (call.queue_full) add(kNoIndex, index, WaitKind::queue_full);
  }

  void visit_launch(CallIndex index) {
    end_pending();
    if (found_queue_full(trace_.calls[index])) add(kNoIndex, index, WaitKind::queue_full);
  }

  // Where the tool does not say: guessed from how long a launch took and how much work was under way. The launch of a
  // graph takes its own time.
  bool found_queue_full(const Call& call) const {
    if (trace_.meta.tells_queue_full) return call.queue_full;
    return call.kind == ApiKind::launch && call.end_ns - call.begin_ns >= slow_launch_ns_ &&
           load_.queued_at(call.begin_ns) >= kQueueNearlyFull;
  }

  void visit_query(CallIndex index) {
    const Call& call = trace_.calls[index];
    const bool is_late = polling_.count > 0 && call.begin_ns - trace_.calls[polling_.last].end_ns > kLongestSpinGapNs;
    if (call.result != kNotReady || is_late) end_polling();
    if (call.result != kNotReady) return;
    if (polling_.count++ == 0) polling_.first = index;
    polling_.last = index;
  }

  const Trace& trace_;
  const DeviceLoad& load_;
  const IdleCheck& idle_;
  Nanos slow_launch_ns_;
  std::vector<Wait>& waits_;
  Pending pending_;
  Polling polling_;
};

// A launch at least this long, twice a fast one, did more than launch. Compared with the fastest, since in a run that
// the GPU bounds most launches are blocked ones. Never 0, so that on a clock that stands still nothing is slow.
Nanos slow_launch(const Trace& trace) {
  std::vector<Nanos> times;
  for (const Call& call : trace.calls)
    if (call.outermost && call.kind == ApiKind::launch) times.push_back(call.end_ns - call.begin_ns);
  if (times.empty()) return 1;
  const auto fast = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 20);
  std::nth_element(times.begin(), fast, times.end());
  return std::max<Nanos>(1, add_up(*fast, *fast));
}

// A polling loop is known only when it has ended, after waits that began later. And stamps that run backwards could
// make neighbours overlap; sums of waits must stay unions.
void put_in_order(std::vector<Wait>& waits, std::size_t first) {
  std::stable_sort(waits.begin() + static_cast<std::ptrdiff_t>(first), waits.end(),
                   [](const Wait& a, const Wait& b) { return a.begin_ns < b.begin_ns; });
  Nanos covered = 0;
  for (std::size_t i = first; i < waits.size(); ++i) {
    if (!is_host_wait(waits[i].kind)) continue;
    if (i > first) waits[i].begin_ns = std::max(waits[i].begin_ns, covered);
    waits[i].end_ns = std::max(waits[i].end_ns, waits[i].begin_ns);
    covered = waits[i].end_ns;
  }
}

}  // namespace

std::string_view name_of(WaitKind kind) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"stream_sync", "device_sync", "event_sync", "blocking_copy", "blocking_memset",
                                       "implicit", "spin", "queue_full", "unknown_copy"});
  return kNames[static_cast<std::size_t>(kind)];
}

bool is_blocking_copy(const Call& call) {
  return call.kind == ApiKind::copy && crosses_host(call.direction) &&
         (!call.async || call.host_memory == MemoryKind::pageable);
}

bool is_blocking_memset(const Call& call) {
  return call.kind == ApiKind::memset && !call.async &&
         (call.host_memory == MemoryKind::pinned || call.host_memory == MemoryKind::managed);
}

bool is_unknown_copy(const Call& call) {
  if (call.kind != ApiKind::copy) return false;
  if (call.direction == CopyDirection::unknown) return true;
  return call.async && crosses_host(call.direction) && call.host_memory != MemoryKind::pageable &&
         call.host_memory != MemoryKind::pinned;
}

std::vector<Wait> find_waits(const Trace& trace) {
  const DeviceLoad load(trace);
  const IdleCheck idle(trace, load);
  const Nanos slow_launch_ns = slow_launch(trace);
  std::vector<Wait> waits;
  for (const Thread& thread : trace.threads) {
    const std::size_t first = waits.size();
    ThreadWalk walk(trace, load, idle, slow_launch_ns, waits);
    for (CallIndex i = thread.first; i < thread.first + thread.count; ++i)
      if (trace.calls[i].outermost) walk.visit(i);
    walk.finish();
    put_in_order(waits, first);
  }
  return waits;
}

const Call& blocking_call(const Trace& trace, const Wait& wait) {
  const bool copy_blocks =
      wait.copy != kNoIndex && is_blocking_copy(trace.calls[wait.copy]) && !trace.calls[wait.copy].async;
  return trace.calls[wait.sync == kNoIndex || copy_blocks ? wait.copy : wait.sync];
}

std::string describe(const Trace& trace, const Wait& wait) {
  std::string text;
  if (wait.copy != kNoIndex) {
    const Call& copy = trace.calls[wait.copy];
    text = fmt::format("{} {} B {}", trace.text(copy.name), copy.bytes, name_of(copy.direction));
    if (copy.async && wait.sync == kNoIndex) text += fmt::format(" ({} memory)", name_of(copy.host_memory));
  }
  if (wait.sync != kNoIndex) {
    if (!text.empty()) text += " + ";
    text += trace.text(trace.calls[wait.sync].name);
  }
  if (wait.failed) text += " (failed)";
  return text;
}

}  // namespace zerostall
