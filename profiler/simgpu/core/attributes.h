// Attributes of the simulated device. Runtime and driver number them alike (cudaDeviceAttr, CUdevice_attribute), and
// cudaDeviceProp is filled from them, so that all three agree. Features the simulator does not model are answered as
// absent.
#pragma once

namespace zerostall::simgpu {

inline constexpr int kMaxThreads = 1024, kMaxGridX = 2147483647, kMaxGrid = 65535, kWarp = 32, kRegisters = 65536;

// 0 for features the device does not have.
int device_attribute(int attribute, int device = 0);
bool known_attribute(int attribute);  // has a number in the headers

}  // namespace zerostall::simgpu
