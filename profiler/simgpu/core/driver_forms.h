// Which form of a driver function a program of some CUDA version means: a name that got new parameters in a later
// version is exported several times (cuCtxCreate, cuCtxCreate_v2, ...).
#pragma once
#include <cstddef>
#include <string>

namespace zerostall::simgpu {

inline constexpr int kMostForms = 4;

struct DriverForms {
  const char* name;
  int since[kMostForms];  // CUDA versions (12030 = 12.3), ascending, 0 after the last: of the plain name, of _v2, of
                          // _v3 ...
};
extern const DriverForms kDriverForms[];  // sorted by name; generated from the toolkit's headers
extern const std::size_t kDriverFormsCount;

// "cuCtxCreate", 12000 -> "cuCtxCreate_v3". A name that is not in the table is returned as it is: a form asked for by
// its own name, or a function of no API. Empty: the function is newer than the version.
std::string form_of(const char* name, int version);

// Address of that form in the driver that is loaded, or nullptr. per_thread_stream: of the form for programs whose null
// stream is the thread's own (suffix _ptsz or _ptds), for functions that have one.
void* find_driver_function(const char* name, int version, bool per_thread_stream);

}  // namespace zerostall::simgpu
