#include "profiler/simgpu/core/graph_api.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu {
namespace {

// The lock for the whole call, and the handles by name.
struct Locked {
  std::lock_guard<std::mutex> guard{simulator().lock};
};

cudaError_t list_out(const std::vector<Node*>& nodes, void** out, std::size_t* count) {
  if (!count) return cudaErrorInvalidValue;
  if (!out) {
    *count = nodes.size();
    return cudaSuccess;
  }
  for (std::size_t i = 0; i < *count; ++i) out[i] = i < nodes.size() ? nodes[i] : nullptr;
  *count = std::min(*count, nodes.size());
  return cudaSuccess;
}

void edges_out(const std::vector<cudaGraphEdgeData>& edges, cudaGraphEdgeData* out, std::size_t count) {
  for (std::size_t i = 0; out && i < std::min(count, edges.size()); ++i) out[i] = edges[i];
}

cudaGraphEdgeData edge_between(const Node& from, const Node& to) {
  const auto it = std::find(to.from.begin(), to.from.end(), &from);
  return to.edges[static_cast<std::size_t>(it - to.from.begin())];
}

void assign(Node& node, NodeContent&& content) {
  node.operation = std::move(content.operation);
  node.event = content.event;
  node.parameters = std::move(content.parameters);
  if (const Graph* child = graph_from(content.child)) node.child = copy_of(*child);
}

const char* kind_name(NodeKind kind) {
  static const char* const names[] = {"KERNEL", "MEMCPY", "MEMSET", "HOST", "GRAPH", "EMPTY", "WAIT", "RECORD"};
  return names[static_cast<int>(kind)];
}

std::string dot_text(const Graph& graph) {
  const std::string name = "graph_" + std::to_string(graph.id);
  std::string text = "digraph dot {\nsubgraph cluster_" + name + " {\nlabel=\"" + name + "\"\n";
  const auto node_name = [&](const Node& n) { return "\"" + name + "_node_" + std::to_string(n.id) + "\""; };
  for (const auto& n : graph.nodes) {
    const char* kernel = n->kind == NodeKind::kernel ? n->operation.work.name : nullptr;
    text += node_name(*n) + "[shape=\"record\" label=\"" + std::to_string(n->id) + "\\n" + kind_name(n->kind) +
            (kernel ? std::string("\\n") + kernel : "") + "\"];\n";
  }
  for (const auto& n : graph.nodes)
    for (const Node* to : n->to) text += node_name(*n) + " -> " + node_name(*to) + ";\n";
  return text + "}\n}\n";
}

constexpr unsigned long long kInstantiateFlags =
    cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagUseNodePriority;

}  // namespace

cudaError_t graph_create(void** graph, unsigned flags) {
  if (!graph || flags) return cudaErrorInvalidValue;
  Locked locked;
  *graph = create_graph();
  return cudaSuccess;
}

cudaError_t graph_destroy(const void* graph) {
  Locked locked;
  return destroy_graph(graph_from(graph)) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t graph_clone(void** clone, const void* graph) {
  Locked locked;
  const Graph* found = graph_from(graph);
  if (!clone || !found) return cudaErrorInvalidValue;
  *clone = adopt(copy_of(*found));
  return cudaSuccess;
}

cudaError_t graph_nodes(const void* graph, void** nodes, std::size_t* count) {
  Locked locked;
  const Graph* found = graph_from(graph);
  if (!found) return cudaErrorInvalidValue;
  std::vector<Node*> all;
  for (const auto& n : found->nodes) all.push_back(n.get());
  return list_out(all, nodes, count);
}

cudaError_t graph_roots(const void* graph, void** nodes, std::size_t* count) {
  Locked locked;
  const Graph* found = graph_from(graph);
  if (!found) return cudaErrorInvalidValue;
  std::vector<Node*> roots;
  for (const auto& n : found->nodes)
    if (n->from.empty()) roots.push_back(n.get());
  return list_out(roots, nodes, count);
}

cudaError_t graph_edges(const void* graph, void** from, void** to, cudaGraphEdgeData* data, std::size_t* count) {
  Locked locked;
  const Graph* found = graph_from(graph);
  if (!found || !count || (from == nullptr) != (to == nullptr)) return cudaErrorInvalidValue;
  std::vector<Node*> sources, targets;
  std::vector<cudaGraphEdgeData> edges;
  for (const auto& n : found->nodes)
    for (std::size_t i = 0; i < n->from.size(); ++i) {
      sources.push_back(n->from[i]);
      targets.push_back(n.get());
      edges.push_back(n->edges[i]);
    }
  edges_out(edges, data, *count);
  std::size_t asked = *count;
  list_out(sources, from, &asked);
  return list_out(targets, to, count);
}

cudaError_t graph_print(const void* graph, const char* path) {
  std::string text;
  {
    Locked locked;
    const Graph* found = graph_from(graph);
    if (!found || !path) return cudaErrorInvalidValue;
    text = dot_text(*found);
  }
  FILE* out = std::fopen(path, "w");
  if (!out) return cudaErrorOperatingSystem;
  const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  return std::fclose(out) == 0 && written ? cudaSuccess : cudaErrorOperatingSystem;
}

cudaError_t node_type(const void* node, int* type) {
  Locked locked;
  const Node* found = node_from(node);
  if (!found || !type) return cudaErrorInvalidValue;
  *type = static_cast<int>(found->kind);
  return cudaSuccess;
}

cudaError_t node_dependencies(const void* node, void** nodes, cudaGraphEdgeData* data, std::size_t* count) {
  Locked locked;
  const Node* found = node_from(node);
  if (!found || !count) return cudaErrorInvalidValue;
  if (nodes) edges_out(found->edges, data, *count);
  return list_out(found->from, nodes, count);
}

cudaError_t node_dependents(const void* node, void** nodes, cudaGraphEdgeData* data, std::size_t* count) {
  Locked locked;
  const Node* found = node_from(node);
  if (!found || !count) return cudaErrorInvalidValue;
  std::vector<cudaGraphEdgeData> edges;
  for (const Node* to : found->to) edges.push_back(edge_between(*found, *to));
  if (nodes) edges_out(edges, data, *count);
  return list_out(found->to, nodes, count);
}

cudaError_t node_destroy(const void* node) {
  Locked locked;
  Node* found = node_from(node);
  if (!found) return cudaErrorInvalidValue;
  destroy_node(*found);
  return cudaSuccess;
}

cudaError_t node_in_clone(void** out, const void* node, const void* clone) {
  Locked locked;
  const Node* found = node_from(node);
  const Graph* graph = graph_from(clone);
  if (!out || !found || !graph) return cudaErrorInvalidValue;
  for (const auto& n : graph->nodes)
    if (n->copied_from == found->id) {
      *out = n.get();
      return cudaSuccess;
    }
  return cudaErrorInvalidValue;
}

cudaError_t change_edges(const void* graph, const void* const* from, const void* const* to,
                         const cudaGraphEdgeData* data, std::size_t count, bool add) {
  Locked locked;
  const Graph* found = graph_from(graph);
  if (!found || (count && (!from || !to))) return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    Node *a = node_from(from[i]), *b = node_from(to[i]);
    if (!a || !b || a->graph != found || b->graph != found) return cudaErrorInvalidValue;
    if (add)
      if (const cudaError_t error = add_edge(*a, *b, data ? data[i] : cudaGraphEdgeData{})) return error;
    if (!add && !remove_edge(*a, *b)) return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

cudaError_t node_add(void** out, const void* graph, const void* const* from, std::size_t count, NodeContent&& content) {
  Locked locked;
  Graph* found = graph_from(graph);
  if (!out || !found || (count && !from)) return cudaErrorInvalidValue;
  std::vector<Node*> dependencies;
  for (std::size_t i = 0; i < count; ++i) dependencies.push_back(node_from(from[i]));
  if (content.kind == NodeKind::child && !graph_from(content.child)) return cudaErrorInvalidValue;
  Node* node = add_node(*found, content.kind, dependencies);
  if (!node) return cudaErrorInvalidValue;
  assign(*node, std::move(content));
  *out = node;
  return cudaSuccess;
}

cudaError_t node_change(const void* exec, const void* node, NodeContent&& content) {
  Locked locked;
  Node* found = node_from(node);
  if (!found || found->kind != content.kind) return cudaErrorInvalidValue;
  if (exec) {
    GraphExec* executable = exec_from(exec);
    ExecNode* twin = executable ? exec_node(*executable, *found) : nullptr;
    if (!twin) return cudaErrorInvalidValue;
    found = twin->node;
  }
  assign(*found, std::move(content));
  return cudaSuccess;
}

cudaError_t node_content(const void* node, NodeKind kind, NodeContent* content) {
  Locked locked;
  const Node* found = node_from(node);
  if (!found || !content || found->kind != kind) return cudaErrorInvalidValue;
  *content = {found->kind, found->operation, found->event, found->child.get(), found->parameters};
  return cudaSuccess;
}

namespace {
Node* kernel_node(const void* handle) {
  Node* node = node_from(handle);
  return node && node->kind == NodeKind::kernel ? node : nullptr;
}
}  // namespace

cudaError_t node_attribute(const void* handle, cudaLaunchAttributeID id, cudaLaunchAttributeValue* value) {
  Locked locked;
  const Node* node = kernel_node(handle);
  if (!node || !value) return cudaErrorInvalidValue;
  *value = {};
  for (const cudaLaunchAttribute& a : node->attributes)
    if (a.id == id) *value = a.val;
  return cudaSuccess;
}

cudaError_t node_set_attribute(const void* handle, cudaLaunchAttributeID id, const cudaLaunchAttributeValue* value) {
  Locked locked;
  Node* node = kernel_node(handle);
  if (!node || !value) return cudaErrorInvalidValue;
  std::erase_if(node->attributes, [&](const auto& a) { return a.id == id; });
  cudaLaunchAttribute attribute{};
  attribute.id = id;
  attribute.val = *value;
  node->attributes.push_back(attribute);
  return cudaSuccess;
}

cudaError_t node_copy_attributes(const void* target, const void* source) {
  Locked locked;
  Node *to = kernel_node(target), *from = kernel_node(source);
  if (!to || !from) return cudaErrorInvalidValue;
  to->attributes = from->attributes;
  return cudaSuccess;
}

cudaError_t node_enabled(const void* exec, const void* node, unsigned* enabled) {
  Locked locked;
  GraphExec* executable = exec_from(exec);
  const Node* found = node_from(node);
  const ExecNode* twin = executable && found ? exec_node(*executable, *found) : nullptr;
  if (!twin || !enabled) return cudaErrorInvalidValue;
  *enabled = twin->enabled;
  return cudaSuccess;
}

cudaError_t node_enable(const void* exec, const void* node, bool enable) {
  Locked locked;
  GraphExec* executable = exec_from(exec);
  const Node* found = node_from(node);
  ExecNode* twin = executable && found ? exec_node(*executable, *found) : nullptr;
  const bool allowed = twin && (found->kind == NodeKind::kernel || found->kind == NodeKind::copy ||
                                found->kind == NodeKind::set);  // as documented
  if (!allowed) return cudaErrorInvalidValue;
  twin->enabled = enable;
  return cudaSuccess;
}

cudaError_t exec_create(void** exec, const void* graph, unsigned long long flags) {
  if (flags & cudaGraphInstantiateFlagDeviceLaunch) return cudaErrorNotSupported;
  if (!exec || (flags & ~kInstantiateFlags)) return cudaErrorInvalidValue;
  Locked locked;
  const Graph* found = graph_from(graph);
  if (!found) return cudaErrorInvalidValue;
  *exec = instantiate(*found, flags);
  return cudaSuccess;
}

cudaError_t exec_destroy(const void* exec) {
  Locked locked;
  return destroy_exec(exec) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t exec_flags(const void* exec, unsigned long long* flags) {
  Locked locked;
  const GraphExec* found = exec_from(exec);
  if (!found || !flags) return cudaErrorInvalidValue;
  *flags = found->flags;
  return cudaSuccess;
}

cudaError_t exec_update(const void* exec, const void* graph, cudaGraphExecUpdateResultInfo* info) {
  Locked locked;
  GraphExec* executable = exec_from(exec);
  const Graph* found = graph_from(graph);
  if (!executable || !found || !info) return cudaErrorInvalidValue;
  const UpdateResult r = update_exec(*executable, *found);
  *info = {r.result, reinterpret_cast<cudaGraphNode_t>(r.node), nullptr};
  return r.result == cudaGraphExecUpdateSuccess ? cudaSuccess : cudaErrorGraphExecUpdateFailure;
}

cudaError_t exec_upload(const void* exec, const void* stream) {
  Simulator& s = simulator();
  Locked locked;
  if (!exec_from(exec)) return cudaErrorInvalidValue;
  if (!s.timeline.stream(stream)) return cudaErrorInvalidResourceHandle;
  s.clock.advance(s.model.launch_ns);
  return cudaSuccess;
}

cudaError_t object_create(void** object, void* pointer, cudaHostFn_t destroy, unsigned references, unsigned flags) {
  if (!object || !destroy || references == 0 || flags != cudaUserObjectNoDestructorSync) return cudaErrorInvalidValue;
  Locked locked;
  *object = create_user_object(pointer, destroy, references);
  return cudaSuccess;
}

cudaError_t object_retain(const void* object, unsigned count) {
  Locked locked;
  UserObject* found = user_object_from(object);
  if (!found || count == 0) return cudaErrorInvalidValue;
  found->references += count;
  return cudaSuccess;
}

cudaError_t object_release(const void* object, unsigned count) {
  Locked locked;
  UserObject* found = user_object_from(object);
  if (!found || count == 0) return cudaErrorInvalidValue;
  return release_user_object(found, count) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t graph_retain_object(const void* graph, const void* object, unsigned count, unsigned flags) {
  Locked locked;
  Graph* found = graph_from(graph);
  UserObject* held = user_object_from(object);
  if (!found || !held || count == 0 || (flags & ~static_cast<unsigned>(cudaGraphUserObjectMove)))
    return cudaErrorInvalidValue;
  if (!(flags & cudaGraphUserObjectMove)) held->references += count;
  found->objects.emplace_back(held, count);
  return cudaSuccess;
}

cudaError_t graph_release_object(const void* graph, const void* object, unsigned count) {
  Locked locked;
  Graph* found = graph_from(graph);
  UserObject* held = user_object_from(object);
  if (!found || !held || count == 0) return cudaErrorInvalidValue;
  for (auto& [entry, references] : found->objects)
    if (entry == held && references >= count) {
      references -= count;
      std::erase_if(found->objects, [](const auto& o) { return o.second == 0; });
      return release_user_object(held, count) ? cudaSuccess : cudaErrorInvalidValue;
    }
  return cudaErrorInvalidValue;
}

}  // namespace zerostall::simgpu
