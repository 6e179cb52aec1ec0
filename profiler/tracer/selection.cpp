#include "profiler/tracer/selection.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace zerostall::tracer {
namespace {

// cuMemcpyHtoD_v2 and friends are matched without their ABI suffix. Sorted, for binary search.
constexpr std::array kRecorded = std::to_array<std::string_view>({
    "__cudaLaunchKernel",
    "cuCtxSynchronize",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventRecordWithFlags",
    "cuEventSynchronize",
    "cuGraphLaunch",
    "cuLaunchCooperativeKernel",
    "cuLaunchKernel",
    "cuLaunchKernelEx",
    "cuMemAlloc",
    "cuMemAllocHost",
    "cuMemAllocManaged",
    "cuMemFree",
    "cuMemFreeHost",
    "cuMemHostAlloc",
    "cuMemHostRegister",
    "cuMemHostUnregister",
    "cuMemcpy",
    "cuMemcpy2D",
    "cuMemcpy2DAsync",
    "cuMemcpy2DUnaligned",
    "cuMemcpy3D",
    "cuMemcpy3DAsync",
    "cuMemcpy3DPeer",
    "cuMemcpy3DPeerAsync",
    "cuMemcpyAsync",
    "cuMemcpyAtoA",
    "cuMemcpyAtoD",
    "cuMemcpyAtoH",
    "cuMemcpyAtoHAsync",
    "cuMemcpyBatchAsync",
    "cuMemcpyDtoA",
    "cuMemcpyDtoD",
    "cuMemcpyDtoDAsync",
    "cuMemcpyDtoH",
    "cuMemcpyDtoHAsync",
    "cuMemcpyHtoA",
    "cuMemcpyHtoAAsync",
    "cuMemcpyHtoD",
    "cuMemcpyHtoDAsync",
    "cuMemcpyPeer",
    "cuMemcpyPeerAsync",
    "cuMemsetD16",
    "cuMemsetD16Async",
    "cuMemsetD32",
    "cuMemsetD32Async",
    "cuMemsetD8",
    "cuMemsetD8Async",
    "cuStreamQuery",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
    "cudaDeviceReset",
    "cudaDeviceSynchronize",
    "cudaEventQuery",
    "cudaEventRecord",
    "cudaEventRecordWithFlags",
    "cudaEventSynchronize",
    "cudaFree",
    "cudaFreeArray",
    "cudaFreeHost",
    "cudaGraphLaunch",
    "cudaHostAlloc",
    "cudaHostRegister",
    "cudaHostUnregister",
    "cudaLaunch",
    "cudaLaunchCooperativeKernel",
    "cudaLaunchKernel",
    "cudaLaunchKernelExC",
    "cudaMalloc",
    "cudaMallocHost",
    "cudaMallocManaged",
    "cudaMemcpy",
    "cudaMemcpy2D",
    "cudaMemcpy2DArrayToArray",
    "cudaMemcpy2DAsync",
    "cudaMemcpy2DFromArray",
    "cudaMemcpy2DFromArrayAsync",
    "cudaMemcpy2DToArray",
    "cudaMemcpy2DToArrayAsync",
    "cudaMemcpy3D",
    "cudaMemcpy3DAsync",
    "cudaMemcpy3DPeer",
    "cudaMemcpy3DPeerAsync",
    "cudaMemcpyArrayToArray",
    "cudaMemcpyAsync",
    "cudaMemcpyBatchAsync",
    "cudaMemcpyFromArray",
    "cudaMemcpyFromArrayAsync",
    "cudaMemcpyFromSymbol",
    "cudaMemcpyFromSymbolAsync",
    "cudaMemcpyPeer",
    "cudaMemcpyPeerAsync",
    "cudaMemcpyToArray",
    "cudaMemcpyToArrayAsync",
    "cudaMemcpyToSymbol",
    "cudaMemcpyToSymbolAsync",
    "cudaMemset",
    "cudaMemsetAsync",
    "cudaStreamQuery",
    "cudaStreamSynchronize",
    "cudaStreamWaitEvent",
    "cudaThreadSynchronize",
});
static_assert(std::is_sorted(kRecorded.begin(), kRecorded.end()));

bool all_digits(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

// Removes "_v" and at least `digits` digits from the end.
std::string_view strip_version(std::string_view name, std::size_t digits) {
  const auto at = name.rfind("_v");
  if (at == std::string_view::npos) return name;
  const auto number = name.substr(at + 2);
  return all_digits(number) && number.size() >= digits ? name.substr(0, at) : name;
}

}  // namespace

std::string_view base_name(std::string_view name) {
  name = strip_version(name, 4);
  for (const std::string_view suffix : {"_ptsz", "_ptds"})
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  return name;
}

bool is_recorded(std::string_view name) {
  const std::string_view base = strip_version(base_name(name), 1);
  return std::binary_search(kRecorded.begin(), kRecorded.end(), base);
}

}  // namespace zerostall::tracer
