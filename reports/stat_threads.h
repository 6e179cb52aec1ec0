// Parts of `zerostall stat` that are about threads of the host and streams of the GPU.
#pragma once
#include <string>

#include "reports/stat_view.h"

namespace zerostall {

// The threads that made CUDA calls, and what each waits. "" without any.
std::string threads_table(const RunSummary& run, const StatView& view);

// What is waited for: devices and their streams, and what each of them did. "" where there is neither wait nor work.
std::string streams_table(const RunSummary& run, const StatView& view);

}  // namespace zerostall
