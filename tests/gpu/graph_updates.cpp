// Executable graphs: updating them, destroying them, events and host functions in them.
#include <atomic>

#include "tests/gpu/contract.h"

namespace zerostall::contract {
namespace {

struct Graph {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ~Graph() {
    if (exec != nullptr) cudaGraphExecDestroy(exec);
    if (graph != nullptr) cudaGraphDestroy(graph);
  }
  template <class Program>
  void capture(cudaStream_t stream, Program program) {
    CONTRACT_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    program();
    CONTRACT_CHECK(cudaStreamEndCapture(stream, &graph));
  }
  void instantiate() { CONTRACT_CHECK(cudaGraphInstantiate(&exec, graph, 0)); }
};

int byte_of(const Buffer& buffer) {
  unsigned char byte = 0;
  CONTRACT_CHECK(cudaMemcpy(&byte, buffer.data, 1, cudaMemcpyDeviceToHost));
  return byte;
}

std::string update_value() {
  const Stream stream;
  const Buffer buffer(Kind::device, 1024);
  Graph first, second;
  first.capture(stream, [&] { CONTRACT_CHECK(cudaMemsetAsync(buffer.data, 1, 1024, stream)); });
  second.capture(stream, [&] { CONTRACT_CHECK(cudaMemsetAsync(buffer.data, 2, 1024, stream)); });
  first.instantiate();
  cudaGraphExecUpdateResultInfo info{};
  CONTRACT_CHECK(cudaGraphExecUpdate(first.exec, second.graph, &info));
  CONTRACT_CHECK(cudaGraphLaunch(first.exec, stream));
  CONTRACT_CHECK(cudaStreamSynchronize(stream));
  return std::to_string(info.result) + ", value " + std::to_string(byte_of(buffer));
}

std::string update_more_nodes() {
  const Stream stream;
  const Buffer buffer(Kind::device, 1024);
  const auto set = [&] { CONTRACT_CHECK(cudaMemsetAsync(buffer.data, 1, 1024, stream)); };
  Graph one, two;
  one.capture(stream, set);
  two.capture(stream, [&] {
    set();
    set();
  });
  one.instantiate();
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t answer = cudaGraphExecUpdate(one.exec, two.graph, &info);
  (void)cudaGetLastError();
  return name_of(answer) + (info.result == cudaGraphExecUpdateErrorTopologyChanged ? ", topology changed" : ", else");
}

std::string update_other_kind() {
  const Stream stream;
  const Buffer buffer(Kind::device, 1024), other(Kind::device, 1024);
  Graph set, copy;
  set.capture(stream, [&] { CONTRACT_CHECK(cudaMemsetAsync(buffer.data, 1, 1024, stream)); });
  copy.capture(stream, [&] {
    CONTRACT_CHECK(cudaMemcpyAsync(buffer.data, other.data, 1024, cudaMemcpyDeviceToDevice, stream));
  });
  set.instantiate();
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t answer = cudaGraphExecUpdate(set.exec, copy.graph, &info);
  (void)cudaGetLastError();
  return name_of(answer) + (info.result == cudaGraphExecUpdateErrorNodeTypeChanged ? ", type changed" : ", else");
}

std::string destroy_running() {
  const Stream stream;
  const Buffer buffer(Kind::device, 1024);
  Graph graph;
  graph.capture(stream, [&] {
    keep_busy(stream);
    CONTRACT_CHECK(cudaMemsetAsync(buffer.data, 5, 1024, stream));
  });
  graph.instantiate();
  CONTRACT_CHECK(cudaGraphLaunch(graph.exec, stream));
  CONTRACT_CHECK(cudaGraphExecDestroy(graph.exec));
  graph.exec = nullptr;
  CONTRACT_CHECK(cudaStreamSynchronize(stream));
  return "value " + std::to_string(byte_of(buffer));
}

std::string one_exec_two_streams() {
  const Stream first, second;
  Graph graph;
  graph.capture(first, [&] { keep_busy(first); });
  graph.instantiate();
  CONTRACT_CHECK(cudaGraphLaunch(graph.exec, first));
  CONTRACT_CHECK(cudaGraphLaunch(graph.exec, second));
  CONTRACT_CHECK(cudaStreamSynchronize(second));
  const std::string answer = is_busy(first) ? "at once" : "one after the other";
  CONTRACT_CHECK(cudaStreamSynchronize(first));
  return answer;
}

std::string event_node() {
  const Stream stream, other;
  const Event event(cudaEventDisableTiming);
  Graph graph;
  graph.capture(stream, [&] {
    keep_busy(stream);
    CONTRACT_CHECK(cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal));
    keep_busy(stream);
  });
  graph.instantiate();
  CONTRACT_CHECK(cudaGraphLaunch(graph.exec, stream));
  CONTRACT_CHECK(cudaStreamWaitEvent(other, event, 0));
  CONTRACT_CHECK(cudaStreamSynchronize(other));
  const std::string answer = is_busy(stream) ? "waits for the node" : "waits for the graph";
  CONTRACT_CHECK(cudaStreamSynchronize(stream));
  return answer;
}

std::string external_outside() {
  const Stream stream;
  const Event event(cudaEventDisableTiming);
  const cudaError_t answer = cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal);
  (void)cudaGetLastError();
  return name_of(answer);
}

std::string host_node() {
  const Stream stream;
  static std::atomic<int> calls;
  calls = 0;
  Graph graph;
  graph.capture(stream, [&] {
    CONTRACT_CHECK(cudaLaunchHostFunc(
        stream, [](void*) { ++calls; }, nullptr));
  });
  const int captured = calls;
  graph.instantiate();
  for (int i = 0; i < 3; ++i) CONTRACT_CHECK(cudaGraphLaunch(graph.exec, stream));
  CONTRACT_CHECK(cudaStreamSynchronize(stream));
  return std::to_string(captured) + " then " + std::to_string(calls.load());
}

std::string empty_graph() {
  const Stream stream;
  Graph graph;
  CONTRACT_CHECK(cudaGraphCreate(&graph.graph, 0));
  graph.instantiate();
  CONTRACT_CHECK(cudaGraphLaunch(graph.exec, stream));
  return name_of(cudaStreamSynchronize(stream));
}

std::string allocate_in_capture() {
  const Stream stream;
  void* p = nullptr;
  cudaError_t allocated = cudaSuccess, freed = cudaSuccess;
  Graph graph;
  graph.capture(stream, [&] {
    allocated = cudaMallocAsync(&p, 1024, stream);
    freed = cudaFreeAsync(p, stream);
  });
  graph.instantiate();
  CONTRACT_CHECK(cudaGraphLaunch(graph.exec, stream));
  CONTRACT_CHECK(cudaStreamSynchronize(stream));
  return name_of(allocated) + ", " + name_of(freed);
}

}  // namespace

std::vector<Contract> graph_update_contracts() {
  return {
      {"cudaGraphExecUpdate, another value", "0, value 2", update_value},
      {"cudaGraphExecUpdate, more nodes", "cudaErrorGraphExecUpdateFailure, topology changed", update_more_nodes},
      {"cudaGraphExecUpdate, another kind of node", "cudaErrorGraphExecUpdateFailure, type changed", update_other_kind},
      {"cudaGraphExecDestroy while it runs", "value 5", destroy_running},
      {"one executable graph in two streams", "one after the other", one_exec_two_streams},
      {"event recorded by a graph's node", "waits for the node", event_node},
      {"cudaEventRecordExternal outside a capture", "cudaErrorIllegalState", external_outside, true},
      {"host function in a graph launched three times", "0 then 3", host_node},
      {"graph without nodes", "cudaSuccess", empty_graph},
      {"cudaMallocAsync and cudaFreeAsync in a capture", "cudaSuccess, cudaSuccess", allocate_in_capture},
  };
}

}  // namespace zerostall::contract
