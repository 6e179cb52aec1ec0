// What most functions of NVML begin with.
#pragma once
#include <cstring>
#include <string>

#include "profiler/simgpu/nvml/devices.h"

#define EXPORTED_BEGIN \
  extern "C" {         \
  _Pragma("GCC visibility push(default)")
#define EXPORTED_END            \
  _Pragma("GCC visibility pop") \
  }

namespace zerostall::simgpu::nvml {

inline Status answer_text(const std::string& text, char* out, unsigned length) {
  if (!initialized()) return kUninitialized;
  if (!out) return kInvalidArgument;
  if (text.size() >= length) return kInsufficientSize;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return kSuccess;
}

// Calls give(index) for a known device and a place to write to.
template <class T, class Give>
Status answer(const Device* device, T* out, Give give) {
  if (!initialized()) return kUninitialized;
  const int index = index_of(device);
  if (index < 0 || !out) return kInvalidArgument;
  give(index);
  return kSuccess;
}

}  // namespace zerostall::simgpu::nvml
