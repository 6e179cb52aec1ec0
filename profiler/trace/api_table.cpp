#include "profiler/trace/api_table.h"

#include <array>

namespace zerostall {
namespace {

using enum ApiKind;
constexpr auto kByCall = CopyDirection::unknown;
constexpr auto kUp = CopyDirection::host_to_device;
constexpr auto kDown = CopyDirection::device_to_host;
constexpr auto kInside = CopyDirection::device_to_device;
constexpr auto kNone = CopyDirection::none;
constexpr auto kPeer = CopyDirection::peer;
constexpr bool kSync = false, kAsync = true, kGrows = true;

// clang-format off
constexpr auto kTable = std::to_array<ApiInfo>({
    {"cudaStreamSynchronize", stream_sync}, {"cuStreamSynchronize", stream_sync},
    {"cudaDeviceSynchronize", device_sync}, {"cudaThreadSynchronize", device_sync}, {"cuCtxSynchronize", device_sync},
    {"cudaEventSynchronize", event_sync}, {"cuEventSynchronize", event_sync},
    {"cudaStreamQuery", query}, {"cudaEventQuery", query}, {"cuStreamQuery", query}, {"cuEventQuery", query},
    {"cudaEventRecord", event_record}, {"cudaEventRecordWithFlags", event_record},
    {"cuEventRecord", event_record}, {"cuEventRecordWithFlags", event_record},
    // Orders streams; the host goes on at once.
    {"cudaStreamWaitEvent", other}, {"cuStreamWaitEvent", other},
    // What is launched in between runs later or never: no GPU record is missing (missing_records.h).
    {"cudaStreamBeginCapture", other}, {"cudaStreamBeginCaptureToGraph", other}, {"cudaStreamEndCapture", other},
    {"cuStreamBeginCapture", other}, {"cuStreamBeginCaptureToGraph", other}, {"cuStreamEndCapture", other},

    {"cudaMemcpy", copy, kSync, kByCall}, {"cudaMemcpy2D", copy, kSync, kByCall}, {"cudaMemcpy3D", copy, kSync, kByCall},
    {"cudaMemcpyToArray", copy, kSync, kByCall}, {"cudaMemcpy2DToArray", copy, kSync, kByCall},
    {"cudaMemcpyFromArray", copy, kSync, kByCall}, {"cudaMemcpy2DFromArray", copy, kSync, kByCall},
    {"cudaMemcpyArrayToArray", copy, kSync, kInside}, {"cudaMemcpy2DArrayToArray", copy, kSync, kInside},
    {"cudaMemcpyToSymbol", copy, kSync, kByCall}, {"cudaMemcpyFromSymbol", copy, kSync, kByCall},
    {"cudaMemcpyPeer", copy, kSync, kPeer}, {"cudaMemcpy3DPeer", copy, kSync, kPeer},
    {"cudaMemcpyAsync", copy, kAsync, kByCall}, {"cudaMemcpy2DAsync", copy, kAsync, kByCall},
    {"cudaMemcpy3DAsync", copy, kAsync, kByCall},
    {"cudaMemcpyToArrayAsync", copy, kAsync, kByCall}, {"cudaMemcpy2DToArrayAsync", copy, kAsync, kByCall},
    {"cudaMemcpyFromArrayAsync", copy, kAsync, kByCall}, {"cudaMemcpy2DFromArrayAsync", copy, kAsync, kByCall},
    {"cudaMemcpyToSymbolAsync", copy, kAsync, kByCall}, {"cudaMemcpyFromSymbolAsync", copy, kAsync, kByCall},
    {"cudaMemcpyPeerAsync", copy, kAsync, kPeer}, {"cudaMemcpy3DPeerAsync", copy, kAsync, kPeer},
    {"cudaMemcpyBatchAsync", copy, kAsync, kByCall}, {"cudaMemcpy3DBatchAsync", copy, kAsync, kByCall},

    {"cuMemcpy", copy, kSync, kByCall}, {"cuMemcpy2D", copy, kSync, kByCall}, {"cuMemcpy2DUnaligned", copy, kSync, kByCall},
    {"cuMemcpy3D", copy, kSync, kByCall},
    {"cuMemcpyHtoD", copy, kSync, kUp}, {"cuMemcpyHtoA", copy, kSync, kUp},
    {"cuMemcpyDtoH", copy, kSync, kDown}, {"cuMemcpyAtoH", copy, kSync, kDown},
    {"cuMemcpyDtoD", copy, kSync, kInside}, {"cuMemcpyDtoA", copy, kSync, kInside},
    {"cuMemcpyAtoD", copy, kSync, kInside}, {"cuMemcpyAtoA", copy, kSync, kInside},
    {"cuMemcpyPeer", copy, kSync, kPeer}, {"cuMemcpy3DPeer", copy, kSync, kPeer},
    {"cuMemcpyAsync", copy, kAsync, kByCall}, {"cuMemcpy2DAsync", copy, kAsync, kByCall},
    {"cuMemcpy3DAsync", copy, kAsync, kByCall},
    {"cuMemcpyHtoDAsync", copy, kAsync, kUp}, {"cuMemcpyHtoAAsync", copy, kAsync, kUp},
    {"cuMemcpyDtoHAsync", copy, kAsync, kDown}, {"cuMemcpyAtoHAsync", copy, kAsync, kDown},
    {"cuMemcpyDtoDAsync", copy, kAsync, kInside},
    {"cuMemcpyPeerAsync", copy, kAsync, kPeer}, {"cuMemcpy3DPeerAsync", copy, kAsync, kPeer},
    {"cuMemcpyBatchAsync", copy, kAsync, kByCall}, {"cuMemcpy3DBatchAsync", copy, kAsync, kByCall},

    {"cudaMemset", memset}, {"cudaMemset2D", memset}, {"cudaMemset3D", memset},
    {"cudaMemsetAsync", memset}, {"cudaMemset2DAsync", memset}, {"cudaMemset3DAsync", memset},
    {"cuMemsetD8", memset}, {"cuMemsetD16", memset}, {"cuMemsetD32", memset},
    {"cuMemsetD2D8", memset}, {"cuMemsetD2D16", memset}, {"cuMemsetD2D32", memset},
    {"cuMemsetD8Async", memset}, {"cuMemsetD16Async", memset}, {"cuMemsetD32Async", memset},
    {"cuMemsetD2D8Async", memset}, {"cuMemsetD2D16Async", memset}, {"cuMemsetD2D32Async", memset},

    // What nvcc 13 makes of <<<>>> is __cudaLaunchKernel.
    {"cudaLaunch", launch}, {"cudaLaunchKernel", launch}, {"__cudaLaunchKernel", launch}, {"cudaLaunchKernelExC", launch},
    {"cudaLaunchCooperativeKernel", launch}, {"cudaLaunchCooperativeKernelMultiDevice", launch}, {"cudaGraphLaunch", launch},
    {"cuLaunch", launch}, {"cuLaunchGrid", launch}, {"cuLaunchGridAsync", launch},
    {"cuLaunchKernel", launch}, {"cuLaunchKernelEx", launch},
    {"cuLaunchCooperativeKernel", launch}, {"cuLaunchCooperativeKernelMultiDevice", launch}, {"cuGraphLaunch", launch},

    {"cudaMalloc", implicit, kSync, kNone, kGrows}, {"cudaMallocPitch", implicit, kSync, kNone, kGrows},
    {"cudaMalloc3D", implicit, kSync, kNone, kGrows}, {"cudaMallocArray", implicit, kSync, kNone, kGrows},
    {"cudaMalloc3DArray", implicit, kSync, kNone, kGrows}, {"cudaMallocMipmappedArray", implicit, kSync, kNone, kGrows},
    {"cudaMallocManaged", implicit, kSync, kNone, kGrows},
    {"cudaFree", implicit}, {"cudaFreeArray", implicit}, {"cudaFreeMipmappedArray", implicit},
    {"cudaMallocHost", implicit}, {"cudaHostAlloc", implicit}, {"cudaFreeHost", implicit},
    {"cudaHostRegister", implicit}, {"cudaHostUnregister", implicit},
    {"cuMemAlloc", implicit, kSync, kNone, kGrows}, {"cuMemAllocPitch", implicit, kSync, kNone, kGrows},
    {"cuMemAllocManaged", implicit, kSync, kNone, kGrows}, {"cuArrayCreate", implicit, kSync, kNone, kGrows},
    {"cuArray3DCreate", implicit, kSync, kNone, kGrows},
    {"cuMemFree", implicit}, {"cuArrayDestroy", implicit}, {"cuMemAllocHost", implicit}, {"cuMemHostAlloc", implicit},
    {"cuMemFreeHost", implicit}, {"cuMemHostRegister", implicit}, {"cuMemHostUnregister", implicit},
    // The caching allocator's expandable segments take memory through these; they do not synchronise.
    {"cuMemCreate", other, kSync, kNone, kGrows},

    {"cuModuleLoad", module_load}, {"cuModuleLoadData", module_load}, {"cuModuleLoadDataEx", module_load},
    {"cuModuleLoadFatBinary", module_load}, {"cuLibraryLoadData", module_load}, {"cuLibraryLoadFromFile", module_load},
    {"cudaLibraryLoadData", module_load}, {"cudaLibraryLoadFromFile", module_load},
});
// clang-format on

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Cuts a final "_v" + digits of at least `least` and at most `most` digits.
bool cut_version(std::string_view& name, std::size_t least, std::size_t most) {
  const std::size_t at = name.rfind("_v");
  if (at == std::string_view::npos) return false;
  const std::string_view digits = name.substr(at + 2);
  if (!is_digits(digits) || digits.size() < least || digits.size() > most) return false;
  name = name.substr(0, at);
  return true;
}

bool cut_suffix(std::string_view& name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  return true;
}

}  // namespace

std::span<const ApiInfo> api_table() { return kTable; }

std::string_view strip_version(std::string_view name) {
  while (cut_version(name, 4, 8) || cut_suffix(name, "_ptsz") || cut_suffix(name, "_ptds")) {
  }
  return name;
}

bool uses_per_thread_stream(std::string_view name) {
  return name.find("_ptsz") != std::string_view::npos || name.find("_ptds") != std::string_view::npos;
}

ApiInfo find_api(std::string_view name) {
  name = strip_version(name);
  cut_version(name, 1, 3);
  for (const ApiInfo& info : kTable)
    if (info.name == name) return info;
  return {};
}

}  // namespace zerostall
