#include "profiler/trace/api_table.h"

#include <algorithm>
#include <array>
#include <string>

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
    {"cuCtxRecordEvent", event_record}, {"cuGreenCtxRecordEvent", event_record},

    // Order streams after each other, after another device's or another API's work, or after a value in memory.
    {"cudaStreamWaitEvent", stream_wait}, {"cuStreamWaitEvent", stream_wait},
    {"cuCtxWaitEvent", stream_wait}, {"cuGreenCtxWaitEvent", stream_wait},
    {"cudaWaitExternalSemaphoresAsync", stream_wait}, {"cuWaitExternalSemaphoresAsync", stream_wait},
    {"cuStreamWaitValue32", stream_wait}, {"cuStreamWaitValue64", stream_wait}, {"cuStreamBatchMemOp", stream_wait},

    // What is launched in between runs later or never: no GPU record is missing (check_records.h).
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
    {"cudaMemcpyWithAttributesAsync", copy, kAsync, kByCall}, {"cudaMemcpy3DWithAttributesAsync", copy, kAsync, kByCall},

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
    {"cuMemcpyWithAttributesAsync", copy, kAsync, kByCall}, {"cuMemcpy3DWithAttributesAsync", copy, kAsync, kByCall},

    // The synchronous forms wait if their target is pinned or managed memory.
    {"cudaMemset", memset}, {"cudaMemset2D", memset}, {"cudaMemset3D", memset},
    {"cudaMemsetAsync", memset, kAsync}, {"cudaMemset2DAsync", memset, kAsync}, {"cudaMemset3DAsync", memset, kAsync},
    {"cuMemsetD8", memset}, {"cuMemsetD16", memset}, {"cuMemsetD32", memset},
    {"cuMemsetD2D8", memset}, {"cuMemsetD2D16", memset}, {"cuMemsetD2D32", memset},
    {"cuMemsetD8Async", memset, kAsync}, {"cuMemsetD16Async", memset, kAsync}, {"cuMemsetD32Async", memset, kAsync},
    {"cuMemsetD2D8Async", memset, kAsync}, {"cuMemsetD2D16Async", memset, kAsync},
    {"cuMemsetD2D32Async", memset, kAsync},
    {"cuMemBatchDecompressAsync", memset, kAsync},  // fills memory; leaves no record of a kernel

    // What nvcc 13 makes of <<<>>> is __cudaLaunchKernel.
    {"cudaLaunch", launch}, {"cudaLaunchKernel", launch}, {"__cudaLaunchKernel", launch}, {"cudaLaunchKernelExC", launch},
    {"cudaLaunchCooperativeKernel", launch}, {"cudaLaunchCooperativeKernelMultiDevice", launch},
    {"cudaGraphLaunch", graph_launch}, {"cuGraphLaunch", graph_launch},
    {"cuLaunch", launch}, {"cuLaunchGrid", launch}, {"cuLaunchGridAsync", launch},
    {"cuLaunchKernel", launch}, {"cuLaunchKernelEx", launch},
    {"cuLaunchCooperativeKernel", launch}, {"cuLaunchCooperativeKernelMultiDevice", launch},

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
    {"cuMipmappedArrayCreate", implicit, kSync, kNone, kGrows}, {"cuMipmappedArrayDestroy", implicit},
    // End what the device still does for the context.
    {"cudaDeviceReset", implicit}, {"cudaThreadExit", implicit}, {"cuCtxDestroy", implicit}, {"cuCtxDetach", implicit},
    {"cuDevicePrimaryCtxReset", implicit}, {"cuDevicePrimaryCtxRelease", implicit}, {"cuGreenCtxDestroy", implicit},
    {"cuCheckpointProcessLock", implicit},
    // Wait until remote writes are visible, or until the other side of a stream of images gives or takes one.
    {"cudaDeviceFlushGPUDirectRDMAWrites", implicit}, {"cuFlushGPUDirectRDMAWrites", implicit},
    {"cudaEGLStreamConsumerAcquireFrame", implicit}, {"cuEGLStreamConsumerAcquireFrame", implicit},
    {"cudaEGLStreamProducerReturnFrame", implicit}, {"cuEGLStreamProducerReturnFrame", implicit},
    // Give memory to a graphics API and take it back: all work of the other side on it comes first.
    {"cudaGraphicsMapResources", implicit}, {"cudaGraphicsUnmapResources", implicit},
    {"cuGraphicsMapResources", implicit}, {"cuGraphicsUnmapResources", implicit},
    {"cudaGLMapBufferObject", implicit}, {"cudaGLUnmapBufferObject", implicit},
    {"cudaGLMapBufferObjectAsync", implicit}, {"cudaGLUnmapBufferObjectAsync", implicit},
    {"cuGLMapBufferObject", implicit}, {"cuGLUnmapBufferObject", implicit},
    {"cuGLMapBufferObjectAsync", implicit}, {"cuGLUnmapBufferObjectAsync", implicit},
    {"cudaD3D9MapResources", implicit}, {"cudaD3D9UnmapResources", implicit},
    {"cudaD3D9MapVertexBuffer", implicit}, {"cudaD3D9UnmapVertexBuffer", implicit},
    {"cudaD3D10MapResources", implicit}, {"cudaD3D10UnmapResources", implicit},
    {"cuD3D9MapResources", implicit}, {"cuD3D9UnmapResources", implicit},
    {"cuD3D9MapVertexBuffer", implicit}, {"cuD3D9UnmapVertexBuffer", implicit},
    {"cuD3D10MapResources", implicit}, {"cuD3D10UnmapResources", implicit},

    // The caching allocator's expandable segments take memory through these; they do not synchronise.
    {"cuMemCreate", other, kSync, kNone, kGrows},

    {"cuModuleLoad", module_load}, {"cuModuleLoadData", module_load}, {"cuModuleLoadDataEx", module_load},
    {"cuModuleLoadFatBinary", module_load}, {"cuLibraryLoadData", module_load}, {"cuLibraryLoadFromFile", module_load},
    {"cudaLibraryLoadData", module_load}, {"cudaLibraryLoadFromFile", module_load}, {"cuFuncLoad", module_load},
});
// HIP's calls that have no call of CUDA's runtime or driver API behind the other prefix: sorted.
constexpr auto kHipTable = std::to_array<ApiInfo>({
    {"hipDrvLaunchKernelEx", launch}, {"hipDrvMemcpy2DUnaligned", copy, kSync, kByCall},
    {"hipDrvMemcpy3D", copy, kSync, kByCall}, {"hipDrvMemcpy3DAsync", copy, kAsync, kByCall},
    {"hipExtLaunchKernel", launch}, {"hipExtLaunchMultiKernelMultiDevice", launch},
    {"hipExtMallocWithFlags", implicit, kSync, kNone, kGrows}, {"hipExtModuleLaunchKernel", launch},
    {"hipHccModuleLaunchKernel", launch}, {"hipHostFree", implicit}, {"hipHostMalloc", implicit},
    {"hipMemcpyParam2D", copy, kSync, kByCall}, {"hipMemcpyParam2DAsync", copy, kAsync, kByCall},
    {"hipMemcpyWithStream", copy, kSync, kByCall},
    {"hipModuleLaunchCooperativeKernel", launch}, {"hipModuleLaunchCooperativeKernelMultiDevice", launch},
    {"hipModuleLaunchKernel", launch},
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

// Where the elements of a table stand in the order of their names.
template <class T, std::size_t n, class Name>
constexpr std::array<std::uint16_t, n> by_name(const std::array<T, n>& table, Name name) {
  std::array<std::uint16_t, n> order{};
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint16_t>(i);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return name(table[a]) < name(table[b]); });
  return order;
}

constexpr std::size_t kLongestName = 128;

// Without any suffix, and without the 64 of the forms for 64-bit addresses of the first 64-bit CUDA ("cu64MemAlloc").
std::string_view plain_name(std::string_view name, std::array<char, kLongestName>& room) {
  name = strip_version(name);
  cut_version(name, 1, 3);
  if (!name.starts_with("cu64") || name.size() > kLongestName) return name;
  const auto end = std::copy(name.begin() + 4, name.end(), std::copy_n("cu", 2, room.begin()));
  return {room.data(), static_cast<std::size_t>(end - room.begin())};
}

}  // namespace

std::string_view name_of(ApiKind kind) {
  constexpr std::array<std::string_view, kApiKinds> kNames = {
      "other", "stream_sync",  "device_sync", "event_sync",  "copy",        "memset",      "launch",
      "query", "event_record", "implicit",    "module_load", "stream_wait", "graph_launch"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::span<const ApiInfo> api_table() { return kTable; }

std::string_view strip_version(std::string_view name) {
  while (cut_version(name, 4, 8) || cut_suffix(name, "_ptsz") || cut_suffix(name, "_ptds")) {
  }
  return name;
}

bool uses_per_thread_stream(std::string_view name) {
  return name.find("_ptsz") != std::string_view::npos || name.find("_ptds") != std::string_view::npos;
}

namespace {

// Of each HIP call the documentation names the call of CUDA that it stands for: nearly always the one of the same name.
std::array<std::string, 2> cuda_names(std::string_view hip) {
  cut_suffix(hip, "R0600");  // the version of a structure it fills in
  return {"cuda" + std::string(hip.substr(3)), "cu" + std::string(hip.substr(3))};
}

bool is_hip(std::string_view name) { return name.size() > 3 && name.starts_with("hip") && name[3] < 'a'; }

ApiInfo find_hip_api(std::string_view name) {
  static_assert(std::is_sorted(kHipTable.begin(), kHipTable.end(), [](auto& a, auto& b) { return a.name < b.name; }));
  for (const ApiInfo& info : kHipTable)
    if (info.name == name) return info;
  for (const std::string& cuda : cuda_names(name))
    if (const ApiInfo info = find_api(cuda); !info.name.empty()) return info;
  return {};
}

}  // namespace

ApiInfo find_api(std::string_view name) {
  if (is_hip(name)) return find_hip_api(name);
  static constexpr auto order = by_name(kTable, [](const ApiInfo& info) { return info.name; });
  std::array<char, kLongestName> room;
  name = plain_name(name, room);
  const auto found = std::lower_bound(order.begin(), order.end(), name,
                                      [](std::uint16_t i, std::string_view n) { return kTable[i].name < n; });
  return found != order.end() && kTable[*found].name == name ? kTable[*found] : ApiInfo{};
}

bool matters(std::string_view name) { return !find_api(name).name.empty() || !is_known_api(name); }

bool is_known_api(std::string_view name) {
  if (!find_api(name).name.empty()) return true;
  if (is_hip(name))
    for (const std::string& cuda : cuda_names(name))
      if (is_known_api(cuda)) return true;
  std::array<char, kLongestName> room;
  name = plain_name(name, room);
  const auto uninteresting = uninteresting_apis();
  return std::binary_search(uninteresting.begin(), uninteresting.end(), name);
}

}  // namespace zerostall
