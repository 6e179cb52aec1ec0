// For tests of libraries: which kernels they launch, and device memory with known bytes.
#pragma once
#include <library_types.h>

#include <string>
#include <vector>

#include "profiler/simgpu/core/hooks.h"
#include "tests/simgpu/device.h"

namespace zerostall::testing {

struct Kernel {
  std::string name;
  std::int64_t begin_ns, end_ns;
};

// Collects kernels while it lives. One at a time.
class Kernels {
 public:
  Kernels() {
    seen() = &kernels;
    static const simgpu::Hooks hooks{[](simgpu::CallInfo&) {}, [](simgpu::CallInfo&, const int*) {},
                                     [](const simgpu::Work& work) {
                                       if (work.kind == simgpu::WorkKind::kernel)
                                         seen()->push_back({work.name, work.begin_ns, work.end_ns});
                                     },
                                     [](const simgpu::SyncInfo&) {}, [](const simgpu::OverheadInfo&) {}};
    simgpu::g_hooks.store(&hooks);
  }
  ~Kernels() { simgpu::g_hooks.store(nullptr); }
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const Kernel& k : kernels) out.push_back(k.name);
    return out;
  }
  std::int64_t last_ns() const { return kernels.back().end_ns - kernels.back().begin_ns; }

  std::vector<Kernel> kernels;

 private:
  static std::vector<Kernel>*& seen() {
    static std::vector<Kernel>* kernels = nullptr;
    return kernels;
  }
};

// Device memory full of ones, so that a zero in it was written.
class DeviceInts {
 public:
  explicit DeviceInts(int count) : count_(count) {
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&data), bytes()), cudaSuccess);
    EXPECT_EQ(cudaMemset(data, 0xff, bytes()), cudaSuccess);
  }
  ~DeviceInts() { cudaFree(data); }
  DeviceInts(const DeviceInts&) = delete;
  DeviceInts& operator=(const DeviceInts&) = delete;

  std::vector<int> read() const {
    std::vector<int> out(static_cast<std::size_t>(count_), 7);
    EXPECT_EQ(cudaMemcpy(out.data(), data, bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
    return out;
  }

  int* data = nullptr;

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(count_) * sizeof(int); }
  int count_;
};

}  // namespace zerostall::testing
