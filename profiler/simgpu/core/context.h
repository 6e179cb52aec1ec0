// Devices and contexts. Devices are alike; ZEROSTALL_SIM_GPUS says how many the machine has (default 1), and
// CUDA_VISIBLE_DEVICES hides and reorders them as for a real driver. Each thread has a current device and, once it has
// used one, a current context. Thread-safe; contexts live as long as the process.
#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace zerostall::simgpu {

inline constexpr int kMostDevices = 64;

int device_count();                   // 0 when CUDA_VISIBLE_DEVICES hides all
int current_device();                 // of this thread
bool set_current_device(int device);  // false: no such device. Activates its primary context, as cudaSetDevice does

struct Context {
  std::uint32_t id = 0;  // CUPTI's; 1 + device for primary contexts
  int device = 0;
  bool primary = false;
  bool active = false;      // primary: somebody uses it
  unsigned flags = 0;       // cudaDeviceSchedule..., without the implicit cudaDeviceMapHost
  int references = 0;       // primary: cuDevicePrimaryCtxRetain
  std::uint64_t peers = 0;  // bit per device whose memory it may access
};

Context* primary_context(int device);       // device < device_count()
Context* context_from(const void* handle);  // null: not a context
Context* create_context(int device, unsigned flags);
bool destroy_context(Context* context);  // false: primary or unknown

Context* current_context();                  // null until the thread used a device, or after setting none
void set_current_context(Context* context);  // null allowed
void bind_primary_context();
extern constinit thread_local Context* t_context;
// The runtime makes the primary context current when a thread first needs one.
inline void ensure_context() {
  if (!t_context) bind_primary_context();
}

// What tells equal devices apart. The same in every run; NVML must give the same answers.
struct DeviceIdentity {
  std::array<unsigned char, 16> uuid;
  unsigned pci_domain, pci_bus, pci_device;
};
DeviceIdentity device_identity(int device);
// The same by ordinal of the machine, whatever CUDA_VISIBLE_DEVICES hides: NVML's view.
int machine_device_count();
DeviceIdentity machine_device_identity(int physical);
std::string pci_bus_id(int device);        // "0000:1b:00.0"
int device_by_pci_bus_id(const char* id);  // -1: none

}  // namespace zerostall::simgpu
