// Graph launches in activity records: a record per node with its ids, or one for the whole launch.
#include "tests/simgpu/cupti_client.h"

namespace zerostall::testing {
namespace {

class SimCuptiGraphs : public CuptiClient {
 public:
  void SetUp() override {
    CuptiClient::SetUp();
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    launch_for(1000, stream);
    launch_for(1000, stream);
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  }
  void TearDown() override {
    CuptiClient::TearDown();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
  }

  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
};

TEST_F(SimCuptiGraphs, EachNodeHasARecordWithTheCorrelationOfTheLaunch) {
  enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  cudaGraphLaunch(exec, stream);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  std::uint32_t id = 0;
  ASSERT_EQ(cuptiGetGraphExecId(exec, &id), CUPTI_SUCCESS);
  const auto launches = calls(CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000);
  const auto k = kernels();
  ASSERT_EQ(launches.size(), 2u);
  ASSERT_EQ(k.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(k[i].graphId, id);
    EXPECT_NE(k[i].graphNodeId, 0u);
    EXPECT_EQ(k[i].correlationId, launches[i / 2].correlationId);
  }
  EXPECT_NE(k[0].graphNodeId, k[1].graphNodeId);
  EXPECT_EQ(k[0].graphNodeId, k[2].graphNodeId);
}

TEST_F(SimCuptiGraphs, AWholeLaunchCanBeOneRecord) {
  enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  enable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  cudaGraphLaunch(exec, stream);
  launch_for(1000, stream);
  cudaStreamSynchronize(stream);
  const auto graphs = records<CUpti_ActivityGraphTrace2>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  ASSERT_EQ(graphs.size(), 1u);
  EXPECT_GE(graphs[0].end - graphs[0].start, 2 * static_cast<std::uint64_t>(model().kernel_floor_ns));
  ASSERT_EQ(kernels().size(), 1u) << "the launch outside the graph";
  EXPECT_EQ(kernels()[0].graphId, 0u);
  EXPECT_GE(kernels()[0].start, graphs[0].end);
}

TEST_F(SimCuptiGraphs, UnknownGraphsHaveNoId) {
  std::uint32_t id = 0;
  std::uint64_t node = 0;
  EXPECT_EQ(cuptiGetGraphId(graph, &id), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiGetGraphId(nullptr, &id), CUPTI_ERROR_INVALID_PARAMETER);
  EXPECT_EQ(cuptiGetGraphNodeId(nullptr, &node), CUPTI_ERROR_INVALID_PARAMETER);
}

}  // namespace
}  // namespace zerostall::testing
