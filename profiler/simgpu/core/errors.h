// Names and texts of errors. The runtime and the driver number them alike; only the names differ.
#pragma once
#include <cstddef>
#include <string_view>

namespace zerostall::simgpu {

struct ErrorName {
  int number;
  const char* name;
};
// Generated from the toolkit's headers (generate/gen_errors.py).
extern const ErrorName kRuntimeErrors[], kDriverErrors[];
extern const std::size_t kRuntimeErrorsCount, kDriverErrorsCount;

const char* runtime_error_name(int number);  // "cudaErrorInvalidValue"; null: unknown
const char* driver_error_name(int number);   // "CUDA_ERROR_INVALID_VALUE"; null: unknown
const char* error_text(int number);          // "invalid argument"; null: unknown
int error_number(std::string_view name);     // of either API; -1: unknown

// After such an error nothing works any more in the process.
bool is_sticky(int error);

}  // namespace zerostall::simgpu
