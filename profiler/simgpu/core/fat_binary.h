// Which GPUs the device code inside a program was compiled for. nvcc embeds a container ("fat binary") of one image per
// architecture it was asked for; only the headers of the images are read here. Libraries such as CUB choose their code
// by the architecture whose image was taken, so it must be one that is there.
#pragma once
#include <atomic>

namespace zerostall::simgpu {

// Numbers as 86 for compute capability 8.6.
struct CompiledFor {
  int ptx;     // what the taken image was compiled for; 0: no image runs on the device
  int binary;  // what its machine code is for: more than `ptx` only where PTX is compiled when loaded
};

struct FatBinary {
  const void* wrapper = nullptr;    // as nvcc's host code registers it (fatbinary_section.h of the toolkit)
  std::atomic<int> packed{-1};      // CompiledFor of the simulated device, once looked up
  std::atomic<bool> loaded{false};  // one of its kernels was launched before
};

// The image that a device of capability `device` takes. A container that cannot be read counts as one compiled for it.
CompiledFor find_image(const void* wrapper, int device);

// The same for the simulated device. Thread-safe.
CompiledFor compiled_for(FatBinary& binary);

}  // namespace zerostall::simgpu
