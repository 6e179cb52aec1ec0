// Tensor maps: what kernels of compute capability 9.0 and later load tiles by. The 128 bytes mean nothing to anybody
// but the device; here they hold the arguments, so that equal ones give equal maps. Limits: driver API, "Tensor Map
// Object Management".
#include <cstring>

#include "driver_behaviours.h"
#include "profiler/simgpu/driver/support.h"

namespace {

constexpr unsigned kMostDimensions = 5;
constexpr cuuint64_t kMostElements = cuuint64_t{1} << 32, kMostStride = cuuint64_t{1} << 40;
constexpr cuuint32_t kMostBox = 256, kMostElementStride = 8;

struct Map {
  void* address;
  unsigned char type, rank, interleave, swizzle, promotion, fill;
  cuuint64_t dims[kMostDimensions], strides[kMostDimensions - 1];
  unsigned short box[kMostDimensions];
  unsigned char element_strides[kMostDimensions];
};
static_assert(sizeof(Map) <= sizeof(CUtensorMap));

bool valid(const void* address, unsigned rank, const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* box,
           const cuuint32_t* element_strides) {
  if (rank < 1 || rank > kMostDimensions || !dims || !box || !element_strides || (rank > 1 && !strides)) return false;
  if (reinterpret_cast<std::uintptr_t>(address) % 16 != 0) return false;
  for (unsigned i = 0; i < rank; ++i) {
    if (dims[i] == 0 || dims[i] > kMostElements || box[i] == 0 || box[i] > kMostBox) return false;
    if (element_strides[i] == 0 || element_strides[i] > kMostElementStride) return false;
    if (i + 1 < rank && (strides[i] % 16 != 0 || strides[i] >= kMostStride)) return false;
  }
  return true;
}

}  // namespace

extern "C" {

CUresult sim_cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                    const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* box,
                                    const cuuint32_t* element_strides, CUtensorMapInterleave interleave,
                                    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                    CUtensorMapFloatOOBfill fill) {
  if (!map || !valid(address, rank, dims, strides, box, element_strides)) return CUDA_ERROR_INVALID_VALUE;
  Map made{};
  made.address = address;
  made.type = static_cast<unsigned char>(type);
  made.rank = static_cast<unsigned char>(rank);
  made.interleave = static_cast<unsigned char>(interleave);
  made.swizzle = static_cast<unsigned char>(swizzle);
  made.promotion = static_cast<unsigned char>(promotion);
  made.fill = static_cast<unsigned char>(fill);
  for (unsigned i = 0; i < rank; ++i) {
    made.dims[i] = dims[i];
    if (i + 1 < rank) made.strides[i] = strides[i];
    made.box[i] = static_cast<unsigned short>(box[i]);
    made.element_strides[i] = static_cast<unsigned char>(element_strides[i]);
  }
  std::memset(map, 0, sizeof *map);
  std::memcpy(static_cast<void*>(map), &made, sizeof made);
  return CUDA_SUCCESS;
}
CUresult sim_cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  if (!map || reinterpret_cast<std::uintptr_t>(address) % 16 != 0) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(static_cast<void*>(map), &address, sizeof address);  // Map::address
  return CUDA_SUCCESS;
}

}  // extern "C"
