// cuDNN's older interface: descriptors, sizes, algorithms, recurrent networks.
#include <algorithm>
#include <utility>

#include "tests/simgpu/math/kernels.h"

extern "C" {
std::size_t cudnnGetVersion();
int cudnnCreate(void**);
int cudnnDestroy(void*);
int cudnnCreateTensorDescriptor(void**);
int cudnnSetTensor4dDescriptor(void*, int, int, int, int, int, int);
int cudnnGetTensorNdDescriptor(const void*, int, int*, int*, int*, int*);
int cudnnGetTensorSizeInBytes(const void*, std::size_t*);
int cudnnCreateFilterDescriptor(void**);
int cudnnSetFilter4dDescriptor(void*, int, int, int, int, int, int);
int cudnnCreateConvolutionDescriptor(void**);
int cudnnSetConvolution2dDescriptor(void*, int, int, int, int, int, int, int, int);
int cudnnSetConvolutionGroupCount(void*, int);
int cudnnGetConvolutionNdForwardOutputDim(const void*, const void*, const void*, int, int*);
int cudnnConvolutionForward(void*, const void*, const void*, const void*, const void*, const void*, const void*, int,
                            void*, std::size_t, const void*, const void*, void*);
int cudnnFindConvolutionForwardAlgorithmEx(void*, const void*, const void*, const void*, const void*, const void*,
                                           const void*, void*, int, int*, void*, void*, std::size_t);
int cudnnCreatePoolingDescriptor(void**);
int cudnnSetPooling2dDescriptor(void*, int, int, int, int, int, int, int, int);
int cudnnGetPoolingNdForwardOutputDim(const void*, const void*, int, int*);
int cudnnCreateRNNDescriptor(void**);
int cudnnSetRNNDescriptor_v8(void*, int, int, int, int, int, int, int, int, int, int, int, int, void*, unsigned);
int cudnnGetRNNWeightSpaceSize(void*, void*, std::size_t*);
int cudnnGetRNNWeightParams(void*, void*, int, std::size_t, const void*, int, void*, void**, void*, void**);
void cudnnGetLastErrorString(char*, std::size_t);
}

namespace zerostall::testing {
namespace {

constexpr int kFloat = 0, kNchw = 0, kNhwc = 1, kBadParam = 2000, kBadParamShapeMismatch = 2008;

void* tensor(int format, int n, int c, int h, int w) {
  void* t = nullptr;
  EXPECT_EQ(cudnnCreateTensorDescriptor(&t), 0);
  EXPECT_EQ(cudnnSetTensor4dDescriptor(t, format, kFloat, n, c, h, w), 0);
  return t;
}
void* filter(int k, int c, int h, int w) {
  void* f = nullptr;
  EXPECT_EQ(cudnnCreateFilterDescriptor(&f), 0);
  EXPECT_EQ(cudnnSetFilter4dDescriptor(f, kFloat, kNchw, k, c, h, w), 0);
  return f;
}
void* convolution(int pad, int stride, int dilation, int groups = 1) {
  void* c = nullptr;
  EXPECT_EQ(cudnnCreateConvolutionDescriptor(&c), 0);
  EXPECT_EQ(cudnnSetConvolution2dDescriptor(c, pad, pad, stride, stride, dilation, dilation, 1, kFloat), 0);
  EXPECT_EQ(cudnnSetConvolutionGroupCount(c, groups), 0);
  return c;
}
std::vector<int> output(void* c, void* x, void* w) {
  std::vector<int> dims(4);
  EXPECT_EQ(cudnnGetConvolutionNdForwardOutputDim(c, x, w, 4, dims.data()), 0);
  return dims;
}

struct SimDnn : ::testing::Test {
  void SetUp() override { ASSERT_EQ(cudnnCreate(&handle), 0); }
  void TearDown() override { cudnnDestroy(handle); }
  int forward(void* x, void* w, void* c, void* y) {
    return cudnnConvolutionForward(handle, nullptr, x, nullptr, w, nullptr, c, 1, nullptr, 0, nullptr, y, nullptr);
  }
  void* handle = nullptr;
};

TEST_F(SimDnn, TheVersionSuitsEveryPyTorch) {
  EXPECT_EQ(cudnnGetVersion() / 10000, 9u);
  EXPECT_GE(cudnnGetVersion(), 92600u) << "what PyTorch 2.15 was compiled with";
}

TEST_F(SimDnn, TensorsGiveBackWhatWasSet) {
  int type = -1, count = 0, dims[4] = {}, strides[4] = {};
  EXPECT_EQ(cudnnGetTensorNdDescriptor(tensor(kNhwc, 2, 3, 5, 7), 4, &type, &count, dims, strides), 0);
  EXPECT_EQ(count, 4);
  EXPECT_EQ(std::vector<int>(dims, dims + 4), (std::vector<int>{2, 3, 5, 7}));
  EXPECT_EQ(std::vector<int>(strides, strides + 4), (std::vector<int>{105, 1, 21, 3})) << "channels innermost";
  std::size_t bytes = 0;
  EXPECT_EQ(cudnnGetTensorSizeInBytes(tensor(kNchw, 2, 3, 5, 7), &bytes), 0);
  EXPECT_EQ(bytes, 210u * 4);
}

TEST_F(SimDnn, OutputSizes) {
  void* x = tensor(kNchw, 2, 8, 16, 16);
  EXPECT_EQ(output(convolution(0, 1, 1), x, filter(4, 8, 3, 3)), (std::vector<int>{2, 4, 14, 14}));
  EXPECT_EQ(output(convolution(1, 2, 1), x, filter(4, 8, 3, 3)), (std::vector<int>{2, 4, 8, 8}));
  EXPECT_EQ(output(convolution(0, 1, 2), x, filter(4, 8, 3, 3)), (std::vector<int>{2, 4, 12, 12}));
  EXPECT_EQ(output(convolution(0, 1, 1, 4), x, filter(4, 2, 3, 3)), (std::vector<int>{2, 4, 14, 14}));
  std::vector<int> dims(4);
  EXPECT_EQ(cudnnGetConvolutionNdForwardOutputDim(convolution(0, 1, 1), x, filter(4, 2, 3, 3), 4, dims.data()),
            kBadParamShapeMismatch);
  char reason[64] = {};
  cudnnGetLastErrorString(reason, sizeof reason);
  EXPECT_NE(std::string(reason).find("channels"), std::string::npos);
  void* pooling = nullptr;
  ASSERT_EQ(cudnnCreatePoolingDescriptor(&pooling), 0);
  ASSERT_EQ(cudnnSetPooling2dDescriptor(pooling, 0, 0, 3, 3, 1, 1, 2, 2), 0);
  EXPECT_EQ(cudnnGetPoolingNdForwardOutputDim(pooling, x, 4, dims.data()), 0);
  EXPECT_EQ(dims, (std::vector<int>{2, 8, 8, 8}));
}

TEST_F(SimDnn, AConvolutionTakesTimeByItsDimensionsAndGroupsSaveTime) {
  Kernels kernels;
  void *x = tensor(kNchw, 64, 256, 64, 64), *y = tensor(kNchw, 64, 256, 64, 64);
  ASSERT_EQ(forward(x, filter(256, 256, 3, 3), convolution(1, 1, 1), y), 0);
  const auto full = kernels.last_ns();
  ASSERT_EQ(forward(x, filter(256, 64, 3, 3), convolution(1, 1, 1, 4), y), 0);
  EXPECT_NEAR(double(kernels.last_ns()), double(full) / 4, 0.02 * double(full));
  EXPECT_EQ(kernels.names()[0], "sim_cudnn_conv_fprop");
}

TEST_F(SimDnn, FindingAnAlgorithmRunsEachAndWaits) {
  struct Performance {
    int algorithm, status;
    float time_ms;
    std::size_t memory_bytes;
    int determinism, math_type, reserved[3];
  } results[8];
  Kernels kernels;
  void *x = tensor(kNchw, 64, 256, 64, 64), *y = tensor(kNchw, 64, 256, 64, 64), *w = filter(256, 256, 3, 3);
  int found = 0;
  ASSERT_EQ(cudnnFindConvolutionForwardAlgorithmEx(handle, x, nullptr, w, nullptr, convolution(1, 1, 1), y, nullptr, 8,
                                                   &found, results, nullptr, 1 << 20),
            0);
  ASSERT_GE(found, 2);
  EXPECT_EQ(kernels.kernels.size(), std::size_t(found));
  EXPECT_GE(now(), kernels.kernels.back().end_ns);
  EXPECT_LE(results[0].time_ms, results[1].time_ms) << "fastest first";
  EXPECT_EQ(results[0].status, 0);
}

TEST_F(SimDnn, TheWeightsOfAnLstmFillTheirSpaceWithoutGaps) {
  constexpr int kLstm = 2, kDoubleBias = 2, kBidirectional = 1, kInput = 5, kHidden = 7, kLayers = 2;
  void* rnn = nullptr;
  ASSERT_EQ(cudnnCreateRNNDescriptor(&rnn), 0);
  ASSERT_EQ(cudnnSetRNNDescriptor_v8(rnn, 0, kLstm, kDoubleBias, kBidirectional, 0, kFloat, kFloat, 0, kInput, kHidden,
                                     kHidden, kLayers, nullptr, 0),
            0);
  std::size_t bytes = 0;
  ASSERT_EQ(cudnnGetRNNWeightSpaceSize(handle, rnn, &bytes), 0);
  std::vector<char> space(bytes);
  void *matrix = tensor(kNchw, 1, 1, 1, 1), *bias = tensor(kNchw, 1, 1, 1, 1);
  std::vector<std::pair<char*, std::size_t>> parts;
  for (int layer = 0; layer < 2 * kLayers; ++layer)
    for (int map = 0; map < 8; ++map) {
      void *matrix_at = nullptr, *bias_at = nullptr;
      ASSERT_EQ(
          cudnnGetRNNWeightParams(handle, rnn, layer, bytes, space.data(), map, matrix, &matrix_at, bias, &bias_at), 0);
      int type = 0, count = 0, dims[3] = {}, strides[3] = {};
      cudnnGetTensorNdDescriptor(matrix, 3, &type, &count, dims, strides);
      EXPECT_EQ(dims[1], kHidden);
      EXPECT_EQ(dims[2], map >= 4 ? kHidden : layer < 2 ? kInput : 2 * kHidden);
      parts.emplace_back(static_cast<char*>(matrix_at), std::size_t(dims[1] * dims[2]) * 4);
      parts.emplace_back(static_cast<char*>(bias_at), std::size_t{kHidden} * 4);
    }
  std::sort(parts.begin(), parts.end());
  char* end = space.data();
  for (const auto& [begin, size] : parts) {
    EXPECT_EQ(begin, end);
    end = begin + size;
  }
  EXPECT_EQ(end, space.data() + bytes);
  EXPECT_EQ(cudnnGetRNNWeightParams(handle, rnn, 2 * kLayers, bytes, space.data(), 0, matrix, nullptr, bias, nullptr),
            kBadParam);
}

}  // namespace
}  // namespace zerostall::testing
