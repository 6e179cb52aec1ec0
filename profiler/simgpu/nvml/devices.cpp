#include "profiler/simgpu/nvml/devices.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace zerostall::simgpu::nvml {

struct Device {};  // only its address matters

namespace {

constexpr int kMost = 64;
std::array<Device, kMost> g_devices;
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

int gpu_count() {
  const char* text = std::getenv("ZEROSTALL_SIM_GPUS");
  return std::clamp(text && *text ? std::atoi(text) : 1, 1, kMost);
}

Device* gpu(int index) {
  return index >= 0 && index < gpu_count() ? &g_devices[static_cast<std::size_t>(index)] : nullptr;
}

int index_of(const Device* device) {
  for (int i = 0; i < gpu_count(); ++i)
    if (device == gpu(i)) return i;
  return -1;
}

// Both as cudaGetDeviceProperties tells them, so that programs can match the two views.
std::string uuid(int index) {
  char text[64];
  std::snprintf(text, sizeof text, "GPU-7a65726f-7374-8061-806c-6c00000000%02x", static_cast<unsigned>(index));
  return text;
}
std::string bus_id(int index) {
  char text[32];
  std::snprintf(text, sizeof text, "0000:%02x:00.0", kFirstBus + static_cast<unsigned>(index));
  return text;
}

}  // namespace zerostall::simgpu::nvml
