// Which device a command runs on.
#pragma once
#include <string>
#include <variant>

#include "profiler/cli/outcome.h"
#include "profiler/record/paths.h"

namespace zerostall::cli {

struct Device {
  bool simulate = false;
  std::string model;  // of the simulated GPU: "h200"
  std::string name;   // in JSON: "gpu", "sim:h200"
  std::string title;  // for people: "NVIDIA H200", "simulated H200"
};

// `asked` is auto, gpu, sim or sim:MODEL. Fails with code 2 for anything else and for an unknown model, with code 4
// where the device is not there.
std::variant<Device, Outcome> choose_device(const std::string& asked, const InstallPaths& paths);

}  // namespace zerostall::cli
