// Nodes of graphs: adding them, asking for their parameters, changing those in a graph or an executable graph.
#include "profiler/simgpu/core/graph_content.h"
#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

namespace {

// `make` fills a NodeContent; the node is then added or changed.
template <class Make>
cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* from, std::size_t count, Make make) {
  NodeContent content;
  if (const cudaError_t error = make(&content)) return error;
  return node_add(reinterpret_cast<void**>(node), graph, reinterpret_cast<const void* const*>(from), count,
                  std::move(content));
}
template <class Make>
cudaError_t change(cudaGraphExec_t exec, cudaGraphNode_t node, Make make) {
  NodeContent content;
  if (const cudaError_t error = make(&content)) return error;
  return node_change(exec, node, std::move(content));
}

auto kernel(const cudaKernelNodeParams* p) {
  return [p](NodeContent* c) { return p ? kernel_content(*p, c) : cudaErrorInvalidValue; };
}
auto memcpy_of(const cudaMemcpy3DParms* p) {
  return [p](NodeContent* c) { return p ? copy_content(*p, c) : cudaErrorInvalidValue; };
}
auto linear(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
  return [=](NodeContent* c) { return copy_content(linear_copy(target, source, bytes, kind), c); };
}
auto memset_of(const cudaMemsetParams* p) {
  return [p](NodeContent* c) { return p ? set_content(*p, c) : cudaErrorInvalidValue; };
}
auto host(const cudaHostNodeParams* p) {
  return [p](NodeContent* c) { return p ? host_content(p->fn, p->userData, c) : cudaErrorInvalidValue; };
}
auto event_of(NodeKind kind, cudaEvent_t event) {
  return [=](NodeContent* c) {
    c->kind = kind;
    c->operation.kind = OperationKind::empty;
    c->event = event;
    std::lock_guard guard(simulator().lock);
    return simulator().timeline.event(event) ? cudaSuccess : cudaErrorInvalidValue;
  };
}
auto child(cudaGraph_t graph) {
  return [=](NodeContent* c) {
    c->kind = NodeKind::child;
    c->operation.kind = OperationKind::empty;
    c->child = graph;
    return cudaSuccess;
  };
}
cudaError_t nothing(NodeContent* c) {
  c->operation.kind = OperationKind::empty;
  return cudaSuccess;
}

// What the union of cudaGraphAddNode and cudaGraphNodeSetParams describes.
auto any(const cudaGraphNodeParams* p) {
  return [p](NodeContent* c) -> cudaError_t {
    if (!p) return cudaErrorInvalidValue;
    switch (p->type) {
      case cudaGraphNodeTypeKernel: {
        const auto& k = p->kernel;
        return kernel_content({k.func, k.gridDim, k.blockDim, k.sharedMemBytes, k.kernelParams, k.extra}, c);
      }
      case cudaGraphNodeTypeMemcpy:
        return copy_content(p->memcpy.copyParams, c);
      case cudaGraphNodeTypeMemset: {
        const auto& m = p->memset;
        return set_content({m.dst, m.pitch, m.value, m.elementSize, m.width, m.height}, c);
      }
      case cudaGraphNodeTypeHost:
        return host_content(p->host.fn, p->host.userData, c);
      case cudaGraphNodeTypeGraph:
        return child(p->graph.graph)(c);
      case cudaGraphNodeTypeEmpty:
        return nothing(c);
      case cudaGraphNodeTypeWaitEvent:
        return event_of(NodeKind::wait_event, p->eventWait.event)(c);
      case cudaGraphNodeTypeEventRecord:
        return event_of(NodeKind::record_event, p->eventRecord.event)(c);
      default:
        report_unsupported("cudaGraphAddNode of this node type");
        return cudaErrorNotSupported;
    }
  };
}

}  // namespace

extern "C" {

cudaError_t sim_cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* from,
                                       size_t count, const cudaKernelNodeParams* params) {
  return add(node, graph, from, count, kernel(params));
}
cudaError_t sim_cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* from,
                                       size_t count, const cudaMemcpy3DParms* params) {
  return add(node, graph, from, count, memcpy_of(params));
}
cudaError_t sim_cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* from,
                                         size_t count, void* target, const void* source, size_t bytes,
                                         cudaMemcpyKind kind) {
  return add(node, graph, from, count, linear(target, source, bytes, kind));
}
cudaError_t sim_cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* from,
                                       size_t count, const cudaMemsetParams* params) {
  return add(node, graph, from, count, memset_of(params));
}
cudaError_t sim_cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* from,
                                     size_t count, const cudaHostNodeParams* params) {
  return add(node, graph, from, count, host(params));
}
cudaError_t sim_cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* from,
                                      size_t count) {
  return add(node, graph, from, count, nothing);
}
cudaError_t sim_cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* from,
                                            size_t count, cudaEvent_t event) {
  return add(node, graph, from, count, event_of(NodeKind::record_event, event));
}
cudaError_t sim_cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* from,
                                          size_t count, cudaEvent_t event) {
  return add(node, graph, from, count, event_of(NodeKind::wait_event, event));
}
cudaError_t sim_cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* from,
                                           size_t count, cudaGraph_t of) {
  return add(node, graph, from, count, child(of));
}
cudaError_t sim_cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* from,
                                 const cudaGraphEdgeData*, size_t count, cudaGraphNodeParams* params) {
  return add(node, graph, from, count, any(params));
}

cudaError_t sim_cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* params) {
  NodeContent content;
  const cudaError_t error = params ? node_content(node, NodeKind::kernel, &content) : cudaErrorInvalidValue;
  if (!error) *params = kernel_params(content);
  return error;
}
cudaError_t sim_cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* params) {
  NodeContent content;
  const cudaError_t error = params ? node_content(node, NodeKind::copy, &content) : cudaErrorInvalidValue;
  if (!error) *params = copy_params(content);
  return error;
}
cudaError_t sim_cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* params) {
  NodeContent content;
  const cudaError_t error = params ? node_content(node, NodeKind::set, &content) : cudaErrorInvalidValue;
  if (!error) *params = set_params(content);
  return error;
}
cudaError_t sim_cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* params) {
  NodeContent content;
  const cudaError_t error = params ? node_content(node, NodeKind::host, &content) : cudaErrorInvalidValue;
  if (!error)
    *params = {reinterpret_cast<cudaHostFn_t>(const_cast<void*>(content.operation.function)), content.operation.target};
  return error;
}
cudaError_t sim_cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  NodeContent content;
  const cudaError_t error = event ? node_content(node, NodeKind::record_event, &content) : cudaErrorInvalidValue;
  if (!error) *event = static_cast<cudaEvent_t>(const_cast<void*>(content.event));
  return error;
}
cudaError_t sim_cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  NodeContent content;
  const cudaError_t error = event ? node_content(node, NodeKind::wait_event, &content) : cudaErrorInvalidValue;
  if (!error) *event = static_cast<cudaEvent_t>(const_cast<void*>(content.event));
  return error;
}
cudaError_t sim_cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  NodeContent content;
  const cudaError_t error = graph ? node_content(node, NodeKind::child, &content) : cudaErrorInvalidValue;
  if (!error) *graph = static_cast<cudaGraph_t>(const_cast<void*>(content.child));
  return error;
}

cudaError_t sim_cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  return change(nullptr, node, kernel(params));
}
cudaError_t sim_cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* params) {
  return change(nullptr, node, memcpy_of(params));
}
cudaError_t sim_cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* target, const void* source, size_t bytes,
                                               cudaMemcpyKind kind) {
  return change(nullptr, node, linear(target, source, bytes, kind));
}
cudaError_t sim_cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* params) {
  return change(nullptr, node, memset_of(params));
}
cudaError_t sim_cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* params) {
  return change(nullptr, node, host(params));
}
cudaError_t sim_cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return change(nullptr, node, event_of(NodeKind::record_event, event));
}
cudaError_t sim_cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return change(nullptr, node, event_of(NodeKind::wait_event, event));
}
cudaError_t sim_cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* params) {
  return change(nullptr, node, any(params));
}

cudaError_t sim_cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 const cudaKernelNodeParams* params) {
  return exec ? change(exec, node, kernel(params)) : cudaErrorInvalidValue;
}
cudaError_t sim_cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 const cudaMemcpy3DParms* params) {
  return exec ? change(exec, node, memcpy_of(params)) : cudaErrorInvalidValue;
}
cudaError_t sim_cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* target,
                                                   const void* source, size_t bytes, cudaMemcpyKind kind) {
  return exec ? change(exec, node, linear(target, source, bytes, kind)) : cudaErrorInvalidValue;
}
cudaError_t sim_cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 const cudaMemsetParams* params) {
  return exec ? change(exec, node, memset_of(params)) : cudaErrorInvalidValue;
}
cudaError_t sim_cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               const cudaHostNodeParams* params) {
  return exec ? change(exec, node, host(params)) : cudaErrorInvalidValue;
}
cudaError_t sim_cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
  return exec ? change(exec, node, event_of(NodeKind::record_event, event)) : cudaErrorInvalidValue;
}
cudaError_t sim_cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
  return exec ? change(exec, node, event_of(NodeKind::wait_event, event)) : cudaErrorInvalidValue;
}
cudaError_t sim_cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeParams* params) {
  return exec ? change(exec, node, any(params)) : cudaErrorInvalidValue;
}

cudaError_t sim_cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID id,
                                                cudaKernelNodeAttrValue* value) {
  return node_attribute(node, id, value);
}
cudaError_t sim_cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID id,
                                                const cudaKernelNodeAttrValue* value) {
  return node_set_attribute(node, id, value);
}
cudaError_t sim_cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t target, cudaGraphNode_t source) {
  return node_copy_attributes(target, source);
}

}  // extern "C"
