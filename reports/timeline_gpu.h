// The GPU's tracks of a timeline.
#pragma once
#include <string>

#include "reports/timeline.h"

namespace zerostall {

// Gaps per device, work per stream. `first_id`: that of the trace's first call.
void write_gpu_tracks(const ExportProcess& process, std::uint64_t first_id, TimelineSink& sink);

// As PyTorch's profiler calls it: "Memcpy HtoD (Pageable -> Device)", "Memset (Device)", a kernel's own name.
std::string timeline_name(const Trace& trace, const GpuOp& op);

// "idle after cudaMemcpyAsync 4 B device to host", "idle: the next work was launched late".
std::string gap_name(const Trace& trace, const std::vector<Wait>& waits, const GpuGap& gap);

}  // namespace zerostall
