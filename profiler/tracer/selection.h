// Which API functions are recorded. Only these get a callback: a training step makes thousands of cheap calls (cudaGetDevice)
// that must not pay for tracing.
#pragma once
#include <string_view>

namespace zerostall::tracer {

// `name` as CUPTI gives it: version suffix and per-thread-stream suffix are ignored.
bool is_recorded(std::string_view name);

// "cudaMemcpyAsync_ptsz_v7000" -> "cudaMemcpyAsync"; keeps API suffixes such as _v2 of the driver.
std::string_view base_name(std::string_view name);

}  // namespace zerostall::tracer
