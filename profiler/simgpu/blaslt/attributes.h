// cuBLASLt's descriptors: attributes by number, each of a fixed size, stored and returned as set. Numbers and sizes as
// in NVIDIA's public documentation of cuBLASLt.
#pragma once
#include <cstdint>
#include <cstring>

#include "profiler/simgpu/core/product.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace zerostall::simgpu::blaslt {

inline constexpr int kMaxAttributes = 48;
inline constexpr std::size_t kMaxBytes = 8;

// Size of each attribute of a kind of descriptor in bytes; 0: there is none of that number.
struct Sizes {
  unsigned char bytes[kMaxAttributes];
};

struct Attributes {
  std::uint64_t values[kMaxAttributes] = {};

  template <class T>
  T get(int attribute) const {
    T value;
    std::memcpy(&value, &values[attribute], sizeof value);
    return value;
  }
  template <class T>
  void put(int attribute, T value) {
    static_assert(sizeof(T) <= kMaxBytes);
    std::memcpy(&values[attribute], &value, sizeof value);
  }
};

// Both return a cublasStatus_t: "invalid value" for an unknown attribute or a size that is not its own.
int set_attribute(Attributes* attributes, const Sizes& sizes, int attribute, const void* value, std::size_t bytes);
int get_attribute(const Attributes* attributes, const Sizes& sizes, int attribute, void* value, std::size_t bytes,
                  std::size_t* written);

// cublasLtMatmulDescAttributes_t
namespace matmul {
inline constexpr int kComputeType = 0, kScaleType = 1, kTransposeA = 3, kTransposeB = 4, kFillMode = 6, kEpilogue = 7,
                     kAuxType = 22, kBiasType = 26;
}
// cublasLtMatrixLayoutAttribute_t
namespace layout {
inline constexpr int kType = 0, kOrder = 1, kRows = 2, kColumns = 3, kLeading = 4, kBatchCount = 5;
}
// cublasLtMatmulPreferenceAttributes_t
namespace preference {
inline constexpr int kMaxWorkspaceBytes = 1, kReductionMask = 3, kAlignmentA = 5, kImplementationMask = 12;
}

extern const Sizes kMatmulSizes, kLayoutSizes, kPreferenceSizes;

struct Matmul : Attributes {};
struct Layout : Attributes {};
struct Preference : Attributes {};

}  // namespace zerostall::simgpu::blaslt
