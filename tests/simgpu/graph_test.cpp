// CUDA graphs: building, capturing, launching, changing.
#include <cuda.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "tests/simgpu/device.h"

namespace zerostall::testing {
namespace {

struct SimGraph : ::testing::Test {
  void SetUp() override {
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
    ASSERT_EQ(cudaEventCreateWithFlags(&back, cudaEventDisableTiming), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    begin = now();
  }
  void TearDown() override {
    cudaGetLastError();
    if (exec) cudaGraphExecDestroy(exec);
    if (graph) cudaGraphDestroy(graph);
    for (cudaStream_t s : {stream, side}) EXPECT_EQ(cudaStreamDestroy(s), cudaSuccess);
    for (cudaEvent_t e : {event, back}) EXPECT_EQ(cudaEventDestroy(e), cudaSuccess);
    cudaGetLastError();
  }
  void start(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    ASSERT_EQ(cudaStreamBeginCapture(stream, mode), cudaSuccess);
  }
  cudaError_t end() { return cudaStreamEndCapture(stream, &graph); }
  std::size_t node_count() {
    std::size_t n = 0;
    EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &n), cudaSuccess);
    return n;
  }
  // The virtual time one launch of the graph takes.
  std::int64_t launch_and_wait() {
    if (!exec) cudaGraphInstantiate(&exec, graph, 0);
    cudaDeviceSynchronize();
    begin = now();
    EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    return now() - begin;
  }
  // The capture is spoilt: it ends with that error and without a graph.
  void expect_spoilt() {
    EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
  }
  cudaStream_t stream = nullptr, side = nullptr;
  cudaEvent_t event = nullptr, back = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  std::int64_t begin = 0;
};

TEST_F(SimGraph, CapturedWorkDoesNotRunAndTakesNoTime) {
  start();
  launch_for(kLong, stream);
  launch_for(kLong, stream);
  cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
  ASSERT_EQ(cudaStreamIsCapturing(stream, &state), cudaSuccess);
  EXPECT_EQ(state, cudaStreamCaptureStatusActive);
  ASSERT_EQ(end(), cudaSuccess);
  EXPECT_EQ(now(), begin);
  EXPECT_EQ(node_count(), 2u);
  const std::int64_t taken = launch_and_wait();
  EXPECT_GT(taken, 2 * kLong) << "kernels of one stream stay in order";
  EXPECT_LT(taken, 2 * kLong + 100'000);
}

TEST_F(SimGraph, ALaunchCopiesBytesEachTime) {
  int host = 5, back_value = 0, *pinned = nullptr;
  void* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&pinned), 64), cudaSuccess);
  *pinned = 1;
  start();
  ASSERT_EQ(cudaMemcpyAsync(device, pinned, 4, cudaMemcpyHostToDevice, stream), cudaSuccess);
  ASSERT_EQ(end(), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(device, &host, 4, cudaMemcpyHostToDevice), cudaSuccess);
  *pinned = 7;
  launch_and_wait();
  ASSERT_EQ(cudaMemcpy(&back_value, device, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(back_value, 7) << "the source is read at the launch, not at the capture";
  cudaFree(device);
  cudaFreeHost(pinned);
}

TEST_F(SimGraph, EventsForkAndJoinACapture) {
  start();
  launch_for(kLong, stream);
  ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(side, event, 0), cudaSuccess);
  launch_for(3 * kLong, side);
  launch_for(kLong, stream);
  ASSERT_EQ(cudaEventRecord(back, side), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(stream, back, 0), cudaSuccess);
  launch_for(kLong, stream);
  ASSERT_EQ(end(), cudaSuccess);
  EXPECT_EQ(node_count(), 4u);
  const std::int64_t taken = launch_and_wait();
  EXPECT_GT(taken, 5 * kLong);
  EXPECT_LT(taken, 6 * kLong) << "the branches overlap";
  std::size_t edges = 0;
  ASSERT_EQ(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges), cudaSuccess);
  EXPECT_EQ(edges, 4u);
}

TEST_F(SimGraph, AForkThatIsNotJoinedIsAnError) {
  start();
  launch_for(kLong, stream);
  ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(side, event, 0), cudaSuccess);
  launch_for(kLong, side);
  EXPECT_EQ(cudaStreamEndCapture(side, &graph), cudaErrorStreamCaptureUnmatched);
  cudaGraph_t none = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream, &none), cudaErrorStreamCaptureInvalidated);
  start();
  ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(side, event, 0), cudaSuccess);
  launch_for(kLong, side);
  EXPECT_EQ(end(), cudaErrorStreamCaptureUnjoined);
}

TEST_F(SimGraph, WaitingAndAskingSpoilACapture) {
  start();
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorStreamCaptureUnsupported);
  expect_spoilt();
  start();
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorStreamCaptureUnsupported);
  expect_spoilt();
  start();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
  expect_spoilt();
  start();
  ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(event), cudaErrorCapturedEvent);
  EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaErrorStreamCaptureInvalidated);
  expect_spoilt();
}

TEST_F(SimGraph, UnsafeCallsDependOnTheMode) {
  void* p = nullptr;
  start(cudaStreamCaptureModeGlobal);
  EXPECT_EQ(cudaMalloc(&p, 16), cudaErrorStreamCaptureUnsupported);
  expect_spoilt();
  start(cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaMalloc(&p, 16), cudaSuccess);
  EXPECT_EQ(cudaFree(p), cudaSuccess);
  EXPECT_EQ(end(), cudaSuccess);
  cudaGraphDestroy(graph);
  start(cudaStreamCaptureModeGlobal);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  ASSERT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(mode, cudaStreamCaptureModeGlobal);
  EXPECT_EQ(cudaMalloc(&p, 16), cudaSuccess) << "the thread has said that it knows what it does";
  ASSERT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(end(), cudaSuccess);
  cudaFree(p);
}

TEST_F(SimGraph, TheLegacyStreamIsForbiddenOnlyWhileABlockingStreamIsCaptured) {
  start();
  launch_for(1000, nullptr);
  ASSERT_EQ(end(), cudaSuccess) << "a non-blocking stream has no tie to the legacy stream";
  cudaStream_t blocking = nullptr;
  cudaGraph_t none = nullptr;
  ASSERT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(cudaStreamEndCapture(blocking, &none), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamDestroy(blocking), cudaSuccess);
}

TEST_F(SimGraph, CapturesStayApart) {
  cudaGraph_t none = nullptr;
  ASSERT_EQ(cudaEventRecord(event, side), cudaSuccess);
  start();
  EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaErrorStreamCaptureIsolation) << "recorded before the capture";
  expect_spoilt();
  start();
  ASSERT_EQ(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, side), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaErrorStreamCaptureMerge);
  expect_spoilt();
  EXPECT_EQ(cudaStreamEndCapture(side, &none), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaStreamEndCapture(side, &none), cudaErrorIllegalState) << "no capture goes on";
}

TEST_F(SimGraph, NodesAreAddedAskedAndChanged) {
  static int calls = 0;
  calls = 0;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  void* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
  cudaMemsetParams set{device, 0, 3, 1, 64, 1};
  cudaGraphNode_t memset_node = nullptr, host_node = nullptr, empty = nullptr;
  ASSERT_EQ(cudaGraphAddMemsetNode(&memset_node, graph, nullptr, 0, &set), cudaSuccess);
  const cudaHostNodeParams host{[](void* by) { calls += *static_cast<int*>(by); }, nullptr};
  int by = 2;
  cudaHostNodeParams with = host;
  with.userData = &by;
  ASSERT_EQ(cudaGraphAddHostNode(&host_node, graph, &memset_node, 1, &with), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEmptyNode(&empty, graph, &host_node, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphAddDependencies(graph, &empty, &memset_node, nullptr, 1), cudaErrorInvalidValue) << "a cycle";
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  ASSERT_EQ(cudaGraphNodeGetType(host_node, &type), cudaSuccess);
  EXPECT_EQ(type, cudaGraphNodeTypeHost);
  cudaMemsetParams asked{};
  ASSERT_EQ(cudaGraphMemsetNodeGetParams(memset_node, &asked), cudaSuccess);
  EXPECT_EQ(asked.value, 3u);
  EXPECT_EQ(asked.width, 64u);
  EXPECT_EQ(cudaGraphHostNodeGetParams(memset_node, &with), cudaErrorInvalidValue) << "of another kind";
  launch_and_wait();
  EXPECT_EQ(calls, 2);
  int other = 40;
  with = {host.fn, &other};
  ASSERT_EQ(cudaGraphExecHostNodeSetParams(exec, host_node, &with), cudaSuccess);
  launch_and_wait();
  EXPECT_EQ(calls, 42);
  unsigned char byte = 0;
  ASSERT_EQ(cudaMemcpy(&byte, device, 1, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(byte, 3);
  cudaFree(device);
}

TEST_F(SimGraph, ChildGraphsAreCopies) {
  cudaGraph_t child = nullptr;
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(side, cudaStreamCaptureModeRelaxed), cudaSuccess);
  launch_for(kLong, side);
  ASSERT_EQ(cudaStreamEndCapture(side, &child), cudaSuccess);
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child), cudaSuccess);
  ASSERT_EQ(cudaGraphAddChildGraphNode(&node, graph, &node, 1, child), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(child), cudaSuccess);
  EXPECT_GT(launch_and_wait(), 2 * kLong);
}

TEST_F(SimGraph, UpdatesNeedTheSameShape) {
  start();
  launch_for(kLong, stream);
  ASSERT_EQ(end(), cudaSuccess);
  EXPECT_LT(launch_and_wait(), 2 * kLong);
  cudaGraph_t longer = nullptr, wider = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(side, cudaStreamCaptureModeRelaxed), cudaSuccess);
  launch_for(4 * kLong, side);
  ASSERT_EQ(cudaStreamEndCapture(side, &longer), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(side, cudaStreamCaptureModeRelaxed), cudaSuccess);
  launch_for(kLong, side);
  launch_for(kLong, side);
  ASSERT_EQ(cudaStreamEndCapture(side, &wider), cudaSuccess);
  cudaGraphExecUpdateResultInfo info{};
  EXPECT_EQ(cudaGraphExecUpdate(exec, wider, &info), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(info.result, cudaGraphExecUpdateErrorTopologyChanged);
  EXPECT_EQ(cudaGraphExecUpdate(exec, longer, &info), cudaSuccess);
  EXPECT_GT(launch_and_wait(), 4 * kLong);
  cudaGraphDestroy(longer);
  cudaGraphDestroy(wider);
}

TEST_F(SimGraph, TwoLaunchesOfOneExecutableGraphDoNotOverlap) {
  start();
  launch_for(kLong, stream);
  ASSERT_EQ(end(), cudaSuccess);
  launch_and_wait();
  begin = now();
  ASSERT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec, side), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_GT(now() - begin, 2 * kLong);
}

TEST_F(SimGraph, UserObjectsGoWithTheirLastGraph) {
  static std::atomic<int> destroyed{0};
  destroyed = 0;
  cudaUserObject_t object = nullptr;
  ASSERT_EQ(cudaUserObjectCreate(
                &object, nullptr, [](void*) { ++destroyed; }, 1, cudaUserObjectNoDestructorSync),
            cudaSuccess);
  start();
  launch_for(1000, stream);
  ASSERT_EQ(end(), cudaSuccess);
  ASSERT_EQ(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove), cudaSuccess);
  launch_and_wait();
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  graph = nullptr;
  cudaDeviceSynchronize();
  EXPECT_EQ(destroyed, 0) << "the executable graph still holds it";
  ASSERT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  exec = nullptr;
  cudaDeviceSynchronize();
  EXPECT_EQ(destroyed, 1);
}

TEST_F(SimGraph, TheDriverSeesTheSameGraph) {
  start();
  launch_for(kLong, stream);
  ASSERT_EQ(end(), cudaSuccess);
  std::size_t n = 1;
  CUgraphNode node = nullptr;
  ASSERT_EQ(cuGraphGetNodes(graph, &node, &n), CUDA_SUCCESS);
  CUDA_KERNEL_NODE_PARAMS params{};
  ASSERT_EQ(cuGraphKernelNodeGetParams(node, &params), CUDA_SUCCESS);
  EXPECT_EQ(params.blockDimX, 1024u);
  const char* name = nullptr;
  ASSERT_EQ(cuFuncGetName(&name, params.func), CUDA_SUCCESS);
  EXPECT_STREQ(name, "test_kernel");
  const std::string path = ::testing::TempDir() + "zerostall_graph.dot";
  ASSERT_EQ(cudaGraphDebugDotPrint(graph, path.c_str(), 0), cudaSuccess);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_NE(text.str().find("test_kernel"), std::string::npos);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace zerostall::testing
