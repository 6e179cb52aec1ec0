// Functions of the runtime that CUDA 12 has with other parameters than CUDA 13, or that only CUDA 12 has. Each is
// written as `compat12_<name>`; libcudart.so.12 exports it as <name> and passes every other call on
// (generate/gen_standins.py).
#pragma once
#include <cuda_runtime_api.h>

// Declares next_<name>: the function of CUDA 13, which lies in the other library under the same name.
#define NEXT(name)                       \
  extern "C" decltype(name) next_##name; \
  __asm__(".symver next_" #name "," #name "@libcudart.so.13")
// The same of a function that differs from <name> only in the default stream it means.
#define NEXT_PTSZ(name)                         \
  extern "C" decltype(name) next_##name##_ptsz; \
  __asm__(".symver next_" #name "_ptsz," #name "_ptsz@libcudart.so.13")
