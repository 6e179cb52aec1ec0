// The calls whose parameters call_params.cpp reads, by CUPTI's names. A test compares this with the table of calls.
#pragma once

// clang-format off
#define ZEROSTALL_RUNTIME_CALLS_WITH_PARAMS(X) \
  X(cudaMalloc_v3020) X(cudaMallocPitch_v3020) X(cudaMallocArray_v3020) X(cudaMallocHost_v3020) \
  X(cudaHostAlloc_v3020) X(cudaMemcpy_v3020) X(cudaMemcpy2D_v3020) X(cudaMemcpyToArray_v3020) \
  X(cudaMemcpy2DToArray_v3020) X(cudaMemcpyFromArray_v3020) X(cudaMemcpy2DFromArray_v3020) \
  X(cudaMemcpyArrayToArray_v3020) X(cudaMemcpy2DArrayToArray_v3020) X(cudaMemcpyToSymbol_v3020) \
  X(cudaMemcpyFromSymbol_v3020) X(cudaMemcpyAsync_v3020) X(cudaMemcpyToArrayAsync_v3020) \
  X(cudaMemcpyFromArrayAsync_v3020) X(cudaMemcpy2DAsync_v3020) X(cudaMemcpy2DToArrayAsync_v3020) \
  X(cudaMemcpy2DFromArrayAsync_v3020) X(cudaMemcpyToSymbolAsync_v3020) X(cudaMemcpyFromSymbolAsync_v3020) \
  X(cudaMemset_v3020) X(cudaMemset2D_v3020) X(cudaMemsetAsync_v3020) X(cudaMemset2DAsync_v3020) \
  X(cudaStreamSynchronize_v3020) X(cudaStreamQuery_v3020) X(cudaEventRecord_v3020) X(cudaEventSynchronize_v3020) \
  X(cudaEventQuery_v3020) X(cudaMalloc3D_v3020) X(cudaMalloc3DArray_v3020) X(cudaMemset3D_v3020) \
  X(cudaMemset3DAsync_v3020) X(cudaMemcpy3D_v3020) X(cudaMemcpy3DAsync_v3020) X(cudaStreamWaitEvent_v3020) \
  X(cudaHostRegister_v4000) X(cudaMemcpyPeer_v4000) X(cudaMemcpyPeerAsync_v4000) X(cudaMemcpy3DPeer_v4000) \
  X(cudaMemcpy3DPeerAsync_v4000) X(cudaMallocManaged_v6000) X(cudaLaunchKernel_v7000) \
  X(cudaLaunchKernel_ptsz_v7000) X(cudaMemcpy_ptds_v7000) X(cudaMemcpy2D_ptds_v7000) \
  X(cudaMemcpyToArray_ptds_v7000) X(cudaMemcpy2DToArray_ptds_v7000) X(cudaMemcpyFromArray_ptds_v7000) \
  X(cudaMemcpy2DFromArray_ptds_v7000) X(cudaMemcpyArrayToArray_ptds_v7000) X(cudaMemcpy2DArrayToArray_ptds_v7000) \
  X(cudaMemcpyToSymbol_ptds_v7000) X(cudaMemcpyFromSymbol_ptds_v7000) X(cudaMemcpyAsync_ptsz_v7000) \
  X(cudaMemcpyToArrayAsync_ptsz_v7000) X(cudaMemcpyFromArrayAsync_ptsz_v7000) X(cudaMemcpy2DAsync_ptsz_v7000) \
  X(cudaMemcpy2DToArrayAsync_ptsz_v7000) X(cudaMemcpy2DFromArrayAsync_ptsz_v7000) \
  X(cudaMemcpyToSymbolAsync_ptsz_v7000) X(cudaMemcpyFromSymbolAsync_ptsz_v7000) X(cudaMemset_ptds_v7000) \
  X(cudaMemset2D_ptds_v7000) X(cudaMemsetAsync_ptsz_v7000) X(cudaMemset2DAsync_ptsz_v7000) \
  X(cudaStreamSynchronize_ptsz_v7000) X(cudaStreamQuery_ptsz_v7000) X(cudaEventRecord_ptsz_v7000) \
  X(cudaMemset3D_ptds_v7000) X(cudaMemset3DAsync_ptsz_v7000) X(cudaMemcpy3D_ptds_v7000) \
  X(cudaMemcpy3DAsync_ptsz_v7000) X(cudaStreamWaitEvent_ptsz_v7000) X(cudaMemcpy3DPeer_ptds_v7000) \
  X(cudaMemcpy3DPeerAsync_ptsz_v7000) X(cudaLaunchCooperativeKernel_v9000) \
  X(cudaLaunchCooperativeKernel_ptsz_v9000) \
  X(cudaWaitExternalSemaphoresAsync_v10000) X(cudaWaitExternalSemaphoresAsync_ptsz_v10000) \
  X(cudaStreamBeginCapture_v10000) X(cudaStreamBeginCapture_ptsz_v10000) \
  X(cudaStreamEndCapture_v10000) X(cudaStreamEndCapture_ptsz_v10000) X(cudaStreamBeginCaptureToGraph_v12030) \
  X(cudaStreamBeginCaptureToGraph_ptsz_v12030) X(cudaGraphLaunch_v10000) X(cudaGraphLaunch_ptsz_v10000) X(cudaEventRecordWithFlags_v11010) \
  X(cudaEventRecordWithFlags_ptsz_v11010) X(cudaWaitExternalSemaphoresAsync_v11020) \
  X(cudaWaitExternalSemaphoresAsync_ptsz_v11020) X(cudaLaunchKernelExC_v11060) X(cudaLaunchKernelExC_ptsz_v11060) \
  X(cudaMemcpyBatchAsync_v12080) X(cudaMemcpyBatchAsync_ptsz_v12080) X(cudaMemcpy3DBatchAsync_v12080) \
  X(cudaMemcpy3DBatchAsync_ptsz_v12080) X(cudaMemcpyBatchAsync_v13000) X(cudaMemcpyBatchAsync_ptsz_v13000) \
  X(cudaMemcpy3DBatchAsync_v13000) X(cudaMemcpy3DBatchAsync_ptsz_v13000)

#define ZEROSTALL_DRIVER_CALLS_WITH_PARAMS(X) \
  X(cuMemAlloc) X(cuMemAllocPitch) X(cuMemAllocHost) X(cuMemHostAlloc) X(cuMemcpyHtoD) X(cuMemcpyDtoH) \
  X(cuMemcpyDtoD) X(cuMemcpyDtoA) X(cuMemcpyAtoD) X(cuMemcpyHtoA) X(cuMemcpyAtoH) X(cuMemcpyAtoA) X(cuMemcpy2D) \
  X(cuMemcpy2DUnaligned) X(cuMemcpy3D) X(cuMemcpyHtoDAsync) X(cuMemcpyDtoHAsync) X(cuMemcpyDtoDAsync) \
  X(cuMemcpyHtoAAsync) X(cuMemcpyAtoHAsync) X(cuMemcpy2DAsync) X(cuMemcpy3DAsync) X(cuMemsetD8) X(cuMemsetD16) \
  X(cuMemsetD32) X(cuMemsetD2D8) X(cuMemsetD2D16) X(cuMemsetD2D32) X(cuArrayCreate) X(cuArray3DCreate) \
  X(cuLaunchGridAsync) X(cuEventRecord) X(cuEventQuery) X(cuEventSynchronize) X(cuStreamQuery) \
  X(cuStreamSynchronize) X(cuMemsetD8Async) X(cuMemsetD16Async) X(cuMemsetD32Async) X(cuMemsetD2D8Async) \
  X(cuMemsetD2D16Async) X(cuMemsetD2D32Async) X(cuMemAlloc_v2) X(cuMemAllocPitch_v2) X(cuMemsetD8_v2) \
  X(cuMemsetD16_v2) X(cuMemsetD32_v2) X(cuMemsetD2D8_v2) X(cuMemsetD2D16_v2) X(cuMemsetD2D32_v2) \
  X(cuArrayCreate_v2) X(cuArray3DCreate_v2) X(cuMemcpyHtoD_v2) X(cuMemcpyHtoDAsync_v2) X(cuMemcpyDtoH_v2) \
  X(cuMemcpyDtoHAsync_v2) X(cuMemcpyDtoD_v2) X(cuMemcpyDtoDAsync_v2) X(cuMemcpyAtoH_v2) X(cuMemcpyAtoHAsync_v2) \
  X(cuMemcpyAtoD_v2) X(cuMemcpyDtoA_v2) X(cuMemcpyAtoA_v2) X(cuMemcpy2D_v2) X(cuMemcpy2DUnaligned_v2) \
  X(cuMemcpy2DAsync_v2) X(cuMemcpy3D_v2) X(cuMemcpy3DAsync_v2) X(cuMemcpyHtoA_v2) X(cuMemcpyHtoAAsync_v2) \
  X(cuMemAllocHost_v2) X(cuStreamWaitEvent) X(cuMemHostRegister) X(cuMemcpy) X(cuMemcpyAsync) X(cuLaunchKernel) \
  X(cuMemcpyPeer) X(cuMemcpyPeerAsync) X(cuMemcpy3DPeer) X(cuMemcpy3DPeerAsync) X(cuMemAllocManaged) \
  X(cuMemHostRegister_v2) X(cuMemcpyHtoD_v2_ptds) X(cuMemcpyDtoH_v2_ptds) X(cuMemcpyDtoD_v2_ptds) \
  X(cuMemcpyDtoA_v2_ptds) X(cuMemcpyAtoD_v2_ptds) X(cuMemcpyHtoA_v2_ptds) X(cuMemcpyAtoH_v2_ptds) \
  X(cuMemcpyAtoA_v2_ptds) X(cuMemcpy2D_v2_ptds) X(cuMemcpy2DUnaligned_v2_ptds) X(cuMemcpy3D_v2_ptds) \
  X(cuMemcpy_ptds) X(cuMemcpyPeer_ptds) X(cuMemcpy3DPeer_ptds) X(cuMemsetD8_v2_ptds) X(cuMemsetD16_v2_ptds) \
  X(cuMemsetD32_v2_ptds) X(cuMemsetD2D8_v2_ptds) X(cuMemsetD2D16_v2_ptds) X(cuMemsetD2D32_v2_ptds) \
  X(cuMemcpyAsync_ptsz) X(cuMemcpyHtoAAsync_v2_ptsz) X(cuMemcpyAtoHAsync_v2_ptsz) X(cuMemcpyHtoDAsync_v2_ptsz) \
  X(cuMemcpyDtoHAsync_v2_ptsz) X(cuMemcpyDtoDAsync_v2_ptsz) X(cuMemcpy2DAsync_v2_ptsz) X(cuMemcpy3DAsync_v2_ptsz) \
  X(cuMemcpyPeerAsync_ptsz) X(cuMemcpy3DPeerAsync_ptsz) X(cuMemsetD8Async_ptsz) X(cuMemsetD16Async_ptsz) \
  X(cuMemsetD32Async_ptsz) X(cuMemsetD2D8Async_ptsz) X(cuMemsetD2D16Async_ptsz) X(cuMemsetD2D32Async_ptsz) \
  X(cuStreamWaitEvent_ptsz) X(cuStreamQuery_ptsz) X(cuStreamSynchronize_ptsz) X(cuEventRecord_ptsz) \
  X(cuLaunchKernel_ptsz) X(cuStreamWaitValue32) X(cuStreamWaitValue32_ptsz) X(cuStreamBatchMemOp) \
  X(cuStreamBatchMemOp_ptsz) X(cuStreamWaitValue64) X(cuStreamWaitValue64_ptsz) X(cuLaunchCooperativeKernel) \
  X(cuLaunchCooperativeKernel_ptsz) X(cuWaitExternalSemaphoresAsync) \
  X(cuWaitExternalSemaphoresAsync_ptsz) X(cuStreamBeginCapture_v2) X(cuStreamBeginCapture_v2_ptsz) X(cuStreamEndCapture) \
  X(cuStreamEndCapture_ptsz) X(cuStreamBeginCapture) X(cuStreamBeginCapture_ptsz) X(cuStreamBeginCaptureToGraph) \
  X(cuStreamBeginCaptureToGraph_ptsz) X(cuGraphLaunch) X(cuGraphLaunch_ptsz) X(cuMemCreate) \
  X(cuEventRecordWithFlags) X(cuEventRecordWithFlags_ptsz) X(cuLaunchKernelEx) X(cuLaunchKernelEx_ptsz) \
  X(cuStreamWaitValue32_v2) X(cuStreamWaitValue32_v2_ptsz) X(cuStreamWaitValue64_v2) X(cuStreamWaitValue64_v2_ptsz) \
  X(cuStreamBatchMemOp_v2) X(cuStreamBatchMemOp_v2_ptsz) X(cuGreenCtxRecordEvent) X(cuGreenCtxWaitEvent) \
  X(cuCtxRecordEvent) X(cuCtxWaitEvent) X(cuMemBatchDecompressAsync) X(cuMemBatchDecompressAsync_ptsz) \
  X(cuMemcpyBatchAsync) X(cuMemcpyBatchAsync_ptsz) X(cuMemcpy3DBatchAsync) X(cuMemcpy3DBatchAsync_ptsz) \
  X(cuMemcpyBatchAsync_v2) X(cuMemcpyBatchAsync_v2_ptsz) X(cuMemcpy3DBatchAsync_v2) X(cuMemcpy3DBatchAsync_v2_ptsz)

// clang-format on
