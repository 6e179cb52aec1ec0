// Functions that a program imports from NVIDIA's libraries and the simulated ones do not have: a torch that is newer
// than the manifest. The dynamic linker would end the process at the first call of one. Here they are named once on
// stderr, and a call answers the library's "not supported" instead.
#pragma once

namespace zerostall::simgpu {

// Looks at the libraries loaded since the last call; costs next to nothing when there are none. Thread-safe. To be
// called when CUDA code was loaded and may be about to run.
void check_imports();

}  // namespace zerostall::simgpu
