#include "profiler/simgpu/blaslt/attributes.h"

namespace zerostall::simgpu::blaslt {
namespace {

struct Entry {
  int attribute;
  unsigned char bytes;
};

template <std::size_t N>
constexpr Sizes sizes_of(const Entry (&entries)[N]) {
  Sizes sizes{};
  for (const Entry& e : entries) sizes.bytes[e.attribute] = e.bytes;
  return sizes;
}

bool known(const Sizes& sizes, int attribute) {
  return attribute >= 0 && attribute < kMaxAttributes && sizes.bytes[attribute] != 0;
}

}  // namespace

// Types, operations, modes: 4 bytes; pointers, strides, leading dimensions: 8; FAST_ACCUM (25): 1.
constexpr Sizes kMatmulSizes =
    sizes_of({{0, 4},  {1, 4},  {2, 4},  {3, 4},  {4, 4},  {5, 4},  {6, 4},  {7, 4},  {8, 8},  {10, 8}, {11, 8},
              {12, 8}, {13, 8}, {14, 8}, {15, 4}, {17, 8}, {18, 8}, {19, 8}, {20, 8}, {21, 8}, {22, 4}, {23, 8},
              {24, 8}, {25, 1}, {26, 4}, {31, 4}, {32, 4}, {33, 4}, {34, 4}, {35, 4}, {36, 8}, {37, 4}, {38, 8}});
constexpr Sizes kLayoutSizes = sizes_of({{0, 4}, {1, 4}, {2, 8}, {3, 8}, {4, 8}, {5, 4}, {6, 8}, {7, 8}, {8, 4}});
constexpr Sizes kPreferenceSizes = sizes_of({{0, 4}, {1, 8}, {3, 4}, {5, 4}, {6, 4}, {7, 4}, {8, 4}, {9, 4}, {12, 8}});

int set_attribute(Attributes* attributes, const Sizes& sizes, int attribute, const void* value, std::size_t bytes) {
  if (!attributes || !value || !known(sizes, attribute) || bytes != sizes.bytes[attribute]) return kBlasInvalidValue;
  std::memcpy(&attributes->values[attribute], value, bytes);
  return kBlasSuccess;
}

int get_attribute(const Attributes* attributes, const Sizes& sizes, int attribute, void* value, std::size_t bytes,
                  std::size_t* written) {
  if (!attributes || !known(sizes, attribute)) return kBlasInvalidValue;
  const std::size_t own = sizes.bytes[attribute];
  if (written) *written = own;
  if (bytes == 0 && written) return kBlasSuccess;  // asks for the size only
  if (!value || bytes != own) return kBlasInvalidValue;
  std::memcpy(value, &attributes->values[attribute], own);
  return kBlasSuccess;
}

}  // namespace zerostall::simgpu::blaslt
