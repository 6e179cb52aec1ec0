// Is there a GPU? Asks the driver itself, without CUDA headers or a link to it.
#pragma once
#include <filesystem>
#include <string>

#include "profiler/base/result.h"

namespace zerostall {

struct GpuFound {
  bool usable = false;
  std::string name;     // of device 0, when usable
  std::string why_not;  // one line, when not
};

// Where a Linux machine shows its NVIDIA devices.
struct DevicePlaces {
  std::filesystem::path dev = "/dev";
  std::filesystem::path driver = "/proc/driver/nvidia";
  std::filesystem::path pci = "/sys/bus/pci/devices";
};

// What shows that an NVIDIA device is there, working or not: "/dev/nvidia0", "an NVIDIA device at PCI 0000:01:00.0".
// "" = nothing does.
std::string nvidia_device(const DevicePlaces& places = {});

// Loads libcuda.so.1 into this process (about 0.1 s where there is a GPU) and initialises it. Never fails otherwise.
GpuFound detect_gpu();

struct VisibleDevices {
  int count = 0;
  std::string name;  // of device 0
};

// What a program started with this environment sees through the CUDA runtime (13 or 12) and the driver. Fails when it
// sees no device.
Result<VisibleDevices> visible_devices();

}  // namespace zerostall
