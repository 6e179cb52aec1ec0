// Sizes of pickled objects. PyTorch's object collectives exchange the sizes as int64 and let a kernel find the largest
// or their sum, which the host then reads; kernels compute nothing here. What that kernel would find follows from what
// was exchanged, so such a read-back gets it; it counts as stored, for the sizes themselves may be no more certain.
#pragma once
#include <cstddef>
#include <cstdint>

#include "profiler/simgpu/core/call_site.h"

namespace zerostall::simgpu {

// The calling thread's latest collective of int64 left these values; `count` 0: they are not known.
void note_exchanged_sizes(const std::int64_t* sizes, std::size_t count);

// Fills `target` if the read-back comes from an object collective and the size is known. Else, and if `target` holds no
// stored value, it says once on stderr why objects of unequal length fail here.
bool fill_object_size(void* target, std::size_t bytes, const CallSite& site, bool stored);

}  // namespace zerostall::simgpu
