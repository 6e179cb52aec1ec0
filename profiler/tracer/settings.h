// What the user asked of the tracer, read once from the environment (`zerostall record` sets it).
#pragma once
#include <cstdint>

namespace zerostall::tracer {

struct Settings {
  bool gpu = true;            // ZEROSTALL_TRACE_GPU=off: calls and marks only, no records of GPU work
  bool whole_graphs = false;  // ZEROSTALL_TRACE_WHOLE_GRAPHS=1: a record for each launch of a graph, not for its nodes
  std::uint64_t max_bytes = 0;  // ZEROSTALL_TRACE_MAX_BYTES: largest file; 0 = no limit
};

const Settings& settings();

}  // namespace zerostall::tracer
