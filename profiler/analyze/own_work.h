// What a device does for each step by itself, for comparing ranks.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "profiler/analyze/steps.h"

namespace zerostall {

// Whether a kernel waits for other devices in what it does: its time is that of the slowest.
bool is_collective(std::string_view kernel);

// Per step, the time in which a device did work launched in that step other than collectives; devices added up.
// Nullopt where records of GPU work are missing or a graph's launch left one record for all of it.
std::vector<std::optional<Nanos>> own_gpu_work(const Trace& trace, const Steps& steps);

}  // namespace zerostall
