// Types of the simulated cuDNN, declared from NVIDIA's public documentation: the headers come only with a download of
// hundreds of MB. Enumerations are passed as int. Descriptors store what was set.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace zerostall::simgpu::dnn {

// cudnnStatus_t
inline constexpr int kSuccess = 0, kNotInitialized = 1001, kBadParam = 2000, kBadParamNull = 2002,
                     kBadParamNotFinalized = 2004, kBadParamSizeInsufficient = 2006, kBadParamShapeMismatch = 2008,
                     kNotSupported = 3000, kInternalError = 4000, kExecutionFailed = 5000;

inline constexpr int kMaxDims = 8;  // CUDNN_DIM_MAX

// cudnnDataType_t
inline constexpr int kFloat = 0, kDouble = 1, kHalf = 2, kBFloat16 = 9;
int type_bits(int data_type);

struct Handle {
  const void* stream = nullptr;
};

struct Tensor {
  int type = 0;
  int count = 0;  // of dimensions
  int dims[kMaxDims] = {};
  int strides[kMaxDims] = {};
};
struct Filter {
  int type = 0, format = 0;
  int count = 0;
  int dims[kMaxDims] = {};
};
struct Convolution {
  int count = 0;  // of spatial dimensions
  int pads[kMaxDims] = {}, strides[kMaxDims] = {}, dilations[kMaxDims] = {};
  int mode = 0, compute_type = 0, groups = 1, math_type = 0, reorder = 0;
};
struct Pooling {
  int mode = 0, nan_option = 0;
  int count = 0;
  int windows[kMaxDims] = {}, pads[kMaxDims] = {}, strides[kMaxDims] = {};
};
struct Activation {
  int mode = 0, nan_option = 0;
  double coefficient = 0;
};
struct Dropout {
  float probability = 0;
  void* states = nullptr;
  std::size_t states_bytes = 0;
  unsigned long long seed = 0;
};

double elements(const Tensor& t);
double elements(const Filter& f);
double bytes(const Tensor& t);
double bytes(const Filter& f);

// Each queues one kernel and returns a cudnnStatus_t. `name` lives as long as the process.
int kernel_by_bytes(const Handle* handle, const char* name, double bytes);
int kernel(const Handle* handle, const char* name, std::int64_t ns, double threads);
// A kernel that reads or writes each of `tensors` once; a null one is an error.
int touch(const Handle* handle, const char* name, std::initializer_list<const Tensor*> tensors);

// Remembers a failure's reason for cudnnGetLastErrorString of this thread. `reason` is a literal. Returns `status`.
int fail(int status, const char* reason);

}  // namespace zerostall::simgpu::dnn
