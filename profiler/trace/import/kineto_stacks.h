// Call stacks for the calls that may wait, from the operators and Python functions that a Kineto trace says were
// running.
#pragma once
#include <cstdint>
#include <vector>

#include "profiler/trace/raw_trace.h"

namespace zerostall::kineto {

// An operator (`aten::item`) or a Python function ("train.py(31): step"), while it ran.
struct Frame {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
  std::uint32_t thread = 0;  // as in the calls
  StringId name = 0;
  bool python = false;
};

// Gives each call that may wait the frames around it, innermost first, at most 128. `calls` are in any order, and so
// are `frames`, which are used up. Kineto knows where a function begins, not the line it was at: frames have no line,
// and the first line stands beside the function's name. States: known where Python functions were recorded anywhere in
// the trace, else operators_only; a trace without frames gets no stacks.
void attach_stacks(std::vector<Frame> frames, RawTrace& trace);

}  // namespace zerostall::kineto
