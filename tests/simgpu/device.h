// Helpers for contract tests: a kernel of known length, and the simulator's clock and book.
#pragma once
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>

#include "profiler/simgpu/core/simulator.h"

extern "C" void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*,
                                       int*);

namespace zerostall::testing {

inline std::int64_t now() { return simgpu::simulator().clock.now(); }
inline const simgpu::DeviceModel& model() { return simgpu::simulator().model; }

// Launches a kernel that runs for about `ns` on the modelled device (one whose time follows from its launch shape).
inline void launch_for(std::int64_t ns, cudaStream_t stream = nullptr) {
  static char stub;
  static const bool registered = [] {
    static char name[] = "test_kernel";
    __cudaRegisterFunction(nullptr, &stub, name, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    return true;
  }();
  (void)registered;
  const auto threads = ns * model().device_bytes_per_us / 1000 / model().bytes_per_thread;
  const dim3 grid(static_cast<unsigned>(threads / 1024 + 1)), block(1024);
  ASSERT_EQ(cudaLaunchKernel(&stub, grid, block, nullptr, 0, stream), cudaSuccess);
}

// A number the enum does not know, as a careless program may pass it.
template <class Enum>
Enum out_of_range(int number) {
  static_assert(sizeof(Enum) == sizeof number);
  Enum value{};
  std::memcpy(&value, &number, sizeof value);
  return value;
}

inline constexpr std::int64_t kLong = 10'000'000;  // 10 ms of modelled time: longer than any call costs

}  // namespace zerostall::testing
