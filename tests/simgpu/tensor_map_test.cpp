// Tensor maps are made from valid arguments only, and equal arguments make equal maps.
#include <cuda.h>
#include <gtest/gtest.h>

#include <cstring>

namespace zerostall::testing {
namespace {

CUresult encode(CUtensorMap* map, cuuint32_t rank, cuuint64_t stride, cuuint32_t box) {
  const cuuint64_t dims[] = {128, 64, 1, 1, 1, 1}, strides[] = {stride, stride, stride, stride, stride};
  const cuuint32_t boxes[] = {box, 32, 1, 1, 1, 1}, element_strides[] = {1, 1, 1, 1, 1, 1};
  return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, rank, reinterpret_cast<void*>(0x1000), dims,
                                strides, boxes, element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

TEST(SimTensorMap, MapsSayWhatTheyWereMadeOf) {
  CUtensorMap a, b, c;
  std::memset(&a, 1, sizeof a);
  std::memset(&b, 2, sizeof b);
  ASSERT_EQ(encode(&a, 2, 256, 64), CUDA_SUCCESS);
  ASSERT_EQ(encode(&b, 2, 256, 64), CUDA_SUCCESS);
  ASSERT_EQ(encode(&c, 2, 512, 64), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0);
  EXPECT_NE(std::memcmp(&a, &c, sizeof a), 0);
  ASSERT_EQ(cuTensorMapReplaceAddress(&b, reinterpret_cast<void*>(0x2000)), CUDA_SUCCESS);
  EXPECT_NE(std::memcmp(&a, &b, sizeof a), 0);
}
TEST(SimTensorMap, WrongArgumentsAreRefused) {
  CUtensorMap map;
  EXPECT_EQ(encode(nullptr, 2, 256, 64), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(encode(&map, 0, 256, 64), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(encode(&map, 6, 256, 64), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(encode(&map, 2, 250, 64), CUDA_ERROR_INVALID_VALUE) << "strides are multiples of 16";
  EXPECT_EQ(encode(&map, 2, 256, 300), CUDA_ERROR_INVALID_VALUE) << "boxes have at most 256 elements a side";
}

}  // namespace
}  // namespace zerostall::testing
