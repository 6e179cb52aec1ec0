// Graphs: CUDA 12 has each function of edges twice, without edge data and (as _v2) with.
#include "profiler/simgpu/runtime12/next.h"

NEXT(cudaGraphAddDependencies);
NEXT(cudaGraphRemoveDependencies);
NEXT(cudaGraphAddNode);
NEXT(cudaGraphGetEdges);
NEXT(cudaGraphNodeGetDependencies);
NEXT(cudaGraphNodeGetDependentNodes);

extern "C" {

cudaError_t compat12_cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                              size_t count) {
  return next_cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
cudaError_t compat12_cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                 const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                                 size_t count) {
  return next_cudaGraphAddDependencies(graph, from, to, edges, count);
}

cudaError_t compat12_cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                 const cudaGraphNode_t* to, size_t count) {
  return next_cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
cudaError_t compat12_cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                    const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                                    size_t count) {
  return next_cudaGraphRemoveDependencies(graph, from, to, edges, count);
}

cudaError_t compat12_cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                      size_t count, cudaGraphNodeParams* parameters) {
  return next_cudaGraphAddNode(node, graph, dependencies, nullptr, count, parameters);
}
cudaError_t compat12_cudaGraphAddNode_v2(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                         const cudaGraphEdgeData* edges, size_t count,
                                         cudaGraphNodeParams* parameters) {
  return next_cudaGraphAddNode(node, graph, dependencies, edges, count, parameters);
}

cudaError_t compat12_cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* count) {
  return next_cudaGraphGetEdges(graph, from, to, nullptr, count);
}
cudaError_t compat12_cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                          cudaGraphEdgeData* edges, size_t* count) {
  return next_cudaGraphGetEdges(graph, from, to, edges, count);
}

cudaError_t compat12_cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies, size_t* count) {
  return next_cudaGraphNodeGetDependencies(node, dependencies, nullptr, count);
}
cudaError_t compat12_cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t* dependencies,
                                                     cudaGraphEdgeData* edges, size_t* count) {
  return next_cudaGraphNodeGetDependencies(node, dependencies, edges, count);
}

cudaError_t compat12_cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* dependents, size_t* count) {
  return next_cudaGraphNodeGetDependentNodes(node, dependents, nullptr, count);
}
cudaError_t compat12_cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t* dependents,
                                                       cudaGraphEdgeData* edges, size_t* count) {
  return next_cudaGraphNodeGetDependentNodes(node, dependents, edges, count);
}

}  // extern "C"
