#include "profiler/simgpu/core/graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "profiler/simgpu/core/host_functions.h"

namespace zerostall::simgpu {
namespace {

struct Registry {
  std::unordered_map<const void*, std::unique_ptr<Graph>> owned;
  std::unordered_set<const void*> graphs, nodes;
  std::unordered_map<const void*, std::unique_ptr<UserObject>> objects;
  std::uint64_t next_graph = 1, next_node = 1;
};
Registry& registry() {
  static Registry* instance = new Registry;
  return *instance;
}

std::unique_ptr<Graph> new_graph() {
  auto graph = std::make_unique<Graph>();
  graph->id = registry().next_graph++;
  registry().graphs.insert(graph.get());
  return graph;
}

bool reaches(const Node& start, const Node& goal) {
  std::vector<const Node*> open{&start};
  std::unordered_set<const Node*> seen;
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (node == &goal) return true;
    for (const Node* next : node->to)
      if (seen.insert(next).second) open.push_back(next);
  }
  return false;
}

}  // namespace

Graph::~Graph() {
  Registry& r = registry();
  r.graphs.erase(this);
  for (const auto& node : nodes) r.nodes.erase(node.get());
  for (const auto& [object, count] : objects) release_user_object(object, count);
}

Graph* create_graph() { return adopt(new_graph()); }

Graph* adopt(std::unique_ptr<Graph> graph) {
  Graph* raw = graph.get();
  registry().owned[raw] = std::move(graph);
  return raw;
}

bool destroy_graph(Graph* graph) {
  auto owned = registry().owned.extract(graph);  // taken out first: destruction changes the registry
  return !owned.empty();
}

Graph* graph_from(const void* handle) {
  return registry().graphs.count(handle) ? static_cast<Graph*>(const_cast<void*>(handle)) : nullptr;
}
Node* node_from(const void* handle) {
  return registry().nodes.count(handle) ? static_cast<Node*>(const_cast<void*>(handle)) : nullptr;
}

std::unique_ptr<Graph> copy_of(const Graph& graph) {
  auto copy = new_graph();
  std::unordered_map<const Node*, Node*> twin;
  for (const auto& node : graph.nodes) {
    Node* made = add_node(*copy, node->kind, {});
    made->operation = node->operation;
    made->event = node->event;
    made->parameters = node->parameters;
    made->attributes = node->attributes;
    made->edges = node->edges;
    made->copied_from = node->id;
    if (node->child) made->child = copy_of(*node->child);
    twin[node.get()] = made;
  }
  for (const auto& node : graph.nodes)
    for (Node* from : node->from) {
      twin[node.get()]->from.push_back(twin[from]);
      twin[from]->to.push_back(twin[node.get()]);
    }
  for (const auto& [object, count] : graph.objects) {
    object->references += count;
    copy->objects.emplace_back(object, count);
  }
  return copy;
}

Node* add_node(Graph& graph, NodeKind kind, const std::vector<Node*>& from) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!from[i] || from[i]->graph != &graph) return nullptr;
    if (std::find(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(i), from[i]) !=
        from.begin() + static_cast<std::ptrdiff_t>(i))
      return nullptr;
  }
  auto node = std::make_unique<Node>();
  node->id = registry().next_node++;
  node->kind = kind;
  node->graph = &graph;
  node->from = from;
  node->edges.assign(from.size(), cudaGraphEdgeData{});
  node->operation.kind = OperationKind::empty;
  for (Node* f : from) f->to.push_back(node.get());
  registry().nodes.insert(node.get());
  graph.nodes.push_back(std::move(node));
  return graph.nodes.back().get();
}

cudaError_t add_edge(Node& from, Node& to, const cudaGraphEdgeData& edge) {
  if (from.graph != to.graph || &from == &to || reaches(to, from)) return cudaErrorInvalidValue;
  if (std::find(to.from.begin(), to.from.end(), &from) != to.from.end()) return cudaErrorInvalidValue;
  to.from.push_back(&from);
  to.edges.push_back(edge);
  from.to.push_back(&to);
  return cudaSuccess;
}

bool remove_edge(Node& from, Node& to) {
  const auto it = std::find(to.from.begin(), to.from.end(), &from);
  if (it == to.from.end()) return false;
  to.edges.erase(to.edges.begin() + (it - to.from.begin()));
  to.from.erase(it);
  std::erase(from.to, &to);
  return true;
}

void destroy_node(Node& node) {
  for (Node* from : std::vector<Node*>(node.from)) remove_edge(*from, node);
  for (Node* to : std::vector<Node*>(node.to)) remove_edge(node, *to);
  registry().nodes.erase(&node);
  std::erase_if(node.graph->nodes, [&](const auto& n) { return n.get() == &node; });
}

std::vector<const Node*> in_order(const Graph& graph) {
  std::vector<const Node*> order;
  std::unordered_map<const Node*, std::size_t> missing;
  std::vector<const Node*> ready;
  for (const auto& node : graph.nodes) {
    missing[node.get()] = node->from.size();
    if (node->from.empty()) ready.push_back(node.get());
  }
  const auto later = [](const Node* a, const Node* b) { return a->id > b->id; };  // a heap with the oldest on top
  std::make_heap(ready.begin(), ready.end(), later);
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    const Node* node = ready.back();
    ready.pop_back();
    order.push_back(node);
    for (const Node* next : node->to)
      if (--missing[next] == 0) {
        ready.push_back(next);
        std::push_heap(ready.begin(), ready.end(), later);
      }
  }
  return order;
}

UserObject* user_object_from(const void* handle) {
  const auto it = registry().objects.find(handle);
  return it == registry().objects.end() ? nullptr : it->second.get();
}

UserObject* create_user_object(void* pointer, cudaHostFn_t destroy, std::uint64_t references) {
  auto object = std::make_unique<UserObject>(UserObject{pointer, destroy, references});
  UserObject* raw = object.get();
  registry().objects[raw] = std::move(object);
  return raw;
}

bool release_user_object(UserObject* object, std::uint64_t count) {
  if (count > object->references) return false;
  object->references -= count;
  if (object->references == 0) {
    queue_host_function(0, [destroy = object->destroy, pointer = object->pointer] { destroy(pointer); });
    registry().objects.erase(object);
  }
  return true;
}

}  // namespace zerostall::simgpu
