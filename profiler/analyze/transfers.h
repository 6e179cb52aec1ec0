// When the copies and memsets of calls ran on the GPU.
#pragma once
#include <optional>
#include <vector>

#include "profiler/trace/trace.h"

namespace zerostall {

// Built once per trace, asked in logarithmic time.
class Transfers {
 public:
  explicit Transfers(const Trace& trace);

  struct Span {
    Nanos begin_ns = 0;
    Nanos end_ns = 0;
  };
  // From the first to the last of what a copy or memset call started. Nullopt: no record of it, or one with bad times.
  std::optional<Span> of(CallIndex call) const;

 private:
  struct Entry {
    CallIndex call = kNoIndex;
    Span span;
    bool bad_time = false;
  };
  std::vector<Entry> entries_;  // by call, one each
};

}  // namespace zerostall
