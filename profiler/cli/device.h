// Which device a command runs on.
#pragma once
#include <string>
#include <variant>

#include "profiler/cli/outcome.h"
#include "profiler/record/gpu.h"
#include "profiler/record/paths.h"

namespace zerostall::cli {

struct Device {
  bool simulate = false;
  std::string model;  // of the simulated GPU: "h200"
  std::string name;   // in JSON: "gpu", "sim:h200"
  std::string title;  // for people: "NVIDIA H200", "simulated H200"
};

// How the machine is asked; tests put their own in.
struct GpuProbe {
  GpuFound (*driver)() = detect_gpu;
  DevicePlaces places = {};
};

// That of this machine. For tests, ZEROSTALL_DEVICE_ROOT names a folder that stands for / where devices are looked for.
GpuProbe machine_probe();

// `asked` is auto, gpu, sim or sim:MODEL. Fails with code 2 for anything else and for an unknown model, with code 4
// where the device is not there. `auto` takes a working GPU and simulates where there is no NVIDIA device at all; with
// a device but no working driver it fails with code 4: nobody may train on kernels that do nothing by accident.
std::variant<Device, Outcome> choose_device(const std::string& asked, const InstallPaths& paths,
                                            const GpuProbe& probe = machine_probe());

// What every simulated command says once on standard error.
std::string simulated_warning(const Device& device);

}  // namespace zerostall::cli
