#include "profiler/simgpu/core/graph_exec.h"

#include <algorithm>
#include <unordered_map>

#include "profiler/simgpu/core/capture.h"
#include "profiler/simgpu/core/host_functions.h"
#include "profiler/simgpu/core/kernel_output.h"
#include "profiler/simgpu/core/variation.h"

namespace zerostall::simgpu {
namespace {

std::unordered_map<const void*, std::unique_ptr<GraphExec>>& execs() {
  static auto* all = new std::unordered_map<const void*, std::unique_ptr<GraphExec>>;
  return *all;
}

// Appends the nodes of `graph`; those without dependencies depend on `entry`. Returns the nodes nothing depends on.
std::vector<std::size_t> flatten(const Graph& graph, const std::vector<std::size_t>& entry,
                                 std::vector<ExecNode>& nodes) {
  std::unordered_map<const Node*, std::vector<std::size_t>> ends;  // where a node's work ends: itself, or its child's
  std::vector<std::size_t> leaves;
  for (const Node* node : in_order(graph)) {
    std::vector<std::size_t> from = node->from.empty() ? entry : std::vector<std::size_t>{};
    for (const Node* f : node->from) from.insert(from.end(), ends[f].begin(), ends[f].end());
    if (node->child && !node->child->nodes.empty()) {
      ends[node] = flatten(*node->child, from, nodes);
    } else {
      ends[node] = {nodes.size()};
      nodes.push_back({const_cast<Node*>(node), std::move(from)});
    }
    if (node->to.empty()) leaves.insert(leaves.end(), ends[node].begin(), ends[node].end());
  }
  return leaves;
}

// When and where the nodes of one launch run. Caller holds the lock.
struct Plan {
  std::vector<Work> works;         // one per node
  std::vector<std::int64_t> ends;  // one per node
};

Span place_node(const ExecNode& exec_node, const Stream& stream, std::int64_t begin) {
  Timeline& timeline = simulator().timeline;
  const Node& node = *exec_node.node;
  Event* event = node.event ? timeline.event(node.event) : nullptr;
  if (node.kind == NodeKind::wait_event && event && event->recorded) begin = std::max(begin, event->time_ns);
  if (node.kind == NodeKind::record_event && event) {
    event->recorded = true;
    event->capture = 0;
    event->time_ns = begin;
  }
  if (!exec_node.enabled || node.operation.kind == OperationKind::empty) return {begin, begin};
  const std::int64_t duration_ns = varied(node.operation.duration_ns, node.id, stream.operations);
  return timeline.place(stream.device, begin, duration_ns, node.operation.engine);
}

Plan plan(GraphExec& exec, Stream& stream) {
  Simulator& s = simulator();
  const std::int64_t start = std::max(s.timeline.begin_group(stream, s.model.launch_latency_ns), exec.tail_ns);
  Plan p;
  p.works.reserve(exec.nodes.size());
  p.ends.reserve(exec.nodes.size());
  std::int64_t end = start;
  for (const ExecNode& n : exec.nodes) {
    std::int64_t begin = start;
    for (const std::size_t f : n.from) begin = std::max(begin, p.ends[f]);
    const Span span = place_node(n, stream, begin);
    Work work = n.node->operation.work;
    work.begin_ns = span.begin_ns;
    work.end_ns = span.end_ns;
    work.stream_id = stream.id;
    work.device = static_cast<std::uint32_t>(stream.device);
    work.context = stream.context;
    work.correlation = t_correlation;
    work.graph = exec.id;
    work.graph_node = n.node->id;
    p.works.push_back(work);
    p.ends.push_back(span.end_ns);
    end = std::max(end, span.end_ns);
  }
  s.timeline.end_group(stream, end);
  exec.tail_ns = end;
  return p;
}

void carry_out(const GraphExec& exec, const Plan& p) {
  Simulator& s = simulator();
  for (std::size_t i = 0; i < exec.nodes.size(); ++i) {
    const Operation& o = exec.nodes[i].node->operation;
    if (!exec.nodes[i].enabled) continue;
    if (o.kind == OperationKind::host_function) {
      queue_host_function(p.works[i].begin_ns, o.effect);
      continue;
    }
    if (o.kind == OperationKind::kernel) {
      s.memory.note_launch();
      note_output(o.target);
    }
    if (o.effect) o.effect();
    if (o.kind != OperationKind::empty) publish(p.works[i]);
  }
}

}  // namespace

GraphExec* instantiate(const Graph& graph, unsigned long long flags) {
  static std::uint32_t next = 1;
  auto exec = std::make_unique<GraphExec>();
  exec->id = next++;
  exec->flags = flags;
  exec->graph = copy_of(graph);
  flatten(*exec->graph, {}, exec->nodes);
  GraphExec* raw = exec.get();
  execs()[raw] = std::move(exec);
  return raw;
}

GraphExec* exec_from(const void* handle) {
  const auto it = execs().find(handle);
  return it == execs().end() ? nullptr : it->second.get();
}

bool destroy_exec(const void* handle) { return execs().erase(handle) != 0; }

ExecNode* exec_node(GraphExec& exec, const Node& of_graph) {
  for (ExecNode& n : exec.nodes)
    if (n.node->copied_from == of_graph.id) return &n;
  return nullptr;
}

UpdateResult update_exec(GraphExec& exec, const Graph& graph) {
  std::vector<ExecNode> fresh;
  flatten(graph, {}, fresh);
  for (std::size_t i = 0; i < std::min(fresh.size(), exec.nodes.size()); ++i) {
    if (fresh[i].node->kind != exec.nodes[i].node->kind)
      return {cudaGraphExecUpdateErrorNodeTypeChanged, fresh[i].node};
    if (fresh[i].from != exec.nodes[i].from) return {cudaGraphExecUpdateErrorTopologyChanged, fresh[i].node};
  }
  if (fresh.size() != exec.nodes.size()) return {cudaGraphExecUpdateErrorTopologyChanged, nullptr};
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    exec.nodes[i].node->operation = fresh[i].node->operation;
    exec.nodes[i].node->event = fresh[i].node->event;
  }
  return {};
}

cudaError_t launch_graph(const void* handle, const void* stream_handle) {
  if (in_host_function()) return cudaErrorNotPermitted;
  ensure_context();
  Simulator& s = simulator();
  GraphExec* exec = nullptr;
  Plan p;
  {
    std::lock_guard guard(s.lock);
    exec = exec_from(handle);
    if (!exec) return cudaErrorInvalidValue;
    Stream* stream = s.timeline.stream(stream_handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = check_legacy(*stream)) return error;
    if (stream->capture) {
      Operation marker{};
      marker.kind = OperationKind::empty;
      Node* node = nullptr;
      const cudaError_t error = capture_operation(*stream, NodeKind::child, std::move(marker), nullptr, &node);
      if (node) node->child = copy_of(*exec->graph);
      return error;
    }
    note_feeding();
    s.clock.advance(framework_ns() + s.model.launch_ns);
    p = plan(*exec, *stream);
  }
  publish_queue_wait();
  carry_out(*exec, p);
  return cudaSuccess;
}

}  // namespace zerostall::simgpu
