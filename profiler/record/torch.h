// Which torch a Python has, found out without importing it (which takes seconds and may start CUDA).
#pragma once
#include <filesystem>
#include <string>

#include "profiler/base/result.h"
#include "profiler/record/signals.h"

namespace zerostall {

struct TorchFound {
  std::string python;   // version of the interpreter: "3.11.7"
  std::string version;  // of torch: "2.11.0+cu130"; "" = there is none
  std::string cuda;     // CUDA version it was built for: "13.0"; "" = built for the CPU only
  std::string folder;   // where it lies
  std::string hip;      // ROCm version it was built for; "" = none
  std::string kind;     // of the Python: "venv", "conda" or ""
};

// Runs the interpreter for some 20 ms. Fails when that does not work.
Result<TorchFound> find_torch(const std::filesystem::path& python, SignalInbox& inbox);

}  // namespace zerostall
