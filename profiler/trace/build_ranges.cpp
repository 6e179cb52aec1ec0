#include "profiler/trace/build_ranges.h"

#include <algorithm>
#include <map>
#include <utility>

namespace zerostall {
namespace {

using RangeIndex = std::size_t;

// Ranges begun and not yet ended.
struct Open {
  std::map<std::pair<ThreadIndex, StringId>, std::vector<RangeIndex>> pushed;  // per thread and domain
  std::map<std::uint64_t, RangeIndex> started;                                 // by range id
};

void close(Trace& trace, RangeIndex index, Nanos time) {
  Range& range = trace.ranges[index];
  range.open = false;
  range.end_ns = std::max(time, range.begin_ns);
}

void add_mark(const RawMark& mark, ThreadIndex thread, Open& open, Trace& trace) {
  const RangeIndex next = trace.ranges.size();
  const bool instant = mark.kind == RawMarkKind::instant;
  const Range range{mark.time_ns, mark.time_ns, thread, mark.domain, mark.text, !instant, instant};
  auto& stack = open.pushed[{thread, mark.domain}];
  switch (mark.kind) {
    case RawMarkKind::push:
      stack.push_back(next);
      trace.ranges.push_back(range);
      return;
    case RawMarkKind::start:
      open.started[mark.range] = next;
      trace.ranges.push_back(range);
      return;
    case RawMarkKind::instant:
      trace.ranges.push_back(range);
      return;
    case RawMarkKind::pop:
      if (stack.empty()) break;
      close(trace, stack.back(), mark.time_ns);
      stack.pop_back();
      return;
    case RawMarkKind::end:
      if (const auto started = open.started.find(mark.range); started != open.started.end()) {
        close(trace, started->second, mark.time_ns);
        open.started.erase(started);
        return;
      }
      break;
  }
  ++trace.oddities["unmatched_pops"];
}

}  // namespace

ThreadIndexes find_threads(const RawTrace& raw, Trace& trace) {
  ThreadIndexes indexes;
  const auto see = [&](std::uint32_t id) {
    if (indexes.try_emplace(id, static_cast<ThreadIndex>(trace.threads.size())).second)
      trace.threads.push_back({id, 0, 0});
  };
  for (const RawCall& call : raw.calls) see(call.thread);
  for (const RawMark& mark : raw.marks) see(mark.thread);
  return indexes;
}

void build_ranges(const std::vector<RawMark>& marks, const ThreadIndexes& threads, Trace& trace) {
  Open open;
  for (const RawMark& mark : marks) add_mark(mark, threads.at(mark.thread), open, trace);
  const auto left = std::count_if(trace.ranges.begin(), trace.ranges.end(), [](const Range& r) { return r.open; });
  if (left > 0) trace.oddities["open_ranges"] += left;
  // Marks of one thread are in order already, outer first, and a stable sort keeps that where stamps are equal.
  std::stable_sort(trace.ranges.begin(), trace.ranges.end(),
                   [](const Range& a, const Range& b) { return a.begin_ns < b.begin_ns; });
}

}  // namespace zerostall
