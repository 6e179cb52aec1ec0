// Durations that differ a little, as on a real device. ZEROSTALL_SIM_SEED=n (n > 0) makes every modelled duration of a
// kernel, copy or memset vary by up to kSpread, evenly and independently; the same seed gives the same durations.
// Without it, or with 0, nothing varies. A count that differs between seeds depends on timing.
#pragma once
#include <cstdint>

namespace zerostall::simgpu {

inline constexpr double kSpread = 0.1;  // assumption: a tenth up or down

// `stream` and `operation` say which one it is, so that other streams and threads do not change the outcome.
std::int64_t varied(std::int64_t duration_ns, std::uint64_t stream, std::uint64_t operation);

}  // namespace zerostall::simgpu
