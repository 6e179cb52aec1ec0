// cuDNN's graph API: a convolution from tensors to execution, and its errors.
#include "tests/simgpu/math/kernels.h"

extern "C" {
int cudnnCreate(void**);
int cudnnDestroy(void*);
int cudnnBackendCreateDescriptor(int, void**);
int cudnnBackendDestroyDescriptor(void*);
int cudnnBackendFinalize(void*);
int cudnnBackendSetAttribute(void*, int, int, std::int64_t, const void*);
int cudnnBackendGetAttribute(void*, int, int, std::int64_t, std::int64_t*, void*);
int cudnnBackendExecute(void*, void*, void*);
}

namespace zerostall::testing {
namespace {

constexpr int kNotInitialized = 1001, kBadParam = 2000, kNotFinalized = 2004;
constexpr int kDataType = 1, kInt64 = 3, kPointer = 6, kHeuristicMode = 8, kDescriptor = 15;
constexpr int kEngineConfig = 3, kHeuristics = 4, kPlan = 5, kForward = 10, kGraph = 15, kPack = 16, kTensor = 17;

struct SimDnnGraph : ::testing::Test {
  void SetUp() override { ASSERT_EQ(cudnnCreate(&handle), 0); }
  void TearDown() override {
    for (void* d : made) cudnnBackendDestroyDescriptor(d);
    cudnnDestroy(handle);
  }
  void* create(int kind) {
    void* d = nullptr;
    EXPECT_EQ(cudnnBackendCreateDescriptor(kind, &d), 0);
    made.push_back(d);
    return d;
  }
  template <class T>
  static int set(void* d, int name, int type, const std::vector<T>& values) {
    return cudnnBackendSetAttribute(d, name, type, std::int64_t(values.size()), values.data());
  }
  void* tensor(std::int64_t id, const std::vector<std::int64_t>& dims) {
    void* t = create(kTensor);
    std::vector<std::int64_t> strides(dims.size(), 1);
    for (std::size_t i = dims.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * dims[i];
    set<int>(t, 901, kDataType, {2});  // half
    set<std::int64_t>(t, 902, kInt64, dims);
    set<std::int64_t>(t, 903, kInt64, strides);
    set<std::int64_t>(t, 906, kInt64, {id});
    EXPECT_EQ(cudnnBackendFinalize(t), 0);
    return t;
  }
  // The graph of one forward convolution.
  void* graph() {
    void* operation = create(kForward);
    set<void*>(operation, 704, kDescriptor, {tensor(1, {64, 256, 64, 64})});
    set<void*>(operation, 703, kDescriptor, {tensor(2, {256, 256, 3, 3})});
    set<void*>(operation, 705, kDescriptor, {tensor(3, {64, 256, 64, 64})});
    EXPECT_EQ(cudnnBackendFinalize(operation), 0);
    void* g = create(kGraph);
    set<void*>(g, 801, kDescriptor, {operation});
    EXPECT_EQ(cudnnBackendFinalize(g), 0);
    return g;
  }
  void* pack(const std::vector<std::int64_t>& ids) {
    void* p = create(kPack);
    set<std::int64_t>(p, 1000, kInt64, ids);
    set<void*>(p, 1001, kPointer, std::vector<void*>(ids.size()));
    EXPECT_EQ(cudnnBackendFinalize(p), 0);
    return p;
  }
  std::vector<void*> configurations(void* g) {
    void* heuristics = create(kHeuristics);
    set<void*>(heuristics, 201, kDescriptor, {g});
    set<int>(heuristics, 200, kHeuristicMode, {3});
    EXPECT_EQ(cudnnBackendFinalize(heuristics), 0);
    std::int64_t count = 0;
    EXPECT_EQ(cudnnBackendGetAttribute(heuristics, 202, kDescriptor, 0, &count, nullptr), 0);
    std::vector<void*> configs;
    for (std::int64_t i = 0; i < count; ++i) configs.push_back(create(kEngineConfig));
    EXPECT_EQ(cudnnBackendGetAttribute(heuristics, 202, kDescriptor, count, &count, configs.data()), 0);
    return configs;
  }
  void* plan(void* config) {
    void* p = create(kPlan);
    set<void*>(p, 401, kDescriptor, {config});
    EXPECT_EQ(cudnnBackendFinalize(p), 0);
    return p;
  }
  void* handle = nullptr;
  std::vector<void*> made;
};

TEST_F(SimDnnGraph, EnginesAreFoundAndTheFirstIsFastest) {
  Kernels kernels;
  const auto configs = configurations(graph());
  ASSERT_GE(configs.size(), 2u);
  for (void* config : configs) {
    void* p = plan(config);
    std::int64_t workspace = -1, count = 0;
    EXPECT_EQ(cudnnBackendGetAttribute(p, 402, kInt64, 1, &count, &workspace), 0);
    EXPECT_GE(workspace, 0);
    EXPECT_EQ(cudnnBackendExecute(handle, p, pack({1, 2, 3})), 0);
  }
  EXPECT_EQ(kernels.names()[0], "sim_cudnn_conv_fprop");
  const auto length = [&](std::size_t i) { return kernels.kernels[i].end_ns - kernels.kernels[i].begin_ns; };
  EXPECT_LT(length(0), length(1));
}

TEST_F(SimDnnGraph, APlanOutlivesTheDescriptorsItCameFrom) {
  void* p = nullptr;
  ASSERT_EQ(cudnnBackendCreateDescriptor(kPlan, &p), 0);
  set<void*>(p, 401, kDescriptor, {configurations(graph())[0]});
  ASSERT_EQ(cudnnBackendFinalize(p), 0);
  for (void* d : made) cudnnBackendDestroyDescriptor(d);
  made.clear();
  EXPECT_EQ(cudnnBackendExecute(handle, p, pack({1, 2, 3})), 0);
  made.push_back(p);
}

TEST_F(SimDnnGraph, MissingPartsAreErrors) {
  EXPECT_EQ(cudnnBackendFinalize(create(kGraph)), kBadParam) << "no operations";
  EXPECT_EQ(cudnnBackendFinalize(create(kTensor)), kBadParam);
  EXPECT_EQ(set<void*>(create(kPlan), 401, kDescriptor, {create(kEngineConfig)}), kNotFinalized);
  std::int64_t value = 0, count = 0;
  EXPECT_EQ(cudnnBackendGetAttribute(create(kPlan), 402, kInt64, 1, &count, &value), kNotInitialized);
  EXPECT_EQ(set<std::int64_t>(tensor(9, {1}), 906, kInt64, {4}), kNotInitialized) << "already finalized";
  EXPECT_EQ(cudnnBackendExecute(handle, plan(configurations(graph())[0]), pack({1, 3})), kBadParam)
      << "tensor 2 is missing";
}

}  // namespace
}  // namespace zerostall::testing
