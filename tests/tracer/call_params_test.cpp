#include "profiler/tracer/call_params.h"

#include <gtest/gtest.h>

#include <cstring>

namespace zerostall::tracer {
namespace {

using format::CallRecord;

template <class T>
T* at(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}
// Where nothing is: whoever looks there dies.
template <class T>
T* nowhere() {
  return at<T>(0x10);
}

template <class Params>
CallRecord read(CUpti_CallbackDomain domain, std::uint32_t id, const Params& params, int result = 0) {
  CUpti_CallbackData data{};
  data.functionParams = &params;
  CallRecord record{};
  record.result = result;
  record.copy_kind = 255;
  read_params(domain, id, data, record);
  return record;
}
#define RUNTIME(name, ...) \
  read(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_##name, name##_params{__VA_ARGS__})
#define DRIVER(name, ...) read(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_##name, name##_params{__VA_ARGS__})
#define RUNTIME_FAILED(name, ...) \
  read(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_##name, name##_params{__VA_ARGS__}, 1)
#define DRIVER_FAILED(name, ...) \
  read(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_##name, name##_params{__VA_ARGS__}, 1)

const cudaStream_t kStream = at<CUstream_st>(0x5000);
const cudaEvent_t kEvent = at<CUevent_st>(0xe000);

TEST(CallParams, StreamsAndEventsInBothDomainsAndAllVariants) {
  EXPECT_EQ(RUNTIME(cudaStreamSynchronize_v3020, kStream).stream, 0x5000u);
  EXPECT_EQ(RUNTIME(cudaStreamSynchronize_ptsz_v7000, kStream).stream, 0x5000u);
  EXPECT_EQ(DRIVER(cuStreamSynchronize_ptsz, kStream).stream, 0x5000u);
  EXPECT_EQ(DRIVER(cuStreamQuery, kStream).stream, 0x5000u);
  EXPECT_EQ(DRIVER(cuStreamWaitValue32_v2, kStream, 0x10, 1, 0).stream, 0x5000u);
  const CallRecord record = RUNTIME(cudaEventRecordWithFlags_ptsz_v11010, kEvent, kStream, 0);
  EXPECT_EQ(record.stream, 0x5000u);
  EXPECT_EQ(record.handle, 0xe000u);
  EXPECT_EQ(DRIVER(cuEventRecord_ptsz, kEvent, kStream).handle, 0xe000u);
  EXPECT_EQ(DRIVER(cuStreamWaitEvent, kStream, kEvent, 0).handle, 0xe000u);
  EXPECT_EQ(RUNTIME(cudaEventQuery_v3020, kEvent).handle, 0xe000u);
  EXPECT_EQ(DRIVER(cuEventSynchronize, kEvent).handle, 0xe000u);
  EXPECT_EQ(DRIVER(cuCtxRecordEvent, nullptr, kEvent).handle, 0xe000u);
}

TEST(CallParams, Launches) {
  EXPECT_EQ(RUNTIME(cudaLaunchCooperativeKernel_v9000, nullptr, {}, {}, nullptr, 0, kStream).stream, 0x5000u);
  cudaLaunchConfig_t config{};
  config.stream = kStream;
  EXPECT_EQ(RUNTIME(cudaLaunchKernelExC_ptsz_v11060, &config, nullptr, nullptr).stream, 0x5000u);
  CUlaunchConfig driver{};
  driver.hStream = kStream;
  EXPECT_EQ(DRIVER(cuLaunchKernelEx, &driver, nullptr, nullptr, nullptr).stream, 0x5000u);
  const CallRecord graph = RUNTIME(cudaGraphLaunch_ptsz_v10000, at<CUgraphExec_st>(0x6000), kStream);
  EXPECT_EQ(graph.stream, 0x5000u);
  EXPECT_EQ(graph.handle, 0x6000u);
  EXPECT_EQ(DRIVER(cuGraphLaunch, at<CUgraphExec_st>(0x6000), kStream).handle, 0x6000u);
}

TEST(CallParams, FlatCopies) {
  const CallRecord copy = RUNTIME(cudaMemcpyAsync_ptsz_v7000, nullptr, nullptr, 512, cudaMemcpyDeviceToHost, kStream);
  EXPECT_EQ(copy.bytes, 512u);
  EXPECT_EQ(copy.copy_kind, cudaMemcpyDeviceToHost);
  EXPECT_EQ(copy.stream, 0x5000u);
  const CallRecord symbol = RUNTIME(cudaMemcpyToSymbol_v3020, nullptr, nullptr, 8, 4, cudaMemcpyHostToDevice);
  EXPECT_EQ(symbol.bytes, 8u);
  EXPECT_EQ(symbol.copy_kind, cudaMemcpyHostToDevice);
  EXPECT_EQ(RUNTIME(cudaMemcpyPeerAsync_v4000, nullptr, 1, nullptr, 0, 64, kStream).bytes, 64u);
  EXPECT_EQ(DRIVER(cuMemcpyDtoHAsync_v2_ptsz, nullptr, 0, 32, kStream).bytes, 32u);
  EXPECT_EQ(DRIVER(cuMemcpyHtoA_v2, nullptr, 0, nullptr, 16).bytes, 16u);
  EXPECT_EQ(DRIVER(cuMemcpyDtoH_v2, nullptr, 0, 16).copy_kind, 255) << "the name says it, not the parameters";
}

TEST(CallParams, CopiesOfPlanesAndBlocks) {
  const CallRecord plane = RUNTIME(cudaMemcpy2DToArray_v3020, nullptr, 0, 0, nullptr, 128, 100, 7, cudaMemcpyDefault);
  EXPECT_EQ(plane.bytes, 700u) << "width times height, not the pitch";
  EXPECT_EQ(plane.copy_kind, cudaMemcpyDefault);
  cudaMemcpy3DParms block{};
  block.extent = {10, 20, 30};
  block.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(RUNTIME(cudaMemcpy3D_ptds_v7000, &block).bytes, 6000u);
  EXPECT_EQ(RUNTIME(cudaMemcpy3DAsync_v3020, &block, kStream).copy_kind, cudaMemcpyHostToDevice);
  block.dstArray = at<cudaArray>(0xa000);
  EXPECT_EQ(RUNTIME(cudaMemcpy3D_v3020, &block).bytes, 0u) << "then the extent is in elements of unknown size";
  cudaMemcpy3DPeerParms peer{};
  peer.extent = {4, 4, 4};
  EXPECT_EQ(RUNTIME(cudaMemcpy3DPeer_v4000, &peer).bytes, 64u);
}

TEST(CallParams, DriverCopiesOfPlanesTellTheDirectionByTheKindsOfMemory) {
  CUDA_MEMCPY2D plane{};
  plane.WidthInBytes = 10;
  plane.Height = 3;
  plane.srcMemoryType = CU_MEMORYTYPE_HOST;
  plane.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_EQ(DRIVER(cuMemcpy2D_v2, &plane).bytes, 30u);
  EXPECT_EQ(DRIVER(cuMemcpy2DUnaligned_v2_ptds, &plane).copy_kind, cudaMemcpyHostToDevice);
  plane.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  EXPECT_EQ(DRIVER(cuMemcpy2DAsync_v2, &plane, kStream).copy_kind, 254);
  CUDA_MEMCPY3D block{};
  block.WidthInBytes = 2;
  block.Height = 3;
  block.Depth = 4;
  block.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  block.dstMemoryType = CU_MEMORYTYPE_HOST;
  EXPECT_EQ(DRIVER(cuMemcpy3DAsync_v2_ptsz, &block, kStream).bytes, 24u);
  EXPECT_EQ(DRIVER(cuMemcpy3D_v2, &block).copy_kind, cudaMemcpyDeviceToHost);
  CUDA_MEMCPY3D_PEER peer{};
  peer.WidthInBytes = peer.Height = peer.Depth = 2;
  EXPECT_EQ(DRIVER(cuMemcpy3DPeerAsync, &peer, kStream).bytes, 8u);
}

TEST(CallParams, Batches) {
  const std::size_t sizes[] = {1, 20, 300};
  EXPECT_EQ(RUNTIME(cudaMemcpyBatchAsync_v13000, nullptr, nullptr, sizes, 3, nullptr, nullptr, 0, kStream).bytes, 321u);
  std::size_t writable[] = {5, 6};
  EXPECT_EQ(DRIVER(cuMemcpyBatchAsync_v2_ptsz, nullptr, nullptr, writable, 2, nullptr, nullptr, 0, kStream).bytes, 11u);
  cudaMemcpy3DBatchOp ops[2]{};
  for (auto& op : ops) {
    op.src.type = op.dst.type = cudaMemcpyOperandTypePointer;
    op.extent = {2, 2, 2};
  }
  EXPECT_EQ(RUNTIME(cudaMemcpy3DBatchAsync_ptsz_v13000, 2, ops, 0, kStream).bytes, 16u);
  ops[1].dst.type = cudaMemcpyOperandTypeArray;
  EXPECT_EQ(RUNTIME(cudaMemcpy3DBatchAsync_v13000, 2, ops, 0, kStream).bytes, 0u);
}

TEST(CallParams, MemsetsCountBytesNotElements) {
  EXPECT_EQ(RUNTIME(cudaMemsetAsync_v3020, nullptr, 0, 9, kStream).bytes, 9u);
  EXPECT_EQ(RUNTIME(cudaMemset2D_v3020, nullptr, 64, 0, 5, 6).bytes, 30u);
  EXPECT_EQ(RUNTIME(cudaMemset3DAsync_ptsz_v7000, {}, 0, {2, 3, 4}, kStream).bytes, 24u);
  EXPECT_EQ(DRIVER(cuMemsetD8_v2, 0, 1, 7).bytes, 7u);
  EXPECT_EQ(DRIVER(cuMemsetD16_v2_ptds, 0, 1, 7).bytes, 14u);
  EXPECT_EQ(DRIVER(cuMemsetD32Async, 0, 1, 7, kStream).bytes, 28u);
  EXPECT_EQ(DRIVER(cuMemsetD2D32_v2, 0, 64, 1, 3, 2).bytes, 24u);
}

TEST(CallParams, Allocations) {
  EXPECT_EQ(RUNTIME(cudaMalloc_v3020, nullptr, 100).bytes, 100u);
  EXPECT_EQ(RUNTIME(cudaMallocPitch_v3020, nullptr, nullptr, 10, 4).bytes, 40u);
  EXPECT_EQ(RUNTIME(cudaHostRegister_v4000, nullptr, 4096, 0).bytes, 4096u);
  EXPECT_EQ(DRIVER(cuMemHostAlloc, nullptr, 12, 0).bytes, 12u);
  EXPECT_EQ(DRIVER(cuMemCreate, nullptr, 1 << 21, nullptr, 0).bytes, 1u << 21);
  const cudaChannelFormatDesc desc{32, 32, 0, 0, cudaChannelFormatKindFloat};
  EXPECT_EQ(RUNTIME(cudaMallocArray_v3020, nullptr, &desc, 10, 0, 0).bytes, 80u);
  EXPECT_EQ(RUNTIME(cudaMalloc3DArray_v3020, nullptr, &desc, {10, 10, 2}, 0).bytes, 1600u);
  const CUDA_ARRAY_DESCRIPTOR array{8, 2, CU_AD_FORMAT_HALF, 4};
  EXPECT_EQ(DRIVER(cuArrayCreate_v2, nullptr, &array).bytes, 128u);
}

// The program may pass anything to a call that fails.
TEST(CallParams, WhatAFailedCallPointsToIsNotLookedAt) {
  EXPECT_EQ(RUNTIME_FAILED(cudaMemcpy3DAsync_v3020, nowhere<cudaMemcpy3DParms>(), kStream).stream, 0x5000u);
  EXPECT_EQ(RUNTIME_FAILED(cudaMemcpy3DPeer_v4000, nowhere<cudaMemcpy3DPeerParms>()).bytes, 0u);
  EXPECT_EQ(DRIVER_FAILED(cuMemcpy2D_v2, nowhere<CUDA_MEMCPY2D>()).bytes, 0u);
  EXPECT_EQ(RUNTIME_FAILED(cudaLaunchKernelExC_v11060, nowhere<cudaLaunchConfig_t>(), nullptr, nullptr).stream, 0u);
  EXPECT_EQ(DRIVER_FAILED(cuLaunchKernelEx, nowhere<CUlaunchConfig>(), nullptr, nullptr, nullptr).stream, 0u);
  EXPECT_EQ(RUNTIME_FAILED(cudaMemcpyBatchAsync_v13000, nullptr, nullptr, nowhere<std::size_t>(), 1u << 30, nullptr,
                           nullptr, 0, kStream)
                .bytes,
            0u);
  EXPECT_EQ(RUNTIME_FAILED(cudaMemcpy3DBatchAsync_v13000, 5, nowhere<cudaMemcpy3DBatchOp>(), 0, kStream).bytes, 0u);
  EXPECT_EQ(RUNTIME_FAILED(cudaMallocArray_v3020, nullptr, nowhere<cudaChannelFormatDesc>(), 4, 4, 0).bytes, 0u);
  EXPECT_EQ(DRIVER_FAILED(cuArray3DCreate_v2, nullptr, nowhere<CUDA_ARRAY3D_DESCRIPTOR>()).bytes, 0u);
}

TEST(CallParams, NullPointersOfSuccessfulCallsAreBearable) {
  EXPECT_EQ(RUNTIME(cudaMemcpy3D_v3020, nullptr).bytes, 0u);
  EXPECT_EQ(DRIVER(cuMemcpy3D_v2, nullptr).bytes, 0u);
  EXPECT_EQ(RUNTIME(cudaMemcpyBatchAsync_v13000, nullptr, nullptr, nullptr, 3, nullptr, nullptr, 0, kStream).bytes, 0u);
  EXPECT_EQ(DRIVER(cuLaunchKernelEx, nullptr, nullptr, nullptr, nullptr).stream, 0u);
}

TEST(CallParams, KindsThatDoNotExistAreAnUnknownDirection) {
  for (const unsigned kind : {5u, 255u, 0xffffffffu}) {
    cudaMemcpy_v3020_params params{};
    std::memcpy(&params.kind, &kind, sizeof kind);
    EXPECT_EQ(read(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020, params, 1).copy_kind, 254);
  }
}

TEST(CallParams, IdsOfNewerLibrariesAndCallsWithoutParametersAreLeftAlone) {
  CUpti_CallbackData data{};
  CallRecord record{};
  for (const auto domain : {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_NVTX}) {
    data.functionParams = nowhere<void>();
    read_params(domain, 5000, data, record);
    EXPECT_FALSE(reads_params(domain, 0xffffffffu));
  }
  data.functionParams = nullptr;
  read_params(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020, data, record);
  EXPECT_EQ(record.bytes, 0u);
}

}  // namespace
}  // namespace zerostall::tracer
