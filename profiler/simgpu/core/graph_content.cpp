#include "profiler/simgpu/core/graph_content.h"

#include <algorithm>

#include "profiler/simgpu/core/copy.h"
#include "profiler/simgpu/core/launch.h"

namespace zerostall::simgpu {

cudaError_t kernel_content(const cudaKernelNodeParams& p, NodeContent* content) {
  const bool empty = !p.gridDim.x || !p.gridDim.y || !p.gridDim.z || !p.blockDim.x || !p.blockDim.y || !p.blockDim.z;
  if (!p.func || empty) return cudaErrorInvalidValue;
  content->kind = NodeKind::kernel;
  const Launch l{kernel_name(p.func), p.gridDim, p.blockDim, p.sharedMemBytes, nullptr, -1, p.func};
  return collect_operation([&] { return launch(l); }, &content->operation);
}

cudaError_t copy_content(const cudaMemcpy3DParms& p, NodeContent* content) {
  if (p.srcArray || p.dstArray) {
    report_unsupported("cudaGraphAddMemcpyNode with arrays");
    return cudaErrorNotSupported;
  }
  const auto at = [](const cudaPitchedPtr& m, const cudaPos& position) {
    return static_cast<char*>(m.ptr) + (position.z * m.ysize + position.y) * m.pitch + position.x;
  };
  const Shape shape{p.extent.width,
                    std::max<std::size_t>(p.extent.height, 1),
                    std::max<std::size_t>(p.extent.depth, 1),
                    p.dstPtr.pitch,
                    p.dstPtr.pitch * p.dstPtr.ysize,
                    p.srcPtr.pitch,
                    p.srcPtr.pitch * p.srcPtr.ysize};
  if (!fits_pitch(shape)) return cudaErrorInvalidPitchValue;
  content->kind = NodeKind::copy;
  content->parameters = std::make_shared<const cudaMemcpy3DParms>(p);
  const CopyRequest request =
      shaped({at(p.dstPtr, p.dstPos), at(p.srcPtr, p.srcPos), 0, nullptr, true, "cudaGraphLaunch"}, shape);
  return collect_operation([&] { return static_cast<cudaError_t>(copy(request)); }, &content->operation);
}

cudaError_t set_content(const cudaMemsetParams& p, NodeContent* content) {
  if (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4) return cudaErrorInvalidValue;
  content->kind = NodeKind::set;
  content->parameters = std::make_shared<const cudaMemsetParams>(p);
  const auto width = static_cast<int>(p.elementSize);
  SetRequest request{p.dst, static_cast<int>(p.value), p.width * p.elementSize, nullptr, true, width};
  if (p.height > 1) request = shaped(request, {p.width * p.elementSize, p.height, 1, p.pitch, 0, 0, 0});
  return collect_operation([&] { return static_cast<cudaError_t>(set(request)); }, &content->operation);
}

cudaError_t host_content(cudaHostFn_t function, void* argument, NodeContent* content) {
  content->kind = NodeKind::host;
  return collect_operation([&] { return submit_host_function(nullptr, function, argument); }, &content->operation);
}

cudaMemcpy3DParms linear_copy(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
  cudaMemcpy3DParms p{};
  p.srcPtr = {const_cast<void*>(source), bytes, bytes, 1};
  p.dstPtr = {target, bytes, bytes, 1};
  p.extent = {bytes, 1, 1};
  p.kind = kind;
  return p;
}

cudaKernelNodeParams kernel_params(const NodeContent& content) {
  const Work& work = content.operation.work;
  return {const_cast<void*>(content.operation.function), work.grid, work.block, work.shared_bytes, nullptr, nullptr};
}

cudaMemcpy3DParms copy_params(const NodeContent& content) {
  if (content.parameters) return *static_cast<const cudaMemcpy3DParms*>(content.parameters.get());
  return linear_copy(content.operation.target, content.operation.source, content.operation.work.bytes,
                     cudaMemcpyDefault);
}

cudaMemsetParams set_params(const NodeContent& content) {
  if (content.parameters) return *static_cast<const cudaMemsetParams*>(content.parameters.get());
  return {content.operation.target, 0, content.operation.work.value, 1, content.operation.work.bytes, 1};
}

}  // namespace zerostall::simgpu
