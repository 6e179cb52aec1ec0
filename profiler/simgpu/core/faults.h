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

// The same for functions of libraries that make a handle (cublasCreate_v2, cudnnCreate, ...). Their statuses are given
// as numbers: "cublasCreate_v2:1=3". `not_initialized`: what the library answers on a device with a sticky error.
int library_fault_of_call(const char* function, int not_initialized);
inline int library_fault(const char* function, int not_initialized) {
  return g_faults.load(std::memory_order_relaxed) ? library_fault_of_call(function, not_initialized) : 0;
}

// Reads $ZEROSTALL_SIM_FAULT. A bad one ends the process with one line and exit code 2. One that has not
// happened when the process ends is named on stderr.
void load_faults();
// Replaces the faults wanted, sticky errors included; false with one line in `error`: nothing was changed.
bool set_faults(const std::string& specification, std::string* error);

}  // namespace zerostall::simgpu
