#include "profiler/simgpu/nvml/devices.h"

#include <array>
#include <atomic>
#include <cstdio>

#include "profiler/simgpu/core/context.h"

namespace zerostall::simgpu::nvml {

struct Device {};  // only its address matters

namespace {

std::array<Device, kMostDevices> g_devices;
std::atomic<int> g_users{0};

}  // namespace

bool initialized() { return g_users.load() > 0; }
void initialize() { ++g_users; }
bool shut_down() {
  int users = g_users.load();
  while (users > 0)
    if (g_users.compare_exchange_weak(users, users - 1)) return true;
  return false;
}

int gpu_count() { return machine_device_count(); }

Device* gpu(int index) {
  return index >= 0 && index < gpu_count() ? &g_devices[static_cast<std::size_t>(index)] : nullptr;
}

int index_of(const Device* device) {
  for (int i = 0; i < gpu_count(); ++i)
    if (device == gpu(i)) return i;
  return -1;
}

std::string uuid(int index) {
  std::string text = "GPU-";
  const auto bytes = machine_device_identity(index).uuid;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    char hex[4];
    std::snprintf(hex, sizeof hex, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", bytes[i]);
    text += hex;
  }
  return text;
}
std::string bus_id(int index) {
  const DeviceIdentity identity = machine_device_identity(index);
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", identity.pci_domain, identity.pci_bus, identity.pci_device);
  return text;
}

}  // namespace zerostall::simgpu::nvml
