// Kernels and what holds them. A handle of the public API (cudaFunction_t, cudaKernel_t, CUfunction, CUkernel) points
// to a Function; programs compiled by nvcc name it by the address of its host stub too. Code is never run, so a module
// holds whatever function it is asked for. Functions and modules live as long as the process. Thread-safe.
#pragma once
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>

namespace zerostall::simgpu {

struct FatBinary;
struct Module;

struct Function {
  const char* name;
  Module* module = nullptr;
  FatBinary* binary =
      nullptr;  // of a kernel inside the program; nullptr: its code is for the device, whichever that is
  std::atomic<int> max_dynamic_shared{49152};  // as set; more than that must be asked for
  std::atomic<int> carveout{-1};
  std::atomic<bool> loaded{false};         // launched before: drivers load a kernel when it is first needed
  std::atomic<std::int64_t> block_ns{-1};  // time of one block by the model's classes; 0: no class, -1: not looked up
  static constexpr std::int64_t kOutputNotLookedUp = -2;
  std::atomic<std::int64_t> output{kOutputNotLookedUp};  // where its arguments tell what it writes: kernel_output.cpp
};

// nullptr: neither a stub that was registered nor a handle.
Function* function_of(const void* handle);
void register_kernel(const void* host_function, const char* name, FatBinary* binary = nullptr);
bool runs_on_device(const Function& function);  // false: no image for the device's architecture is in the program
const char* kernel_name(const void* handle);    // "unknown kernel" if function_of() knows none
// For core/fork.cpp: readers go on meanwhile. In the child their lock is made anew, since not all of them are there.
void lock_functions();
void unlock_functions();
void renew_functions_lock();

// Modules and libraries are one thing here. `image` is not read.
Module* load_module();
Module* module_from(const void* handle);  // nullptr: unknown or unloaded
bool unload_module(const void* handle);   // false: unknown. Its functions stay valid memory
Function* module_function(Module& module, const char* name);
std::size_t function_count(const Module& module);  // of those asked for so far
std::size_t list_functions(const Module& module, void** functions, std::size_t room);

// What a kernel's registers and shared memory leave room for. Registers are an assumption: 32 a thread.
inline constexpr int kRegistersPerThread = 32;
cudaError_t function_attributes(const void* handle, cudaFuncAttributes* attributes);
cudaError_t set_function_attribute(const void* handle, int attribute, int value);  // numbers of both APIs
int active_blocks(int block_size, std::size_t dynamic_shared);                     // per multiprocessor
int active_clusters(unsigned cluster_blocks, int block_size, std::size_t dynamic_shared);
std::size_t available_shared(int blocks, int block_size);  // per block, if that many are to fit

}  // namespace zerostall::simgpu
