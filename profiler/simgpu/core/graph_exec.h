// Executable graphs: a copy of a graph with its child graphs laid out flat. A launch is one operation of the stream;
// its nodes start when what they depend on has ended, each copy direction still has one engine, and their records carry
// the correlation id of the launch. Two launches of one executable graph do not overlap. Thread-safe, but an executable
// graph must not be changed or destroyed while another thread launches it (as documented).
#pragma once
#include "profiler/simgpu/core/graph.h"

namespace zerostall::simgpu {

struct ExecNode {
  Node* node;  // of the executable graph's own copy
  std::vector<std::size_t> from;
  bool enabled = true;
};

struct GraphExec {
  std::uint32_t id = 0;
  unsigned long long flags = 0;
  std::unique_ptr<Graph> graph;
  std::vector<ExecNode> nodes;  // each after those it depends on
  std::int64_t tail_ns = 0;     // when its last launch ends
};

// The caller holds Simulator::lock.
GraphExec* instantiate(const Graph& graph, unsigned long long flags);
GraphExec* exec_from(const void* handle);  // nullptr: unknown
bool destroy_exec(const void* handle);
ExecNode* exec_node(GraphExec& exec, const Node& of_graph);  // the counterpart of a node of the graph it was made of

struct UpdateResult {
  cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
  Node* node = nullptr;  // of the new graph: the first that does not fit
};
UpdateResult update_exec(GraphExec& exec, const Graph& graph);

// Takes the lock itself.
cudaError_t launch_graph(const void* exec, const void* stream);

}  // namespace zerostall::simgpu
