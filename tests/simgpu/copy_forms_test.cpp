// Copies and memsets in all their forms: which are refused, which wait, which bytes move.
#include <cuda.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "tests/simgpu/device.h"

extern "C" void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);

namespace zerostall::testing {
namespace {

struct SimCopyForms : ::testing::Test {
  void SetUp() override {
    ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&device), kBytes), cudaSuccess);
    ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&pinned), kBytes, 0), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    std::iota(numbers.begin(), numbers.end(), static_cast<unsigned char>(1));
    cudaDeviceSynchronize();
  }
  void TearDown() override {
    cudaDeviceSynchronize();
    cudaStreamDestroy(stream);
    cudaFree(device);
    cudaFreeHost(pinned);
    cudaGetLastError();
  }
  std::vector<unsigned char> read(std::size_t at, std::size_t n) {
    std::vector<unsigned char> out(n);
    EXPECT_EQ(cudaMemcpy(out.data(), device + at, n, cudaMemcpyDeviceToHost), cudaSuccess);
    return out;
  }
  static CUdeviceptr number(const void* p) { return reinterpret_cast<CUdeviceptr>(p); }
  static constexpr std::size_t kBytes = 1 << 16;
  unsigned char *device = nullptr, *pinned = nullptr;
  std::vector<unsigned char> numbers = std::vector<unsigned char>(256);
  cudaStream_t stream = nullptr;
};

TEST_F(SimCopyForms, KindsThatContradictTheAddressesAreRefused) {
  unsigned char host[4] = {};
  EXPECT_EQ(cudaMemcpy(host, device, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, host, 4, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, device, 4, cudaMemcpyHostToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, host, 4, out_of_range<cudaMemcpyKind>(9)), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy(device, host, 4, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(device, pinned, 4, cudaMemcpyDeviceToDevice), cudaSuccess) << "pinned memory is mapped";
}

TEST_F(SimCopyForms, PitchedCopiesMoveTheRowsAndNothingElse) {
  ASSERT_EQ(cudaMemset(device, 0, 1024), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2D(device, 32, numbers.data(), 16, 8, 4, cudaMemcpyHostToDevice), cudaSuccess);
  const auto back = read(0, 128);
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t x = 0; x < 32; ++x)
      EXPECT_EQ(back[row * 32 + x], x < 8 ? numbers[row * 16 + x] : 0) << row << " " << x;
  std::vector<unsigned char> rows(32);
  ASSERT_EQ(cudaMemcpy2DAsync(rows.data(), 8, device, 32, 8, 4, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(rows[8], numbers[16]);
  EXPECT_EQ(cudaMemcpy2D(device, 4, numbers.data(), 16, 8, 4, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
}

TEST_F(SimCopyForms, CopiesOfThreeDimensions) {
  cudaMemcpy3DParms p{};
  p.srcPtr = {numbers.data(), 8, 8, 4};  // slices of 4 rows of 8 bytes
  p.dstPtr = {device, 16, 16, 2};
  p.srcPos = {2, 1, 1};
  p.extent = {3, 2, 2};
  p.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaMemset(device, 0, 64), cudaSuccess);
  ASSERT_EQ(cudaMemcpy3D(&p), cudaSuccess);
  EXPECT_EQ(read(0, 1)[0], numbers[32 + 8 + 2]);
  EXPECT_EQ(read(48 + 2, 1)[0], numbers[64 + 16 + 2 + 2]);
  EXPECT_EQ(read(3, 1)[0], 0);
  CUDA_MEMCPY3D d{};
  d.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  d.srcDevice = number(device);
  d.srcPitch = 16;
  d.srcHeight = 2;
  d.dstMemoryType = CU_MEMORYTYPE_HOST;
  unsigned char out[12] = {};
  d.dstHost = out;
  d.WidthInBytes = 3;
  d.Height = 2;
  d.Depth = 2;
  ASSERT_EQ(cuMemcpy3D(&d), CUDA_SUCCESS);
  EXPECT_EQ(out[0], numbers[42]);
  EXPECT_EQ(out[11], numbers[84]);
}

TEST_F(SimCopyForms, DriverMemsetsOfEachWidth) {
  ASSERT_EQ(cuMemsetD16(number(device), 0x0102, 3), CUDA_SUCCESS);
  EXPECT_EQ(read(0, 6), (std::vector<unsigned char>{2, 1, 2, 1, 2, 1}));
  EXPECT_EQ(read(1, 2), (std::vector<unsigned char>{1, 2}));
  ASSERT_EQ(cuMemsetD32Async(number(device + 8), 0x01020304, 2, stream), CUDA_SUCCESS);
  EXPECT_EQ(read(10, 4), (std::vector<unsigned char>{2, 1, 4, 3}));
  ASSERT_EQ(cuMemsetD2D8(number(device), 16, 9, 4, 2), CUDA_SUCCESS);
  EXPECT_EQ(read(16, 4), std::vector<unsigned char>(4, 9));
  EXPECT_EQ(cuMemsetD32(number(device + 2), 1, 1), CUDA_ERROR_INVALID_VALUE) << "not aligned";
}

TEST_F(SimCopyForms, AMemsetWaitsOnlyForMemoryOfTheHost) {
  launch_for(kLong);
  std::int64_t begin = now();
  ASSERT_EQ(cudaMemset(device, 1, 64), cudaSuccess);
  EXPECT_LT(now() - begin, 100'000);
  ASSERT_EQ(cudaMemset(pinned, 1, 64), cudaSuccess);
  EXPECT_GT(now() - begin, kLong - 100'000);
  EXPECT_EQ(pinned[63], 1);
  launch_for(kLong);
  begin = now();
  ASSERT_EQ(cudaMemsetAsync(pinned, 2, 64, nullptr), cudaSuccess);
  EXPECT_LT(now() - begin, 100'000);
}

TEST_F(SimCopyForms, BatchesCopyEachPieceAndRefuseTheLegacyStream) {
  void* targets[] = {device, device + 100};
  const void* sources[] = {numbers.data(), numbers.data() + 50};
  std::size_t sizes[] = {10, 20}, first[] = {0};
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  ASSERT_EQ(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &attributes, first, 1, stream), cudaSuccess);
  EXPECT_EQ(read(100, 20), std::vector<unsigned char>(numbers.begin() + 50, numbers.begin() + 70));
  EXPECT_EQ(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &attributes, first, 1, nullptr), cudaErrorInvalidValue);
}

TEST_F(SimCopyForms, VariablesOfDeviceCodeHaveMemory) {
  static char shadow[8];
  __cudaRegisterVar(nullptr, shadow, nullptr, "variable", 0, sizeof shadow, 0, 0);
  std::size_t bytes = 0;
  ASSERT_EQ(cudaGetSymbolSize(&bytes, shadow), cudaSuccess);
  EXPECT_EQ(bytes, 8u);
  ASSERT_EQ(cudaMemcpyToSymbol(shadow, numbers.data(), 4, 4), cudaSuccess);
  void* address = nullptr;
  ASSERT_EQ(cudaGetSymbolAddress(&address, shadow), cudaSuccess);
  std::vector<unsigned char> back(4);
  ASSERT_EQ(cudaMemcpyFromSymbol(back.data(), shadow, 4, 4), cudaSuccess);
  EXPECT_EQ(back, std::vector<unsigned char>(numbers.begin(), numbers.begin() + 4));
  EXPECT_EQ(cudaMemcpyToSymbol(shadow, numbers.data(), 5, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(&bytes, numbers.data(), 4), cudaErrorInvalidSymbol);
}

TEST_F(SimCopyForms, ArraysAreNotSupported) {
  ::testing::internal::CaptureStderr();
  cudaMemcpy3DParms p{};
  p.srcArray = reinterpret_cast<cudaArray_t>(device);
  p.dstPtr = {device, 16, 16, 2};
  p.extent = {1, 1, 1};
  p.kind = cudaMemcpyDeviceToDevice;
  EXPECT_EQ(cudaMemcpy3D(&p), cudaErrorNotSupported);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("cudaMemcpy3D is not supported"), std::string::npos);
}

}  // namespace
}  // namespace zerostall::testing
