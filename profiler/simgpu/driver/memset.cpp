// Driver API: memset in elements of 1, 2 and 4 bytes, linear and pitched.
#include "driver_behaviours.h"
#include "profiler/simgpu/core/copy.h"
#include "profiler/simgpu/driver/convert.h"

using namespace zerostall::simgpu;

namespace {

CUresult fill(CUdeviceptr target, unsigned value, int width, std::size_t count, const void* stream, bool async) {
  return result(
      set({address(target), static_cast<int>(value), count * static_cast<std::size_t>(width), stream, async, width}));
}

CUresult fill_plane(CUdeviceptr target, std::size_t pitch, unsigned value, int width, std::size_t columns,
                    std::size_t rows, const void* stream, bool async) {
  const std::size_t row_bytes = columns * static_cast<std::size_t>(width);
  if (rows > 1 && row_bytes > pitch) return CUDA_ERROR_INVALID_VALUE;
  return result(set(shaped(SetRequest{address(target), static_cast<int>(value), 0, stream, async, width},
                           {row_bytes, rows, 1, pitch})));
}

}  // namespace

extern "C" {

CUresult sim_cuMemsetD8_v2(CUdeviceptr target, unsigned char value, size_t count) {
  return fill(target, value, 1, count, nullptr, false);
}
CUresult sim_cuMemsetD16_v2(CUdeviceptr target, unsigned short value, size_t count) {
  return fill(target, value, 2, count, nullptr, false);
}
CUresult sim_cuMemsetD32_v2(CUdeviceptr target, unsigned value, size_t count) {
  return fill(target, value, 4, count, nullptr, false);
}
CUresult sim_cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t count, CUstream stream) {
  return fill(target, value, 1, count, stream, true);
}
CUresult sim_cuMemsetD16Async(CUdeviceptr target, unsigned short value, size_t count, CUstream stream) {
  return fill(target, value, 2, count, stream, true);
}
CUresult sim_cuMemsetD32Async(CUdeviceptr target, unsigned value, size_t count, CUstream stream) {
  return fill(target, value, 4, count, stream, true);
}
CUresult sim_cuMemsetD2D8_v2(CUdeviceptr target, size_t pitch, unsigned char value, size_t columns, size_t rows) {
  return fill_plane(target, pitch, value, 1, columns, rows, nullptr, false);
}
CUresult sim_cuMemsetD2D16_v2(CUdeviceptr target, size_t pitch, unsigned short value, size_t columns, size_t rows) {
  return fill_plane(target, pitch, value, 2, columns, rows, nullptr, false);
}
CUresult sim_cuMemsetD2D32_v2(CUdeviceptr target, size_t pitch, unsigned value, size_t columns, size_t rows) {
  return fill_plane(target, pitch, value, 4, columns, rows, nullptr, false);
}
CUresult sim_cuMemsetD2D8Async(CUdeviceptr target, size_t pitch, unsigned char value, size_t columns, size_t rows,
                               CUstream stream) {
  return fill_plane(target, pitch, value, 1, columns, rows, stream, true);
}
CUresult sim_cuMemsetD2D16Async(CUdeviceptr target, size_t pitch, unsigned short value, size_t columns, size_t rows,
                                CUstream stream) {
  return fill_plane(target, pitch, value, 2, columns, rows, stream, true);
}
CUresult sim_cuMemsetD2D32Async(CUdeviceptr target, size_t pitch, unsigned value, size_t columns, size_t rows,
                                CUstream stream) {
  return fill_plane(target, pitch, value, 4, columns, rows, stream, true);
}

}  // extern "C"
