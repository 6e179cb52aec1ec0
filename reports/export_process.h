// One process of a recording with all that was found in it: what every export reads.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/analyze/gpu_gaps.h"
#include "profiler/analyze/summary.h"

namespace zerostall {

// Movable: what refers to texts of the trace stays valid.
struct ExportProcess {
  std::string name;  // how it is told from the others: "rank0"
  std::string file;  // name of its file, without folders
  Trace trace;
  Steps steps;
  std::vector<Wait> waits;
  std::vector<StepPlace> places;            // of each wait
  std::optional<std::vector<GpuGap>> gaps;  // nullopt: not known
  RunSummary run;
};

struct ExportProcessOptions {
  std::string name, file;
  std::int64_t warmup = 2;
  StepOptions steps;
};

// Stages 2 to 7 of the route.
ExportProcess make_export_process(RawTrace raw, const ExportProcessOptions& options);

// First and last moment of anything in the trace; {0, 0} for an empty one. GPU work with bad times is left out.
struct TimeRange {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
};
TimeRange time_range(const Trace& trace);

// Key of Trace::stacks: where a wait comes from; 0 = not known.
std::uint32_t stack_of(const Trace& trace, const Wait& wait);

// The frame of Python that is to blame: the innermost of one's own, else the innermost; null = none is known.
const PythonFrame* telling_python_frame(const Trace& trace, std::uint32_t stack);
// "libtorch_cuda.so +0x1234": the innermost native frame that is not CUDA's, the tracer's or Python's; "" = none.
std::string telling_native_frame(const Trace& trace, std::uint32_t stack);
// "train.py:31 in step"
std::string describe(const Trace& trace, const PythonFrame& frame);

}  // namespace zerostall
