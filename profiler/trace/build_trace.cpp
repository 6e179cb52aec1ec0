#include "profiler/trace/build_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "profiler/trace/build_calls.h"
#include "profiler/trace/build_ranges.h"
#include "profiler/trace/check_records.h"
#include "profiler/trace/clamp_times.h"

namespace zerostall {
namespace {

constexpr Nanos kEarliestStartNs = -20'000;  // GPU work cannot begin this long before its launch: a clock problem

bool is_bad_time(const GpuOp& op) {
  if (op.begin_ns <= 0 || op.end_ns <= 0 || op.end_ns < op.begin_ns) return true;
  return op.call != kNoIndex && op.begin_ns - op.launch_ns <= kEarliestStartNs;
}

// Of work launched at one time, what began first comes first; else in the order of the file.
void sort_ops(std::vector<GpuOp>& ops) {
  const auto before = [](const GpuOp& a, const GpuOp& b) {
    return a.launch_ns != b.launch_ns ? a.launch_ns < b.launch_ns : a.begin_ns < b.begin_ns;
  };
  if (!std::is_sorted(ops.begin(), ops.end(), before)) std::stable_sort(ops.begin(), ops.end(), before);
}

void build_ops(const RawTrace& raw, const CallsByCorrelation& by_correlation, Trace& trace) {
  trace.gpu_ops.reserve(raw.gpu_ops.size());
  for (const RawGpuOp& r : raw.gpu_ops) {
    GpuOp op{r.begin_ns, r.end_ns, r.begin_ns, r.bytes,     kNoIndex, r.name,   r.device,
             r.context,  r.stream, r.kind,     r.direction, r.source, r.target, false};
    op.call = by_correlation.find(r.correlation);
    if (op.call != kNoIndex) {
      op.launch_ns = trace.calls[op.call].begin_ns;
    } else {
      ++trace.oddities["unlinked_gpu_ops"];
    }
    op.bad_time = is_bad_time(op);
    if (op.bad_time) ++trace.oddities["bad_times"];
    trace.gpu_ops.push_back(op);
  }
  sort_ops(trace.gpu_ops);
}

// The call that an overhead is part of; kNoIndex: unknown.
CallIndex call_of(const RawOverhead& o, const CallsByCorrelation& by_correlation, const ThreadIndexes& indexes,
                  const Trace& trace) {
  if (const CallIndex found = by_correlation.find(o.correlation); found != kNoIndex) return found;
  const auto thread = indexes.find(o.thread);
  if (thread == indexes.end()) return kNoIndex;
  const Thread& t = trace.threads[thread->second];
  const auto first = trace.calls.begin() + t.first, end = first + t.count;
  const auto behind =
      std::upper_bound(first, end, o.begin_ns, [](Nanos time, const Call& c) { return time < c.begin_ns; });
  if (behind == first) return kNoIndex;
  for (auto i = static_cast<CallIndex>(behind - trace.calls.begin()) - 1; i != kNoIndex; i = trace.calls[i].parent)
    if (trace.calls[i].outermost && o.begin_ns <= trace.calls[i].end_ns) return i;
  return kNoIndex;
}

void link_overheads(const RawTrace& raw, const CallsByCorrelation& by_correlation, const ThreadIndexes& indexes,
                    Trace& trace) {
  for (const RawOverhead& o : raw.overheads) {
    if (o.kind == OverheadKind::other) continue;
    const CallIndex call = call_of(o, by_correlation, indexes, trace);
    if (call == kNoIndex) {
      ++trace.oddities["unlinked_overheads"];
    } else if (o.kind == OverheadKind::queue_full) {
      trace.calls[call].queue_full = true;
    }
    if (o.kind == OverheadKind::queue_full) continue;
    if (call != kNoIndex || o.begin_ns > 0)
      trace.lazy_loads.push_back(call != kNoIndex ? trace.calls[call].begin_ns : o.begin_ns);
  }
}

MemoryKind host_side(const GpuOp& copy) {
  return copy.direction == CopyDirection::host_to_device ? copy.source : copy.target;
}

// Gives a copy call what only the GPU's records know: the true direction, size, and kind of host memory. A batch has
// several records. Where they differ in direction or memory the call has none, but pageable memory, which is what
// makes copies block, anywhere is pageable memory of the call.
void learn_from(const GpuOp& op, bool is_first, Call& call) {
  if (is_first) {
    if (op.direction != CopyDirection::unknown) call.direction = op.direction;
    call.bytes = op.bytes;
    call.host_memory = host_side(op);
    return;
  }
  call.bytes += op.bytes;
  if (op.direction != call.direction) call.direction = CopyDirection::unknown;
  const MemoryKind memory = host_side(op);
  if (memory == call.host_memory) return;
  const bool pageable = memory == MemoryKind::pageable || call.host_memory == MemoryKind::pageable;
  call.host_memory = pageable ? MemoryKind::pageable : MemoryKind::unknown;
}

void link_ops(Trace& trace) {
  for (OpIndex i = 0; i < trace.gpu_ops.size(); ++i) {
    const GpuOp& op = trace.gpu_ops[i];
    if (op.call == kNoIndex) continue;
    Call& call = trace.calls[op.call];
    const bool is_first = call.op == kNoIndex;
    if (is_first) call.op = i;
    if (call.kind == ApiKind::copy && op.kind == GpuOpKind::copy) learn_from(op, is_first, call);
    if (call.kind == ApiKind::memset && op.kind == GpuOpKind::memset) call.host_memory = op.target;
  }
}

// Never more than fits: the note may be damaged.
std::int64_t add_lost(std::int64_t lost, std::uint64_t more) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53;
  return static_cast<std::int64_t>(std::min(static_cast<std::uint64_t>(lost) + std::min(more, kMost), kMost));
}

void read_notes(Trace& trace) {
  for (const RawNote& note : trace.notes) {
    if (note.kind == NoteKind::lost_records) trace.lost_records = add_lost(trace.lost_records, note.value);
    if (note.kind == NoteKind::clock_step) ++trace.oddities["clock_steps"];
    if (note.kind != NoteKind::detached) continue;
    trace.truncated = true;
    if (trace.end.reason.empty()) trace.end.reason = trace.text(note.text);
  }
}

// What CUPTI said it dropped is among them, unless that is more.
void count_missing(Trace& trace) {
  if (!trace.meta.gpu_records || trace.truncated) return;
  const std::int64_t missing = launches_without_record(trace);
  if (missing == 0) return;
  trace.oddities["launches_without_record"] = missing;
  trace.lost_records = std::max(trace.lost_records, missing);
}

// From notes. A window that is never closed lasts for ever; one that is never opened began before all.
std::optional<std::vector<RecordingWindow>> find_windows(const std::vector<RawNote>& notes) {
  std::vector<const RawNote*> turns;
  for (const RawNote& note : notes)
    if (note.kind == NoteKind::window_open || note.kind == NoteKind::window_close) turns.push_back(&note);
  if (turns.empty()) return std::nullopt;
  std::stable_sort(turns.begin(), turns.end(),
                   [](const RawNote* a, const RawNote* b) { return a->time_ns < b->time_ns; });
  std::vector<RecordingWindow> windows;
  std::optional<Nanos> begin;
  for (const RawNote* turn : turns) {
    if (turn->kind == NoteKind::window_open && !begin)
      begin = turn->value == 1 ? std::numeric_limits<Nanos>::min() : turn->time_ns;
    if (turn->kind != NoteKind::window_close || !begin) continue;
    windows.push_back({*begin, turn->time_ns});
    begin.reset();
  }
  if (begin) windows.push_back({*begin, std::numeric_limits<Nanos>::max()});
  return windows;
}

// Work of calls that were made outside the windows, whose records came all the same.
void drop_outside(Trace& trace) {
  if (!trace.windows) return;
  const auto outside = std::erase_if(trace.gpu_ops, [](const GpuOp& op) { return op.call == kNoIndex; });
  if (outside == 0) return;
  trace.oddities["outside_window_gpu_ops"] += static_cast<std::int64_t>(outside);
  trace.oddities.erase("unlinked_gpu_ops");
}

}  // namespace

Trace build_trace(RawTrace raw) {
  clamp_times(raw);
  Trace trace;
  trace.meta = std::move(raw.meta);
  trace.strings = std::move(raw.strings);
  trace.truncated = raw.truncated;
  trace.end = std::move(raw.end);
  trace.lost_calls = raw.lost_calls;
  trace.lost_marks = raw.lost_marks;
  trace.oddities = std::move(raw.oddities);
  trace.contents = std::move(raw.contents);
  trace.notes = std::move(raw.notes);
  trace.stacks = std::move(raw.stacks);
  read_notes(trace);

  const ThreadIndexes indexes = find_threads(raw, trace);
  const CallsByCorrelation by_correlation = build_calls(raw, indexes, trace);
  raw.calls = {};  // millions of them: what was made of them is enough
  trace.windows = find_windows(trace.notes);
  build_ops(raw, by_correlation, trace);
  raw.gpu_ops = {};
  drop_outside(trace);
  if (const auto repeated = drop_repeated(trace.gpu_ops)) trace.oddities["repeated_gpu_ops"] = repeated;
  link_ops(trace);
  link_overheads(raw, by_correlation, indexes, trace);
  count_missing(trace);
  build_ranges(raw.marks, indexes, trace);
  return trace;
}

std::string describe(const TraceEnd& end) {
  if (!end.reason.empty()) return "cut off: " + end.reason;
  std::string text = end.damage.empty() ? "cut off" : "damaged";
  if (end.byte > 0) text += fmt::format(" at byte {}", end.byte);
  return end.damage.empty() ? text : fmt::format("{} ({})", text, end.damage);
}

std::string_view name_of(CopyDirection direction) {
  switch (direction) {
    case CopyDirection::host_to_device:
      return "host to device";
    case CopyDirection::device_to_host:
      return "device to host";
    case CopyDirection::device_to_device:
      return "device to device";
    case CopyDirection::host_to_host:
      return "host to host";
    case CopyDirection::peer:
      return "peer to peer";
    case CopyDirection::none:
    case CopyDirection::unknown:
      break;
  }
  return "unknown";
}

std::string_view name_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::pageable:
      return "pageable";
    case MemoryKind::pinned:
      return "pinned";
    case MemoryKind::device:
      return "device";
    case MemoryKind::managed:
      return "managed";
    case MemoryKind::unknown:
      break;
  }
  return "unknown";
}

}  // namespace zerostall
