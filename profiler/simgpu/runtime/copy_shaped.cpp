// cudaMemcpy and cudaMemset of two and three dimensions. CUDA arrays are not modelled: a copy that names one is not
// supported.
#include "profiler/simgpu/core/copy.h"
#include "profiler/simgpu/core/journal.h"
#include "profiler/simgpu/core/simulator.h"
#include "profiler/simgpu/runtime/copy_kind.h"
#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

namespace {

cudaError_t status(CopyStatus s) { return static_cast<cudaError_t>(s); }

cudaError_t plane(void* target, std::size_t target_pitch, const void* source, std::size_t source_pitch,
                  std::size_t width, std::size_t rows, cudaMemcpyKind kind, const void* stream, bool async,
                  const char* api) {
  if (!known_kind(kind)) return cudaErrorInvalidMemcpyDirection;
  if (width > target_pitch || width > source_pitch) return cudaErrorInvalidPitchValue;
  const Shape shape{width, rows, 1, target_pitch, 0, source_pitch, 0};
  return status(copy(shaped({target, source, 0, stream, async, api, copy_kind(kind)}, shape)));
}

char* at(const cudaPitchedPtr& p, const cudaPos& position) {
  return static_cast<char*>(p.ptr) + (position.z * p.ysize + position.y) * p.pitch + position.x;
}

// `api` names the function should it meet what is not modelled.
cudaError_t box(const cudaPitchedPtr& target, const cudaPos& target_at, const cudaPitchedPtr& source,
                const cudaPos& source_at, const cudaExtent& extent, CopyKind kind, const void* stream, bool async,
                const char* api) {
  const Shape shape{extent.width,
                    extent.height,
                    extent.depth,
                    target.pitch,
                    target.pitch * target.ysize,
                    source.pitch,
                    source.pitch * source.ysize};
  if (!fits_pitch(shape)) return cudaErrorInvalidPitchValue;
  return status(copy(shaped({at(target, target_at), at(source, source_at), 0, stream, async, api, kind}, shape)));
}

cudaError_t no_arrays(const char* api) {
  report_unsupported(api);
  return cudaErrorNotSupported;
}

cudaError_t box(const cudaMemcpy3DParms* p, const void* stream, bool async, const char* api) {
  if (!p) return cudaErrorInvalidValue;
  if (!known_kind(p->kind)) return cudaErrorInvalidMemcpyDirection;
  if ((p->srcArray && p->srcPtr.ptr) || (p->dstArray && p->dstPtr.ptr)) return cudaErrorInvalidValue;
  if (p->srcArray || p->dstArray) return no_arrays(api);
  return box(p->dstPtr, p->dstPos, p->srcPtr, p->srcPos, p->extent, copy_kind(p->kind), stream, async, api);
}

cudaError_t box(const cudaMemcpy3DPeerParms* p, const void* stream, bool async, const char* api) {
  if (!p) return cudaErrorInvalidValue;
  const auto known = [](int device) { return device >= 0 && device < device_count(); };
  if (!known(p->srcDevice) || !known(p->dstDevice)) return cudaErrorInvalidDevice;
  if (p->srcArray || p->dstArray) return no_arrays(api);
  return box(p->dstPtr, p->dstPos, p->srcPtr, p->srcPos, p->extent, CopyKind::on_device, stream, async, api);
}

// A row length or height of 0 in a batch: tightly packed.
cudaPitchedPtr pitched(const cudaMemcpy3DOperand& operand, const cudaExtent& extent) {
  const auto& p = operand.op.ptr;
  const std::size_t row = p.rowLength ? p.rowLength : extent.width,
                    rows = p.layerHeight ? p.layerHeight : extent.height;
  return {p.ptr, row, row, rows};
}

cudaError_t fill(void* target, std::size_t pitch, int value, std::size_t width, std::size_t rows, const void* stream,
                 bool async) {
  if (width > pitch && rows > 1) return cudaErrorInvalidValue;
  return status(set(shaped(SetRequest{target, value, 0, stream, async}, {width, rows, 1, pitch})));
}

cudaError_t fill(const cudaPitchedPtr& p, int value, const cudaExtent& extent, const void* stream, bool async) {
  const Shape shape{extent.width, extent.height, extent.depth, p.pitch, p.pitch * p.ysize, p.pitch, p.pitch * p.ysize};
  if (!fits_pitch(shape)) return cudaErrorInvalidValue;
  return status(set(shaped(SetRequest{p.ptr, value, 0, stream, async}, shape)));
}

}  // namespace

extern "C" {

cudaError_t sim_cudaMemcpy2D(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                             size_t rows, cudaMemcpyKind kind) {
  return plane(target, target_pitch, source, source_pitch, width, rows, kind, nullptr, false, "cudaMemcpy2D");
}
cudaError_t sim_cudaMemcpy2DAsync(void* target, size_t target_pitch, const void* source, size_t source_pitch,
                                  size_t width, size_t rows, cudaMemcpyKind kind, cudaStream_t stream) {
  return plane(target, target_pitch, source, source_pitch, width, rows, kind, stream, true, "cudaMemcpy2DAsync");
}
cudaError_t sim_cudaMemcpy3D(const cudaMemcpy3DParms* p) { return box(p, nullptr, false, "cudaMemcpy3D"); }
cudaError_t sim_cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return box(p, stream, true, "cudaMemcpy3DAsync");
}
cudaError_t sim_cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) { return box(p, nullptr, false, "cudaMemcpy3DPeer"); }
cudaError_t sim_cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  return box(p, stream, true, "cudaMemcpy3DPeerAsync");
}
cudaError_t sim_cudaMemcpy3DBatchAsync(size_t count, cudaMemcpy3DBatchOp* operations, unsigned long long flags,
                                       cudaStream_t stream) {
  if (!count || !operations || flags || !stream || stream == cudaStreamLegacy) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; ++i) {
    const cudaMemcpy3DBatchOp& o = operations[i];
    if (o.src.type == cudaMemcpyOperandTypeArray || o.dst.type == cudaMemcpyOperandTypeArray)
      return no_arrays("cudaMemcpy3DBatchAsync");
    if (o.src.type != cudaMemcpyOperandTypePointer || o.dst.type != cudaMemcpyOperandTypePointer)
      return cudaErrorInvalidValue;
    if (const cudaError_t error = box(pitched(o.dst, o.extent), {}, pitched(o.src, o.extent), {}, o.extent,
                                      CopyKind::any, stream, true, "cudaMemcpy3DBatchAsync"))
      return error;
  }
  return cudaSuccess;
}

cudaError_t sim_cudaMemset2D(void* target, size_t pitch, int value, size_t width, size_t rows) {
  return fill(target, pitch, value, width, rows, nullptr, false);
}
cudaError_t sim_cudaMemset2DAsync(void* target, size_t pitch, int value, size_t width, size_t rows,
                                  cudaStream_t stream) {
  return fill(target, pitch, value, width, rows, stream, true);
}
cudaError_t sim_cudaMemset3D(cudaPitchedPtr target, int value, cudaExtent extent) {
  return fill(target, value, extent, nullptr, false);
}
cudaError_t sim_cudaMemset3DAsync(cudaPitchedPtr target, int value, cudaExtent extent, cudaStream_t stream) {
  return fill(target, value, extent, stream, true);
}

}  // extern "C"
