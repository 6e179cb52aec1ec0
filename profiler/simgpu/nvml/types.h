// The part of NVML's public ABI that is modelled. Written out here since its header comes with neither the toolkit's
// runtime nor its CUPTI headers.
#pragma once

namespace zerostall::simgpu::nvml {

enum Status {
  kSuccess = 0,
  kUninitialized = 1,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNotFound = 6,
  kInsufficientSize = 7,
};

struct Device;  // nvmlDevice_t points to it

struct MemoryInfo {
  unsigned long long total, free, used;
};
struct MemoryInfo2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};
struct Process1 {
  unsigned pid;
  unsigned long long used_bytes;
};
struct Process {  // of _v2 and _v3
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance, compute_instance;
};

}  // namespace zerostall::simgpu::nvml
