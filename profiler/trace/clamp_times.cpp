#include "profiler/trace/clamp_times.h"

#include <algorithm>

namespace zerostall {
namespace {

bool is_possible(Nanos stamp) { return kEarliestStamp <= stamp && stamp <= kLatestStamp; }

// True: it was not possible.
bool clamp(Nanos& stamp) {
  const bool possible = is_possible(stamp);
  stamp = std::clamp(stamp, kEarliestStamp, kLatestStamp);
  return !possible;
}

}  // namespace

void clamp_times(RawTrace& raw) {
  std::int64_t changed = 0;
  for (RawCall& call : raw.calls) changed += int{clamp(call.begin_ns)} | int{clamp(call.end_ns)};
  for (RawOverhead& o : raw.overheads) changed += int{clamp(o.begin_ns)} | int{clamp(o.end_ns)};
  for (RawMark& mark : raw.marks) changed += clamp(mark.time_ns);
  for (RawNote& note : raw.notes) changed += clamp(note.time_ns);
  for (RawGpuOp& op : raw.gpu_ops) {
    if (is_possible(op.begin_ns) && is_possible(op.end_ns)) continue;
    op.begin_ns = op.end_ns = 0;
    ++changed;
  }
  if (changed > 0) raw.oddities["impossible_times"] += changed;
}

}  // namespace zerostall
