// Part of `build_trace`: calls, from the order of their returns to that of their begins, and which encloses which.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "profiler/trace/build_ranges.h"
#include "profiler/trace/trace.h"

namespace zerostall {

// The call that stands for each correlation id: the outermost call of interest around the one that has it, or itself.
class CallsByCorrelation {
 public:
  // Ids of one process are nearly consecutive: then a table of them is smaller, and faster, than a map.
  explicit CallsByCorrelation(const std::vector<RawCall>& calls);

  void set(std::uint32_t correlation, CallIndex call);
  CallIndex find(std::uint32_t correlation) const;  // kNoIndex: none, also for id 0

 private:
  std::uint32_t first_ = 0;
  std::vector<CallIndex> table_;  // from first_ on
  std::unordered_map<std::uint32_t, CallIndex> map_;
  bool is_table_ = false;
};

// Fills the calls of trace.threads and trace.calls; counts orphaned_calls, reversed_calls and backward_stamps.
CallsByCorrelation build_calls(const RawTrace& raw, const ThreadIndexes& indexes, Trace& trace);

}  // namespace zerostall
