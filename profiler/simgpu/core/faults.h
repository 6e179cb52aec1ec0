// Faults on demand, to see how a program takes them: ZEROSTALL_SIM_FAULT="cudaMalloc:3=cudaErrorMemoryAllocation;
// cudaStreamSynchronize:10=cudaErrorIllegalAddress" makes the third cudaMalloc and the tenth cudaStreamSynchronize
// fail.
// "*" for the number: each call. Errors by the name of either API. A call that fails so does nothing else. After an
// error that CUDA calls sticky, every later call returns it until the process ends, cudaDeviceReset included.
#pragma once
#include <atomic>
#include <string>

namespace zerostall::simgpu {

struct Counter;

// True once faults are wanted or a sticky error was given; everything below costs one load before.
extern std::atomic<bool> g_faults;

// The error this call of the function must return instead of doing its work; 0: none.
int fault_of_call(Counter* counter);
inline int fault(Counter* counter) { return g_faults.load(std::memory_order_relaxed) ? fault_of_call(counter) : 0; }

// Reads $ZEROSTALL_SIM_FAULT. A bad one ends the process with one line and exit code 2.
void load_faults();
// Replaces the faults wanted, sticky errors included; false with one line in `error`: nothing was changed.
bool set_faults(const std::string& specification, std::string* error);

}  // namespace zerostall::simgpu
