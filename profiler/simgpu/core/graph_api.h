// Graph functions by handle, shared by the runtime and the driver (whose graph handles are the same). Lists follow the
// API's rule: with null pointers the count is asked for; else up to *count entries are filled and *count says how many,
// missing ones being null. Thread-safe; error numbers of both APIs.
#pragma once
#include "profiler/simgpu/core/graph_exec.h"

namespace zerostall::simgpu {

cudaError_t graph_create(void** graph, unsigned flags);
cudaError_t graph_destroy(const void* graph);
cudaError_t graph_clone(void** clone, const void* graph);
cudaError_t graph_nodes(const void* graph, void** nodes, std::size_t* count);
cudaError_t graph_roots(const void* graph, void** nodes, std::size_t* count);
cudaError_t graph_edges(const void* graph, void** from, void** to, cudaGraphEdgeData* data, std::size_t* count);
cudaError_t graph_print(const void* graph, const char* path);  // as a DOT file

cudaError_t node_type(const void* node, int* type);
cudaError_t node_dependencies(const void* node, void** nodes, cudaGraphEdgeData* data, std::size_t* count);
cudaError_t node_dependents(const void* node, void** nodes, cudaGraphEdgeData* data, std::size_t* count);
cudaError_t node_destroy(const void* node);
cudaError_t node_in_clone(void** found, const void* node, const void* clone);
cudaError_t change_edges(const void* graph, const void* const* from, const void* const* to,
                         const cudaGraphEdgeData* data, std::size_t count, bool add);

// What a node is made of, beside its dependencies.
struct NodeContent {
  NodeKind kind = NodeKind::empty;
  Operation operation{};
  const void* event = nullptr;
  const void* child = nullptr;  // a graph, of which the node keeps a copy
  std::shared_ptr<const void> parameters = nullptr;
};
cudaError_t node_add(void** node, const void* graph, const void* const* from, std::size_t count, NodeContent&& content);
// The node must be of the content's kind. With `exec`, the node's counterpart there changes, and the node does not.
cudaError_t node_change(const void* exec, const void* node, NodeContent&& content);
// A copy of the node's content. cudaErrorInvalidValue when it is of another kind.
cudaError_t node_content(const void* node, NodeKind kind, NodeContent* content);
// Launch attributes of kernel nodes: kept and handed back; they do not change the model's times.
cudaError_t node_attribute(const void* node, cudaLaunchAttributeID id, cudaLaunchAttributeValue* value);
cudaError_t node_set_attribute(const void* node, cudaLaunchAttributeID id, const cudaLaunchAttributeValue* value);
cudaError_t node_copy_attributes(const void* target, const void* source);
cudaError_t node_enabled(const void* exec, const void* node, unsigned* enabled);
cudaError_t node_enable(const void* exec, const void* node, bool enable);

cudaError_t exec_create(void** exec, const void* graph, unsigned long long flags);
cudaError_t exec_destroy(const void* exec);
cudaError_t exec_flags(const void* exec, unsigned long long* flags);
cudaError_t exec_update(const void* exec, const void* graph, cudaGraphExecUpdateResultInfo* info);
cudaError_t exec_upload(const void* exec, const void* stream);

cudaError_t object_create(void** object, void* pointer, cudaHostFn_t destroy, unsigned references, unsigned flags);
cudaError_t object_retain(const void* object, unsigned count);
cudaError_t object_release(const void* object, unsigned count);
cudaError_t graph_retain_object(const void* graph, const void* object, unsigned count, unsigned flags);
cudaError_t graph_release_object(const void* graph, const void* object, unsigned count);

}  // namespace zerostall::simgpu
