// Driver API: copies of two and three dimensions. A copy that names a CUDA array is not supported.
#include "driver_behaviours.h"
#include "profiler/simgpu/core/copy.h"
#include "profiler/simgpu/core/journal.h"
#include "profiler/simgpu/driver/convert.h"

using namespace zerostall::simgpu;

namespace {

// One side of a copy. Without a pitch the rows are packed.
struct Side {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  std::size_t x, y, z, pitch, height;
};

char* begin_of(const Side& s) {
  char* base = s.type == CU_MEMORYTYPE_HOST ? static_cast<char*>(const_cast<void*>(s.host))
                                            : static_cast<char*>(address(s.device));
  return base ? base + (s.z * s.height + s.y) * s.pitch + s.x : nullptr;
}

// The kind that a side's type allows; unified: whatever the address says.
CopyKind kind_of(CUmemorytype source, CUmemorytype target) {
  if (source == CU_MEMORYTYPE_UNIFIED || target == CU_MEMORYTYPE_UNIFIED) return CopyKind::any;
  if (source == CU_MEMORYTYPE_HOST) return target == CU_MEMORYTYPE_HOST ? CopyKind::host_to_host : CopyKind::upload;
  return target == CU_MEMORYTYPE_HOST ? CopyKind::download : CopyKind::on_device;
}

CUresult box(Side target, Side source, std::size_t width, std::size_t rows, std::size_t slices, const void* stream,
             bool async, const char* api) {
  for (Side* side : {&target, &source}) {
    if (side->type == CU_MEMORYTYPE_ARRAY) {
      report_unsupported(api);
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (side->pitch == 0) side->pitch = width + side->x;
    if (side->height == 0) side->height = rows + side->y;
    if (width + side->x > side->pitch) return CUDA_ERROR_INVALID_VALUE;
  }
  const Shape shape{
      width, rows, slices, target.pitch, target.pitch * target.height, source.pitch, source.pitch * source.height};
  if (!fits_pitch(shape)) return CUDA_ERROR_INVALID_VALUE;
  return result(copy(
      shaped({begin_of(target), begin_of(source), 0, stream, async, api, kind_of(source.type, target.type)}, shape)));
}

CUresult plane(const CUDA_MEMCPY2D* c, const void* stream, bool async, const char* api) {
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  return box({c->dstMemoryType, c->dstHost, c->dstDevice, c->dstXInBytes, c->dstY, 0, c->dstPitch, c->Height},
             {c->srcMemoryType, c->srcHost, c->srcDevice, c->srcXInBytes, c->srcY, 0, c->srcPitch, c->Height},
             c->WidthInBytes, c->Height, 1, stream, async, api);
}

// CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER name their fields alike.
template <class Copy>
CUresult volume(const Copy* c, const void* stream, bool async, const char* api) {
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  return box({c->dstMemoryType, c->dstHost, c->dstDevice, c->dstXInBytes, c->dstY, c->dstZ, c->dstPitch, c->dstHeight},
             {c->srcMemoryType, c->srcHost, c->srcDevice, c->srcXInBytes, c->srcY, c->srcZ, c->srcPitch, c->srcHeight},
             c->WidthInBytes, c->Height, c->Depth, stream, async, api);
}

}  // namespace

extern "C" {

CUresult sim_cuMemcpy2D_v2(const CUDA_MEMCPY2D* c) { return plane(c, nullptr, false, "cuMemcpy2D"); }
CUresult sim_cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* c) { return plane(c, nullptr, false, "cuMemcpy2DUnaligned"); }
CUresult sim_cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* c, CUstream stream) {
  return plane(c, stream, true, "cuMemcpy2DAsync");
}
CUresult sim_cuMemcpy3D_v2(const CUDA_MEMCPY3D* c) { return volume(c, nullptr, false, "cuMemcpy3D"); }
CUresult sim_cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* c, CUstream stream) {
  return volume(c, stream, true, "cuMemcpy3DAsync");
}
CUresult sim_cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* c) { return volume(c, nullptr, false, "cuMemcpy3DPeer"); }
CUresult sim_cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* c, CUstream stream) {
  return volume(c, stream, true, "cuMemcpy3DPeerAsync");
}

}  // extern "C"
