// Driver API: graphs. Handles are those of the runtime.
#include "driver_behaviours.h"
#include "profiler/simgpu/core/graph_content.h"
#include "profiler/simgpu/driver/support.h"

using namespace zerostall::simgpu;

namespace {

template <class Handle>
void** out(Handle* handle) {
  return reinterpret_cast<void**>(handle);
}
const void* const* in(const CUgraphNode* nodes) { return reinterpret_cast<const void* const*>(nodes); }
cudaGraphEdgeData* edge_data(CUgraphEdgeData* data) { return reinterpret_cast<cudaGraphEdgeData*>(data); }
static_assert(sizeof(CUgraphEdgeData) == sizeof(cudaGraphEdgeData));

CUresult kernel(const CUDA_KERNEL_NODE_PARAMS* p, NodeContent* content) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  void* function = p->func ? static_cast<void*>(p->func) : static_cast<void*>(p->kern);
  return status(kernel_content({function, dim3(p->gridDimX, p->gridDimY, p->gridDimZ),
                                dim3(p->blockDimX, p->blockDimY, p->blockDimZ), p->sharedMemBytes, nullptr, nullptr},
                               content));
}

CUresult add(CUgraphNode* node, CUgraph graph, const CUgraphNode* from, std::size_t count, NodeContent&& content) {
  return status(node_add(out(node), graph, in(from), count, std::move(content)));
}

NodeContent of_kind(NodeKind kind, const void* event, const void* child) {
  NodeContent content;
  content.kind = kind;
  content.operation.kind = OperationKind::empty;
  content.event = event;
  content.child = child;
  return content;
}

}  // namespace

extern "C" {

CUresult sim_cuGraphCreate(CUgraph* graph, unsigned flags) { return status(graph_create(out(graph), flags)); }
CUresult sim_cuGraphDestroy(CUgraph graph) { return status(graph_destroy(graph)); }
CUresult sim_cuGraphClone(CUgraph* clone, CUgraph graph) { return status(graph_clone(out(clone), graph)); }
CUresult sim_cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  return status(graph_nodes(graph, out(nodes), count));
}
CUresult sim_cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  return status(graph_roots(graph, out(nodes), count));
}
CUresult sim_cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* count) {
  return status(graph_edges(graph, out(from), out(to), nullptr, count));
}
CUresult sim_cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                                size_t* count) {
  return status(graph_edges(graph, out(from), out(to), edge_data(data), count));
}
CUresult sim_cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned) {
  return status(graph_print(graph, path));
}
CUresult sim_cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  int number = 0;
  const cudaError_t error = type ? node_type(node, &number) : cudaErrorInvalidValue;
  if (!error) *type = static_cast<CUgraphNodeType>(number);
  return status(error);
}
CUresult sim_cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* nodes, size_t* count) {
  return status(node_dependencies(node, out(nodes), nullptr, count));
}
CUresult sim_cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* data, size_t* count) {
  return status(node_dependencies(node, out(nodes), edge_data(data), count));
}
CUresult sim_cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* nodes, size_t* count) {
  return status(node_dependents(node, out(nodes), nullptr, count));
}
CUresult sim_cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* data,
                                             size_t* count) {
  return status(node_dependents(node, out(nodes), edge_data(data), count));
}
CUresult sim_cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count) {
  return status(change_edges(graph, in(from), in(to), nullptr, count, true));
}
CUresult sim_cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                       const CUgraphEdgeData* data, size_t count) {
  return status(change_edges(graph, in(from), in(to), reinterpret_cast<const cudaGraphEdgeData*>(data), count, true));
}
CUresult sim_cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count) {
  return status(change_edges(graph, in(from), in(to), nullptr, count, false));
}
CUresult sim_cuGraphDestroyNode(CUgraphNode node) { return status(node_destroy(node)); }
CUresult sim_cuGraphNodeFindInClone(CUgraphNode* found, CUgraphNode node, CUgraph clone) {
  return status(node_in_clone(out(found), node, clone));
}

CUresult sim_cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* from, size_t count,
                                     const CUDA_KERNEL_NODE_PARAMS* params) {
  NodeContent content;
  if (const CUresult error = kernel(params, &content)) return error;
  return add(node, graph, from, count, std::move(content));
}
CUresult sim_cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* from, size_t count,
                                const CUDA_HOST_NODE_PARAMS* params) {
  NodeContent content;
  if (!params) return CUDA_ERROR_INVALID_VALUE;
  if (const cudaError_t error = host_content(params->fn, params->userData, &content)) return status(error);
  return add(node, graph, from, count, std::move(content));
}
CUresult sim_cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* from, size_t count) {
  return add(node, graph, from, count, of_kind(NodeKind::empty, nullptr, nullptr));
}
CUresult sim_cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* from, size_t count,
                                       CUevent event) {
  return add(node, graph, from, count, of_kind(NodeKind::record_event, event, nullptr));
}
CUresult sim_cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* from, size_t count,
                                     CUevent event) {
  return add(node, graph, from, count, of_kind(NodeKind::wait_event, event, nullptr));
}
CUresult sim_cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* from, size_t count,
                                      CUgraph child) {
  return add(node, graph, from, count, of_kind(NodeKind::child, nullptr, child));
}
CUresult sim_cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* params) {
  NodeContent content;
  if (!params) return CUDA_ERROR_INVALID_VALUE;
  if (const cudaError_t error = node_content(node, NodeKind::kernel, &content)) return status(error);
  const cudaKernelNodeParams p = kernel_params(content);
  *params = {};
  params->func = reinterpret_cast<CUfunction>(function_of(p.func));
  params->gridDimX = p.gridDim.x;
  params->gridDimY = p.gridDim.y;
  params->gridDimZ = p.gridDim.z;
  params->blockDimX = p.blockDim.x;
  params->blockDimY = p.blockDim.y;
  params->blockDimZ = p.blockDim.z;
  params->sharedMemBytes = p.sharedMemBytes;
  return CUDA_SUCCESS;
}
CUresult sim_cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params) {
  NodeContent content;
  if (const CUresult error = kernel(params, &content)) return error;
  return status(node_change(nullptr, node, std::move(content)));
}
CUresult sim_cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                               const CUDA_KERNEL_NODE_PARAMS* params) {
  NodeContent content;
  if (!exec) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = kernel(params, &content)) return error;
  return status(node_change(exec, node, std::move(content)));
}
CUresult sim_cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
  NodeContent content;
  if (!graph) return CUDA_ERROR_INVALID_VALUE;
  if (const cudaError_t error = node_content(node, NodeKind::child, &content)) return status(error);
  *graph = static_cast<CUgraph>(const_cast<void*>(content.child));
  return CUDA_SUCCESS;
}

CUresult sim_cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
  return status(exec_create(out(exec), graph, flags));
}
CUresult sim_cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  if (!params) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = exec_create(out(exec), graph, params->flags);
  params->hErrNode_out = nullptr;
  params->result_out = error ? CUDA_GRAPH_INSTANTIATE_ERROR : CUDA_GRAPH_INSTANTIATE_SUCCESS;
  return status(error);
}
CUresult sim_cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* result) {
  cudaGraphExecUpdateResultInfo info{};
  if (!result) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = exec_update(exec, graph, &info);
  *result = {static_cast<CUgraphExecUpdateResult>(info.result), info.errorNode, info.errorFromNode};
  return status(error);
}
CUresult sim_cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t* flags) {
  unsigned long long found = 0;
  const cudaError_t error = flags ? exec_flags(exec, &found) : cudaErrorInvalidValue;
  if (!error) *flags = found;
  return status(error);
}
CUresult sim_cuGraphExecDestroy(CUgraphExec exec) { return status(exec_destroy(exec)); }
CUresult sim_cuGraphUpload(CUgraphExec exec, CUstream stream) { return status(exec_upload(exec, stream)); }
CUresult sim_cuGraphLaunch(CUgraphExec exec, CUstream stream) { return status(launch_graph(exec, stream)); }
CUresult sim_cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned* enabled) {
  return status(node_enabled(exec, node, enabled));
}
CUresult sim_cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned enabled) {
  return status(node_enable(exec, node, enabled != 0));
}

CUresult sim_cuUserObjectCreate(CUuserObject* object, void* pointer, CUhostFn destroy, unsigned references,
                                unsigned flags) {
  return status(object_create(out(object), pointer, destroy, references, flags));
}
CUresult sim_cuUserObjectRetain(CUuserObject object, unsigned count) { return status(object_retain(object, count)); }
CUresult sim_cuUserObjectRelease(CUuserObject object, unsigned count) { return status(object_release(object, count)); }
CUresult sim_cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags) {
  return status(graph_retain_object(graph, object, count, flags));
}
CUresult sim_cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
  return status(graph_release_object(graph, object, count));
}

}  // extern "C"
