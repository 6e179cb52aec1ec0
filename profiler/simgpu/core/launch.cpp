#include "profiler/simgpu/core/launch.h"

#include <generated_cuda_runtime_api_meta.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "profiler/simgpu/core/attributes.h"
#include "profiler/simgpu/core/fat_binary.h"
#include "profiler/simgpu/core/submit.h"

namespace zerostall::simgpu {
namespace {

std::int64_t find_block_ns(const char* name) {
  for (const KernelClass& c : simulator().model.kernel_classes)
    if (std::strstr(name, c.name.c_str())) return c.block_ns;
  return 0;
}

// Time of one block by the model's classes, 0 if the kernel is of none.
std::int64_t class_block_ns(const Launch& l, Function* function) {
  if (!function) return find_block_ns(l.name);
  std::int64_t ns = function->block_ns.load(std::memory_order_relaxed);
  if (ns < 0) function->block_ns = ns = find_block_ns(l.name);
  return ns;
}

std::int64_t shape_ns(const Launch& l, Function* function) {
  const DeviceModel& m = simulator().model;
  const std::int64_t blocks = std::int64_t{l.grid.x} * l.grid.y * l.grid.z;
  const std::int64_t threads = blocks * l.block.x * l.block.y * l.block.z;
  if (const std::int64_t block_ns = class_block_ns(l, function))
    return (blocks + m.sm_count - 1) / m.sm_count * block_ns;
  return threads * m.bytes_per_thread * 1000 / m.device_bytes_per_us;
}

bool loads_lazily() {
  static const bool lazily = [] {
    const char* mode = std::getenv("CUDA_MODULE_LOADING");
    return !mode || std::strcmp(mode, "EAGER") != 0;
  }();
  return lazily;
}

// Drivers load a kernel, and the code around it, when it is first launched. The model has no time for that: it is told,
// and takes none.
void tell_of_first_use(Function& function) {
  if (function.loaded.load(std::memory_order_relaxed) || function.loaded.exchange(true) || !loads_lazily()) return;
  const std::int64_t now = simulator().clock.now();
  if (function.binary && !function.binary->loaded.exchange(true)) publish(OverheadKind::module_loading, {now, now});
  publish(OverheadKind::function_loading, {now, now});
}

}  // namespace

cudaError_t check_launch(const void* handle, dim3 grid, dim3 block, std::size_t shared_bytes) {
  const auto volume = std::uint64_t{block.x} * block.y * block.z;
  const bool block_fits = volume > 0 && volume <= kMaxThreads && block.z <= 64;
  const bool grid_fits =
      grid.x > 0 && grid.x <= kMaxGridX && grid.y > 0 && grid.y <= kMaxGrid && grid.z > 0 && grid.z <= kMaxGrid;
  if (!block_fits || !grid_fits) return cudaErrorInvalidConfiguration;
  const Function* function = function_of(handle);
  if (!function) return cudaErrorInvalidDeviceFunction;
  if (!runs_on_device(*function)) return cudaErrorNoKernelImageForDevice;
  const bool fits =
      static_cast<std::int64_t>(shared_bytes) <= function->max_dynamic_shared.load(std::memory_order_relaxed);
  return fits ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t launch(const Launch& l) { return launch(l, nullptr); }

cudaError_t launch(const Launch& l, void* output) {
  const DeviceModel& m = simulator().model;
  Function* function = l.function ? function_of(l.function) : nullptr;
  const std::int64_t ns = std::max(m.kernel_floor_ns, l.duration_ns >= 0 ? l.duration_ns : shape_ns(l, function));
  if (function) tell_of_first_use(*function);
  Operation o{};
  o.kind = OperationKind::kernel;
  o.duration_ns = ns;
  o.latency_ns = m.launch_latency_ns;
  o.host.call_ns = framework_ns() + m.launch_ns;
  o.work.kind = WorkKind::kernel;
  o.function = l.function;
  o.target = output;
  o.work.name = l.name;
  o.work.grid = l.grid;
  o.work.block = l.block;
  o.work.shared_bytes = static_cast<std::uint32_t>(l.shared_bytes);
  return submit(l.stream, std::move(o));
}

cudaError_t library_launch(const Launch& l) {
  static constinit Counter counter{"cudaLaunchKernelExC"};
  cudaLaunchConfig_t config{};
  config.gridDim = l.grid;
  config.blockDim = l.block;
  config.dynamicSmemBytes = l.shared_bytes;
  config.stream = static_cast<cudaStream_t>(const_cast<void*>(l.stream));
  cudaLaunchKernelExC_v11060_params params{&config, l.name, nullptr};
  ApiCall call(2, 430, "cudaLaunchKernelExC_v11060", &params, l.name, &counter);
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
