// Driver API: copies of one piece of memory, between devices, in batches. CUDA arrays are not modelled.
#include "profiler/simgpu/core/copy.h"

#include "driver_behaviours.h"
#include "profiler/simgpu/driver/convert.h"

using namespace zerostall::simgpu;

namespace {

CUresult linear(void* target, const void* source, std::size_t bytes, CopyKind kind, const void* stream, bool async,
                const char* api) {
  return result(copy({target, source, bytes, stream, async, api, kind}));
}

}  // namespace

extern "C" {

CUresult sim_cuMemcpyHtoD_v2(CUdeviceptr target, const void* source, size_t bytes) {
  return linear(address(target), source, bytes, CopyKind::upload, nullptr, false, "cuMemcpyHtoD");
}
CUresult sim_cuMemcpyDtoH_v2(void* target, CUdeviceptr source, size_t bytes) {
  return linear(target, address(source), bytes, CopyKind::download, nullptr, false, "cuMemcpyDtoH");
}
CUresult sim_cuMemcpyDtoD_v2(CUdeviceptr target, CUdeviceptr source, size_t bytes) {
  return linear(address(target), address(source), bytes, CopyKind::on_device, nullptr, false, "cuMemcpyDtoD");
}
CUresult sim_cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void* source, size_t bytes, CUstream stream) {
  return linear(address(target), source, bytes, CopyKind::upload, stream, true, "cuMemcpyHtoDAsync");
}
CUresult sim_cuMemcpyDtoHAsync_v2(void* target, CUdeviceptr source, size_t bytes, CUstream stream) {
  return linear(target, address(source), bytes, CopyKind::download, stream, true, "cuMemcpyDtoHAsync");
}
CUresult sim_cuMemcpyDtoDAsync_v2(CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream stream) {
  return linear(address(target), address(source), bytes, CopyKind::on_device, stream, true, "cuMemcpyDtoDAsync");
}
CUresult sim_cuMemcpy(CUdeviceptr target, CUdeviceptr source, size_t bytes) {
  return linear(address(target), address(source), bytes, CopyKind::any, nullptr, false, "cuMemcpy");
}
CUresult sim_cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream stream) {
  return linear(address(target), address(source), bytes, CopyKind::any, stream, true, "cuMemcpyAsync");
}
CUresult sim_cuMemcpyPeer(CUdeviceptr target, CUcontext, CUdeviceptr source, CUcontext, size_t bytes) {
  return linear(address(target), address(source), bytes, CopyKind::on_device, nullptr, false, "cuMemcpyPeer");
}
CUresult sim_cuMemcpyPeerAsync(CUdeviceptr target, CUcontext, CUdeviceptr source, CUcontext, size_t bytes,
                               CUstream stream) {
  return linear(address(target), address(source), bytes, CopyKind::on_device, stream, true, "cuMemcpyPeerAsync");
}

CUresult sim_cuMemcpyBatchAsync_v2(CUdeviceptr* targets, CUdeviceptr* sources, size_t* bytes, size_t count,
                                   CUmemcpyAttributes* attributes, size_t* first_of_attribute, size_t attribute_count,
                                   CUstream stream) {
  if (!targets || !sources || !bytes || !count || !attributes || !first_of_attribute || !attribute_count ||
      attribute_count > count || first_of_attribute[0] != 0 || !stream || stream == CU_STREAM_LEGACY)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i)
    if (const CUresult r = linear(address(targets[i]), address(sources[i]), bytes[i], CopyKind::any, stream, true,
                                  "cuMemcpyBatchAsync"))
      return r;
  return CUDA_SUCCESS;
}
CUresult sim_cuMemcpyBatchAsync(CUdeviceptr* targets, CUdeviceptr* sources, size_t* bytes, size_t count,
                                CUmemcpyAttributes* attributes, size_t* first_of_attribute, size_t attribute_count,
                                size_t* failed, CUstream stream) {
  if (failed) *failed = SIZE_MAX;  // none in particular
  return sim_cuMemcpyBatchAsync_v2(targets, sources, bytes, count, attributes, first_of_attribute, attribute_count,
                                   stream);
}

}  // extern "C"
