// What the simulated NCCL needs of NCCL's public interface (nccl.h): numbers and structs. Declared here because nccl.h
// comes only inside a download of hundreds of MB. Numbers hold for NCCL 2.14 and later.
#pragma once
#include <cstddef>
#include <cstdint>

namespace zerostall::simgpu::nccl {

inline constexpr int kVersion = 22809;  // 2.28.9, what PyTorch 2.11 is built against

enum Result : int {
  kSuccess = 0,
  kUnhandledCudaError = 1,
  kSystemError = 2,
  kInternalError = 3,
  kInvalidArgument = 4,
  kInvalidUsage = 5,
  kRemoteError = 6,
  kInProgress = 7,
};

enum DataType : int {
  kInt8 = 0,
  kUint8 = 1,
  kInt32 = 2,
  kUint32 = 3,
  kInt64 = 4,
  kUint64 = 5,
  kFloat16 = 6,
  kFloat32 = 7,
  kFloat64 = 8,
  kBfloat16 = 9,
  kFloat8e4m3 = 10,
  kFloat8e5m2 = 11,
  kTypes = 12,
};

// Reductions; numbers from kOps on name operators made by ncclRedOpCreatePreMulSum.
enum RedOp : int { kSum = 0, kProd = 1, kMax = 2, kMin = 3, kAvg = 4, kOps = 5 };

inline constexpr int kScalarDevice = 0;  // ncclScalarResidence_t
inline constexpr int kNoColor = -1;      // NCCL_SPLIT_NOCOLOR

struct UniqueId {
  char internal[128];
};

struct Config {  // ncclConfig_t: grew over the years, its beginning never changed
  std::size_t size;
  unsigned magic, version;
  int blocking;
};

struct SimulationInfo {  // ncclSimInfo_t
  std::size_t size;
  unsigned magic, version;
  float estimated_us;
};

std::size_t type_bytes(int type);  // 0: no such type
inline bool is_integer(int type) { return type >= kInt8 && type <= kUint64; }

}  // namespace zerostall::simgpu::nccl
