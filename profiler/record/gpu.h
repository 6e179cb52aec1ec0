// Is there a GPU? Asks the driver itself, without CUDA headers or a link to it.
#pragma once
#include <string>

namespace zerostall {

struct GpuFound {
  bool usable = false;
  std::string name;     // of device 0, when usable
  std::string why_not;  // one line, when not
};

// Loads libcuda.so.1 into this process (about 0.1 s where there is a GPU) and initialises it. Never fails otherwise.
GpuFound detect_gpu();

}  // namespace zerostall
