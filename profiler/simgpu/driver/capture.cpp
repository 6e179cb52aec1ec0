// Driver API: stream capture.
#include "profiler/simgpu/core/capture.h"

#include "driver_behaviours.h"
#include "profiler/simgpu/driver/support.h"

using namespace zerostall::simgpu;

namespace {

std::vector<Node*> nodes_from(const CUgraphNode* handles, std::size_t count) {
  std::lock_guard guard(simulator().lock);
  std::vector<Node*> nodes;
  for (std::size_t i = 0; handles && i < count; ++i) nodes.push_back(node_from(handles[i]));
  return nodes;
}

CUresult update(CUstream stream, CUgraphNode* handles, std::size_t count, unsigned flags) {
  if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES || (count && !handles)) return CUDA_ERROR_INVALID_VALUE;
  return status(
      update_capture_dependencies(stream, nodes_from(handles, count), flags == CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
}

CUresult info(CUstream stream, CUstreamCaptureStatus* state, cuuint64_t* id, CUgraph* graph,
              const CUgraphNode** dependencies, std::size_t* count) {
  if (!state) return CUDA_ERROR_INVALID_VALUE;
  CaptureInfo found;
  const cudaError_t error = capture_info(stream, &found);
  *state = static_cast<CUstreamCaptureStatus>(found.status);
  if (id) *id = found.id;
  if (graph) *graph = reinterpret_cast<CUgraph>(found.graph);
  if (dependencies) *dependencies = reinterpret_cast<const CUgraphNode*>(found.dependencies);
  if (count) *count = found.dependency_count;
  return status(error);
}

}  // namespace

extern "C" {

CUresult sim_cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return status(begin_capture(stream, static_cast<cudaStreamCaptureMode>(mode), nullptr, {}));
}
CUresult sim_cuStreamBeginCaptureToGraph(CUstream stream, CUgraph handle, const CUgraphNode* from,
                                         const CUgraphEdgeData*, size_t count, CUstreamCaptureMode mode) {
  const std::vector<Node*> nodes = nodes_from(from, count);
  Graph* graph = nullptr;
  {
    std::lock_guard guard(simulator().lock);
    graph = graph_from(handle);
    for (const Node* node : nodes)
      if (!node || node->graph != graph) return CUDA_ERROR_INVALID_VALUE;
  }
  if (!graph || (count && !from)) return CUDA_ERROR_INVALID_VALUE;
  return status(begin_capture(stream, static_cast<cudaStreamCaptureMode>(mode), graph, nodes));
}
CUresult sim_cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  if (!graph) return CUDA_ERROR_INVALID_VALUE;
  Graph* made = nullptr;
  const cudaError_t error = end_capture(stream, &made);
  *graph = reinterpret_cast<CUgraph>(made);
  return status(error);
}
CUresult sim_cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* state) {
  return info(stream, state, nullptr, nullptr, nullptr, nullptr);
}
CUresult sim_cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* state, cuuint64_t* id) {
  return info(stream, state, id, nullptr, nullptr, nullptr);
}
CUresult sim_cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* state, cuuint64_t* id, CUgraph* graph,
                                       const CUgraphNode** dependencies, size_t* count) {
  return info(stream, state, id, graph, dependencies, count);
}
CUresult sim_cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* state, cuuint64_t* id, CUgraph* graph,
                                       const CUgraphNode** dependencies, const CUgraphEdgeData** edges, size_t* count) {
  if (edges) *edges = nullptr;  // edges of captured work are plain ones
  return info(stream, state, id, graph, dependencies, count);
}
CUresult sim_cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* nodes, size_t count, unsigned flags) {
  return update(stream, nodes, count, flags);
}
CUresult sim_cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode* nodes, const CUgraphEdgeData*,
                                                  size_t count, unsigned flags) {
  return update(stream, nodes, count, flags);
}
CUresult sim_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  if (!mode || *mode < CU_STREAM_CAPTURE_MODE_GLOBAL || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  *mode = static_cast<CUstreamCaptureMode>(exchange_capture_mode(static_cast<cudaStreamCaptureMode>(*mode)));
  return CUDA_SUCCESS;
}

}  // extern "C"
