// Graphs: structure, executable graphs, user objects. Contents of nodes: graph_nodes.cpp.
#include "profiler/simgpu/core/graph_api.h"
#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

namespace {

template <class Handle>
void** out(Handle* handle) {
  return reinterpret_cast<void**>(handle);
}
const void* const* in(const cudaGraphNode_t* nodes) { return reinterpret_cast<const void* const*>(nodes); }

}  // namespace

extern "C" {

cudaError_t sim_cudaGraphCreate(cudaGraph_t* graph, unsigned flags) { return graph_create(out(graph), flags); }
cudaError_t sim_cudaGraphDestroy(cudaGraph_t graph) { return graph_destroy(graph); }
cudaError_t sim_cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) { return graph_clone(out(clone), graph); }
cudaError_t sim_cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return graph_nodes(graph, out(nodes), count);
}
cudaError_t sim_cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return graph_roots(graph, out(nodes), count);
}
cudaError_t sim_cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                  cudaGraphEdgeData* data, size_t* count) {
  return graph_edges(graph, out(from), out(to), data, count);
}
cudaError_t sim_cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
  return graph_print(graph, path);
}
cudaError_t sim_cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  int number = 0;
  const cudaError_t error = type ? node_type(node, &number) : cudaErrorInvalidValue;
  if (!error) *type = static_cast<cudaGraphNodeType>(number);
  return error;
}
cudaError_t sim_cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* data,
                                             size_t* count) {
  return node_dependencies(node, out(nodes), data, count);
}
cudaError_t sim_cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* data,
                                               size_t* count) {
  return node_dependents(node, out(nodes), data, count);
}
cudaError_t sim_cudaGraphDestroyNode(cudaGraphNode_t node) { return node_destroy(node); }
cudaError_t sim_cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t node, cudaGraph_t clone) {
  return node_in_clone(out(found), node, clone);
}
cudaError_t sim_cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                         const cudaGraphEdgeData* data, size_t count) {
  return change_edges(graph, in(from), in(to), data, count, true);
}
cudaError_t sim_cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                            const cudaGraphEdgeData* data, size_t count) {
  return change_edges(graph, in(from), in(to), data, count, false);
}

cudaError_t sim_cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return exec_create(out(exec), graph, flags);
}
cudaError_t sim_cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return exec_create(out(exec), graph, flags);
}
cudaError_t sim_cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                               cudaGraphInstantiateParams* params) {
  if (!params) return cudaErrorInvalidValue;
  const cudaError_t error = exec_create(out(exec), graph, params->flags);
  params->errNode_out = nullptr;
  params->result_out = error ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
  return error;
}
cudaError_t sim_cudaGraphExecDestroy(cudaGraphExec_t exec) { return exec_destroy(exec); }
cudaError_t sim_cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  return exec_flags(exec, flags);
}
cudaError_t sim_cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
  return exec_update(exec, graph, info);
}
cudaError_t sim_cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) { return exec_upload(exec, stream); }
cudaError_t sim_cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) { return launch_graph(exec, stream); }
cudaError_t sim_cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
  return node_enabled(exec, node, enabled);
}
cudaError_t sim_cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  return node_enable(exec, node, enabled != 0);
}

cudaError_t sim_cudaUserObjectCreate(cudaUserObject_t* object, void* pointer, cudaHostFn_t destroy, unsigned references,
                                     unsigned flags) {
  return object_create(out(object), pointer, destroy, references, flags);
}
cudaError_t sim_cudaUserObjectRetain(cudaUserObject_t object, unsigned count) { return object_retain(object, count); }
cudaError_t sim_cudaUserObjectRelease(cudaUserObject_t object, unsigned count) { return object_release(object, count); }
cudaError_t sim_cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags) {
  return graph_retain_object(graph, object, count, flags);
}
cudaError_t sim_cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  return graph_release_object(graph, object, count);
}

}  // extern "C"
