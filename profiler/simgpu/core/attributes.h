// Attributes of the simulated device. Runtime and driver number them alike (cudaDeviceAttr, CUdevice_attribute).
#pragma once

namespace zerostall::simgpu {

inline constexpr int kMaxThreads = 1024, kMaxGridX = 2147483647, kMaxGrid = 65535, kWarp = 32, kRegisters = 65536;

// 0 for features the device does not have.
int device_attribute(int attribute);

}  // namespace zerostall::simgpu
