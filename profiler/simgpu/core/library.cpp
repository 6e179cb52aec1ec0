#include "profiler/simgpu/core/library.h"

#include <cupti_runtime_cbid.h>
#include <generated_cuda_runtime_api_meta.h>

#include <algorithm>
#include <cstring>

#include "profiler/simgpu/core/hooks.h"
#include "profiler/simgpu/core/launch.h"
#include "profiler/simgpu/core/product.h"
#include "profiler/simgpu/core/simulator.h"
#include "profiler/simgpu/core/wait.h"

namespace zerostall::simgpu {
namespace {

constexpr int kRuntimeDomain = 2;  // CUPTI_CB_DOMAIN_RUNTIME_API
constexpr unsigned kBlockThreads = 256;
constexpr double kBytesPerThread = 16;

}  // namespace

Scalar scalar_of(int data_type) {
  const int bits = type_bits(data_type);
  return is_complex(data_type) ? Scalar{bits / 8, bits / 2, 4} : Scalar{bits / 8, bits, 1};
}

std::int64_t transfer_ns(double bytes) {
  return static_cast<std::int64_t>(bytes * 1000.0 / static_cast<double>(simulator().model.device_bytes_per_us));
}

cudaError_t library_kernel(const char* name, std::int64_t ns, double threads, const void* stream) {
  const double blocks = std::clamp(threads / kBlockThreads, 1.0, 2147483647.0);
  Launch l{name, dim3(static_cast<unsigned>(blocks)), dim3(kBlockThreads), 0, stream};
  l.duration_ns = std::max<std::int64_t>(ns, 0);
  return library_launch(l);
}

cudaError_t library_kernel_by_bytes(const char* name, double bytes, const void* stream) {
  return library_kernel(name, transfer_ns(bytes), bytes / kBytesPerThread, stream);
}

void library_write(void* target, const void* value, std::size_t bytes) {
  if (!target || bytes == 0) return;
  std::memcpy(target, value, bytes);
  simulator().memory.note_write(target, bytes, true);
}

void library_write_zeros(void* target, std::size_t bytes) {
  if (!target || bytes == 0) return;
  std::memset(target, 0, bytes);
  simulator().memory.note_write(target, bytes, true);
}

cudaError_t library_wait(const void* stream) {
  static constinit Counter counter{"cudaStreamSynchronize"};
  cudaStreamSynchronize_v3020_params params{static_cast<cudaStream_t>(const_cast<void*>(stream))};
  ApiCall call(kRuntimeDomain, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020, "cudaStreamSynchronize_v3020",
               &params, nullptr, &counter);
  return call.finish(wait_stream(stream));
}

cudaError_t library_wait_device() {
  static constinit Counter counter{"cudaDeviceSynchronize"};
  ApiCall call(kRuntimeDomain, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020, "cudaDeviceSynchronize_v3020",
               nullptr, nullptr, &counter);
  return call.finish(wait_device());
}

}  // namespace zerostall::simgpu
