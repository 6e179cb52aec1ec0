// Stream capture.
#include "profiler/simgpu/core/capture.h"

#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

namespace {

std::vector<Node*> nodes_from(const cudaGraphNode_t* handles, std::size_t count) {
  std::vector<Node*> nodes;
  for (std::size_t i = 0; handles && i < count; ++i) nodes.push_back(node_from(handles[i]));
  return nodes;
}

}  // namespace

extern "C" {

cudaError_t sim_cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return begin_capture(stream, mode, nullptr, {});
}
cudaError_t sim_cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t handle, const cudaGraphNode_t* from,
                                              const cudaGraphEdgeData*, size_t count, cudaStreamCaptureMode mode) {
  std::vector<Node*> nodes;
  Graph* graph = nullptr;
  {
    std::lock_guard guard(simulator().lock);
    graph = graph_from(handle);
    nodes = nodes_from(from, count);
    for (const Node* node : nodes)
      if (!node || node->graph != graph) return cudaErrorInvalidValue;
  }
  if (!graph || (count && !from)) return cudaErrorInvalidValue;
  return begin_capture(stream, mode, graph, nodes);
}
cudaError_t sim_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (!graph) return cudaErrorInvalidValue;
  Graph* made = nullptr;
  const cudaError_t error = end_capture(stream, &made);
  *graph = reinterpret_cast<cudaGraph_t>(made);
  return error;
}
cudaError_t sim_cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (!status) return cudaErrorInvalidValue;
  CaptureInfo info;
  const cudaError_t error = capture_info(stream, &info);
  *status = info.status;
  return error;
}
cudaError_t sim_cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                         cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                                         const cudaGraphEdgeData** edges, size_t* count) {
  if (!status) return cudaErrorInvalidValue;
  CaptureInfo info;
  const cudaError_t error = capture_info(stream, &info);
  *status = info.status;
  if (id) *id = info.id;
  if (graph) *graph = reinterpret_cast<cudaGraph_t>(info.graph);
  if (dependencies) *dependencies = reinterpret_cast<const cudaGraphNode_t*>(info.dependencies);
  if (edges) *edges = nullptr;  // edges of captured work are plain ones
  if (count) *count = info.dependency_count;
  return error;
}
cudaError_t sim_cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* handles,
                                                    const cudaGraphEdgeData*, size_t count, unsigned flags) {
  if (flags > cudaStreamSetCaptureDependencies || (count && !handles)) return cudaErrorInvalidValue;
  std::vector<Node*> nodes;
  {
    std::lock_guard guard(simulator().lock);
    nodes = nodes_from(handles, count);
  }
  return update_capture_dependencies(stream, nodes, flags == cudaStreamAddCaptureDependencies);
}
cudaError_t sim_cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  if (!mode || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
    return cudaErrorInvalidValue;
  *mode = exchange_capture_mode(*mode);
  return cudaSuccess;
}

}  // extern "C"
