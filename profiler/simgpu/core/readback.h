// Handing bytes of device memory to the program: real ones where they are known, else supplied ones (--sim-values),
// else what contents.h says, with a report of the call site.
#pragma once
#include <cstddef>

namespace zerostall::simgpu {

// Fills `target` (host memory) from device memory at `source`. `api` is the call it comes from. The caller holds no
// lock of ours: finding the call site may wait for Python.
void read_back(void* target, const void* source, std::size_t bytes, const char* api);

// Reads the file named by $ZEROSTALL_SIM_VALUES. A bad one ends the process with one line and exit code 2: a run on
// other values than asked for is worth nothing.
void load_supplied_values();

}  // namespace zerostall::simgpu
