#include "profiler/simgpu/core/launch.h"

#include <generated_cuda_runtime_api_meta.h>

#include <algorithm>
#include <cstring>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "profiler/simgpu/core/submit.h"

namespace zerostall::simgpu {
namespace {

struct Kernels {
  std::shared_mutex lock;
  std::unordered_map<const void*, const char*> by_stub;
  std::unordered_map<const char*, std::int64_t> block_ns;  // by name pointer; 0 = no class
};

Kernels& kernels() {
  static Kernels* instance = new Kernels;
  return *instance;
}

std::int64_t class_block_ns(const char* name) {
  Kernels& k = kernels();
  {
    std::shared_lock guard(k.lock);
    if (const auto it = k.block_ns.find(name); it != k.block_ns.end()) return it->second;
  }
  std::int64_t ns = 0;
  for (const KernelClass& c : simulator().model.kernel_classes)
    if (std::strstr(name, c.name.c_str())) {
      ns = c.block_ns;
      break;
    }
  std::unique_lock guard(k.lock);
  return k.block_ns[name] = ns;
}

std::int64_t shape_ns(const Launch& l) {
  const DeviceModel& m = simulator().model;
  const std::int64_t blocks = std::int64_t{l.grid.x} * l.grid.y * l.grid.z;
  const std::int64_t threads = blocks * l.block.x * l.block.y * l.block.z;
  if (const std::int64_t block_ns = class_block_ns(l.name)) return (blocks + m.sm_count - 1) / m.sm_count * block_ns;
  return threads * m.bytes_per_thread * 1000 / m.device_bytes_per_us;
}

}  // namespace

const char* kernel_name(const void* host_function) {
  Kernels& k = kernels();
  std::shared_lock guard(k.lock);
  const auto it = k.by_stub.find(host_function);
  return it == k.by_stub.end() ? "unknown kernel" : it->second;
}

void register_kernel(const void* host_function, const char* name) {
  Kernels& k = kernels();
  std::unique_lock guard(k.lock);
  k.by_stub[host_function] = name;
}

cudaError_t launch(const Launch& l) {
  const DeviceModel& m = simulator().model;
  const std::int64_t ns = std::max(m.kernel_floor_ns, l.duration_ns >= 0 ? l.duration_ns : shape_ns(l));
  Operation o{};
  o.kind = OperationKind::kernel;
  o.duration_ns = ns;
  o.latency_ns = m.launch_latency_ns;
  o.host.call_ns = m.between_launches_ns + m.launch_ns;
  o.work.kind = WorkKind::kernel;
  o.function = l.function;
  o.work.name = l.name;
  o.work.grid = l.grid;
  o.work.block = l.block;
  o.work.shared_bytes = static_cast<std::uint32_t>(l.shared_bytes);
  return submit(l.stream, std::move(o));
}

cudaError_t library_launch(const Launch& l) {
  static Counter* counter = counter_for("cudaLaunchKernelExC");
  cudaLaunchConfig_t config{};
  config.gridDim = l.grid;
  config.blockDim = l.block;
  config.dynamicSmemBytes = l.shared_bytes;
  config.stream = static_cast<cudaStream_t>(const_cast<void*>(l.stream));
  cudaLaunchKernelExC_v11060_params params{&config, l.name, nullptr};
  ApiCall call(2, 430, "cudaLaunchKernelExC_v11060", &params, l.name, counter);
  return call.finish(call.fault() ? static_cast<cudaError_t>(call.fault()) : launch(l));
}

std::int64_t gemm_ns(double m, double n, double k, int bits) {
  const DeviceModel& model = simulator().model;
  const auto rate = bits <= 8    ? model.gemm_int8_ops_per_us
                    : bits <= 16 ? model.gemm_half_ops_per_us
                                 : model.gemm_float_ops_per_us;
  const double compute_ns = 2.0 * m * n * k * 1000.0 / static_cast<double>(rate);
  const double bytes = (m * k + n * k) * bits / 8.0 + m * n * (bits <= 8 ? 4.0 : bits / 8.0);
  const double memory_ns = bytes * 1000.0 / static_cast<double>(model.device_bytes_per_us);
  return static_cast<std::int64_t>(std::max(compute_ns, memory_ns));
}

}  // namespace zerostall::simgpu
