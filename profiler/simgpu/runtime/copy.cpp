// cudaMemcpy and cudaMemset in the forms that PyTorch's eager mode uses.
#include "profiler/simgpu/core/copy.h"

#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

namespace {

cudaError_t status(CopyStatus s) { return static_cast<cudaError_t>(s); }

}  // namespace

extern "C" {

cudaError_t sim_cudaMemcpy(void* target, const void* source, size_t bytes, cudaMemcpyKind) {
  return status(copy({target, source, bytes, nullptr, false, "cudaMemcpy"}));
}
cudaError_t sim_cudaMemcpyAsync(void* target, const void* source, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  return status(copy({target, source, bytes, stream, true, "cudaMemcpyAsync"}));
}
cudaError_t sim_cudaMemset(void* target, int value, size_t bytes) {
  return status(set({target, value, bytes, nullptr, false}));
}
cudaError_t sim_cudaMemsetAsync(void* target, int value, size_t bytes, cudaStream_t stream) {
  return status(set({target, value, bytes, stream, true}));
}

}  // extern "C"
