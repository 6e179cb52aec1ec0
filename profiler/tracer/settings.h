// What the user asked of the tracer, read once from the environment (`zerostall record` sets it).
#pragma once
#include <cstdint>

#include "profiler/tracer/window.h"

namespace zerostall::tracer {

enum class StacksOf : std::uint8_t { none, waits, all };

struct Settings {
  bool gpu = true;            // ZEROSTALL_TRACE_GPU=off: calls and marks only, no records of GPU work
  bool whole_graphs = false;  // ZEROSTALL_TRACE_WHOLE_GRAPHS=1: a record for each launch of a graph, not for its nodes
  StacksOf stacks = StacksOf::waits;  // ZEROSTALL_TRACE_STACKS=none|waits|all: of which calls
  Window window;                      // ZEROSTALL_TRACE_WINDOW (window.h)
  std::uint64_t max_bytes = 0;        // ZEROSTALL_TRACE_MAX_BYTES: largest file; 0 = no limit
};

const Settings& settings();

}  // namespace zerostall::tracer
