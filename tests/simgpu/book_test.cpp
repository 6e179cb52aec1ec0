// What the simulator says about itself: unsupported calls, read-backs without a real value.
#include <cuda.h>

#include <string>
#include <vector>

#include "profiler/simgpu/core/journal.h"
#include "tests/simgpu/device.h"

extern "C" void zerostall_sim_set_listener(void (*)(std::uint32_t, const char*, std::uint64_t));

namespace zerostall::testing {
namespace {

std::vector<std::string>* g_heard = nullptr;

struct SimBook : ::testing::Test {
  void SetUp() override {
    g_heard = &heard;
    zerostall_sim_set_listener([](std::uint32_t kind, const char* text, std::uint64_t value) {
      g_heard->push_back(std::to_string(kind) + " " + text + " " + std::to_string(value));
    });
  }
  void TearDown() override { zerostall_sim_set_listener(nullptr); }
  std::vector<std::string> heard;
};

TEST_F(SimBook, AnUnsupportedCallFailsAndIsNamedOnceOnStderr) {
  ::testing::internal::CaptureStderr();
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaGraphCreate(&graph, 0), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphCreate(&graph, 0), cudaErrorNotSupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("cudaGraphCreate is not supported"), std::string::npos) << said;
  EXPECT_EQ(said.find("cudaGraphCreate"), said.rfind("cudaGraphCreate")) << "once";
  EXPECT_EQ(heard, (std::vector<std::string>{"2 cudaGraphCreate 1", "2 cudaGraphCreate 1"})) << "every call is listed";
}

TEST_F(SimBook, TheDriverAnswersNotSupportedToo) {
  ::testing::internal::CaptureStderr();
  CUgraph graph = nullptr;
  EXPECT_EQ(cuGraphCreate(&graph, 0), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("cuGraphCreate"), std::string::npos);
}

TEST_F(SimBook, ReadBacksOfWhatKernelsMayHaveWrittenAreReported) {
  void* p = nullptr;
  float value = 1;
  ASSERT_EQ(cudaMalloc(&p, 64), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(p, &value, 4, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_TRUE(heard.empty()) << "a copy put the value there";
  launch_for(1000);
  ASSERT_EQ(cudaMemcpyAsync(&value, p, 4, cudaMemcpyDeviceToHost, nullptr), cudaSuccess);
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].find("3 cudaMemcpyAsync at thread test_simgpu, "), 0u) << heard[0];
  cudaFree(p);
}

TEST_F(SimBook, ErrorsHaveNames) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
}

}  // namespace
}  // namespace zerostall::testing
