// What becomes of a forked child. A GPU does not survive fork: in the child of a process that has used the device every
// call answers cudaErrorInitializationError (3). That also keeps the child off our locks, which a thread of the parent
// may have held, and off our threads, which the child does not have. A child of a process that has not used the device
// yet may use it.
#pragma once
#include <atomic>
#include <string_view>

namespace zerostall::simgpu {

extern std::atomic<bool> g_forked;  // this process is such a child

// These need no device: a process that has called nothing else has not used it, and they answer in a forked child.
bool needs_no_device(std::string_view function);

}  // namespace zerostall::simgpu
