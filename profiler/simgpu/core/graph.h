// Graphs of operations, as data: built node by node, by stream capture or as copies of other graphs. Handles of the
// public API are pointers to these structs; graph_from() and node_from() check them. The caller holds Simulator::lock.
#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "profiler/simgpu/core/submit.h"

namespace zerostall::simgpu {

struct Graph;

// Numbers of cudaGraphNodeType and CUgraphNodeType.
enum class NodeKind : int {
  kernel = 0,
  copy = 1,
  set = 2,
  host = 3,
  child = 4,
  empty = 5,
  wait_event = 6,
  record_event = 7,
};

struct Node {
  std::uint64_t id = 0;
  NodeKind kind = NodeKind::empty;
  Graph* graph = nullptr;
  std::vector<Node*> from, to;           // what it depends on, what depends on it
  std::vector<cudaGraphEdgeData> edges;  // of `from`
  Operation operation;
  const void* event = nullptr;                  // event nodes: the handle
  std::shared_ptr<const void> parameters;       // as the program gave them: cudaMemcpy3DParms or cudaMemsetParams
  std::vector<cudaLaunchAttribute> attributes;  // of kernels
  std::unique_ptr<Graph> child;                 // child graphs are copies, as documented
  std::uint64_t copied_from = 0;                // id of the node this is a copy of
};

// Freed when nobody holds it any more; `destroy` then runs on the thread of host functions.
struct UserObject {
  void* pointer = nullptr;
  cudaHostFn_t destroy = nullptr;
  std::uint64_t references = 0;
};

struct Graph {
  std::uint64_t id = 0;
  std::vector<std::unique_ptr<Node>> nodes;  // in the order of their creation
  std::vector<std::pair<UserObject*, std::uint64_t>> objects;
  ~Graph();
};

Graph* create_graph();
bool destroy_graph(Graph* graph);       // false: unknown
Graph* graph_from(const void* handle);  // also child graphs and graphs under capture; nullptr: unknown
Node* node_from(const void* handle);
std::unique_ptr<Graph> copy_of(const Graph& graph);
Graph* adopt(std::unique_ptr<Graph> graph);  // makes it a graph of the program's own

// Adds a node behind `from`. nullptr when one of them is not of this graph, or twice in the list.
Node* add_node(Graph& graph, NodeKind kind, const std::vector<Node*>& from);
cudaError_t add_edge(Node& from, Node& to, const cudaGraphEdgeData& edge);  // invalid value: there already, or a cycle
bool remove_edge(Node& from, Node& to);
void destroy_node(Node& node);  // its edges go with it

// Every node after those it depends on; otherwise in the order of creation.
std::vector<const Node*> in_order(const Graph& graph);

UserObject* user_object_from(const void* handle);
UserObject* create_user_object(void* pointer, cudaHostFn_t destroy, std::uint64_t references);
bool release_user_object(UserObject* object, std::uint64_t count);  // false: more than are held

}  // namespace zerostall::simgpu
