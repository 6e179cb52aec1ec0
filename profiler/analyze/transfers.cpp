#include "profiler/analyze/transfers.h"

#include <algorithm>

namespace zerostall {

Transfers::Transfers(const Trace& trace) {
  for (const GpuOp& op : trace.gpu_ops) {
    if (op.call == kNoIndex) continue;
    const ApiKind kind = trace.calls[op.call].kind;
    if (kind == ApiKind::copy || kind == ApiKind::memset)
      entries_.push_back({op.call, {op.begin_ns, op.end_ns}, op.bad_time});
  }
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.call < b.call; });
  std::size_t kept = 0;
  for (const Entry& entry : entries_) {
    if (kept == 0 || entries_[kept - 1].call != entry.call) {
      entries_[kept++] = entry;
      continue;
    }
    Entry& all = entries_[kept - 1];
    all.span.begin_ns = std::min(all.span.begin_ns, entry.span.begin_ns);
    all.span.end_ns = std::max(all.span.end_ns, entry.span.end_ns);
    all.bad_time = all.bad_time || entry.bad_time;
  }
  entries_.resize(kept);
}

std::optional<Transfers::Span> Transfers::of(CallIndex call) const {
  const auto entry =
      std::lower_bound(entries_.begin(), entries_.end(), call, [](const Entry& e, CallIndex c) { return e.call < c; });
  if (entry == entries_.end() || entry->call != call || entry->bad_time) return std::nullopt;
  return entry->span;
}

}  // namespace zerostall
