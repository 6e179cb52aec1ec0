// Sizes of activity records. Layouts only ever grew at the end, so an older one is the beginning of the newer one: the
// records are made in the newest layout and cut to what the client's CUDA version knows.
#pragma once
#include <cupti.h>

#include <cstddef>

namespace zerostall::simgpu::cupti {

// Bytes of a record of `kind` for programs built against this CUDA major version; 0: no records of that kind.
std::size_t record_bytes(CUpti_ActivityKind kind, int cuda_major);

}  // namespace zerostall::simgpu::cupti
