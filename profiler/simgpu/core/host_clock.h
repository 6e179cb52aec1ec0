// Host time between CUDA calls. By default it is modelled: a fixed cost per launch (between_launches_ns), so that equal
// programs give equal timelines. With ZEROSTALL_SIM_HOST_CLOCK=cpu the virtual clock advances by the CPU time the
// calling thread really spent since its last call instead; what the simulator and a tracer spend inside calls is left
// out. Then times differ from run to run.
#pragma once
#include <cstdint>

namespace zerostall::simgpu {

extern const bool g_measure_host;
void enter_measured_call();  // pairs, per thread; only the outermost counts
void leave_measured_call();

// Modelled host time of the framework before a launch; 0 when it is measured.
std::int64_t framework_ns();

}  // namespace zerostall::simgpu
