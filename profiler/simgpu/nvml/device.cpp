// NVML: what a device is, and how much of its memory this process uses (other processes are not seen). What changes
// with temperature, load and power is not modelled: it answers "not supported", as boards without such a sensor do.
#include <unistd.h>

#include <cstdio>

#include "profiler/simgpu/core/context.h"
#include "profiler/simgpu/core/simulator.h"
#include "profiler/simgpu/nvml/answer.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::nvml;

namespace {

const DeviceModel& model() { return simulator().model; }

// The book of memory knows no devices: all that the process holds counts for its first one.
unsigned long long used_bytes(int index) {
  const bool first = device_count() > 0 && device_identity(0).pci_bus == machine_device_identity(index).pci_bus;
  return first ? simulator().memory.device_bytes() : 0;
}
unsigned long long total_bytes() { return static_cast<unsigned long long>(model().memory_bytes); }

Status answer_pci(const Device* device, PciInfo* out) {
  return answer(device, out, [&](int index) {
    *out = {};
    const DeviceIdentity identity = machine_device_identity(index);
    out->domain = identity.pci_domain;
    out->bus = identity.pci_bus;
    out->device = identity.pci_device;
    std::snprintf(out->bus_id_legacy, sizeof out->bus_id_legacy, "%s", bus_id(index).c_str());
    std::snprintf(out->bus_id, sizeof out->bus_id, "0000%s", bus_id(index).c_str());
  });
}

// NVML numbers architectures: 7 Ampere, 8 Ada, 9 Hopper, 10 Blackwell.
unsigned architecture() {
  if (model().compute_major == 8) return model().compute_minor == 9 ? 8 : 7;
  return model().compute_major == 9 ? 9 : 10;
}

template <class Entry>
Status answer_processes(const Device* device, unsigned* count, Entry* entries) {
  if (!initialized()) return kUninitialized;
  const int index = index_of(device);
  if (index < 0 || !count) return kInvalidArgument;
  const unsigned room = *count;
  *count = used_bytes(index) > 0 ? 1 : 0;
  if (*count == 0) return kSuccess;
  if (room == 0 || !entries) return kInsufficientSize;
  *entries = Entry{};
  entries->pid = static_cast<unsigned>(getpid());
  entries->used_bytes = used_bytes(index);
  return kSuccess;
}

constexpr unsigned kNoInstance = 0xFFFFFFFF;  // the device is not partitioned

Status answer_processes_with_instances(const Device* device, unsigned* count, Process* entries) {
  const Status status = answer_processes(device, count, entries);
  if (status == kSuccess && *count) entries->gpu_instance = entries->compute_instance = kNoInstance;
  return status;
}

Status answer_clock(const Device* device, int type, unsigned* out) {
  constexpr int kGraphics = 0, kSm = 1, kMemory = 2;
  if (type != kGraphics && type != kSm && type != kMemory) return kNotSupported;
  const std::int64_t khz = type == kMemory ? model().memory_clock_khz : model().clock_khz;
  return answer(device, out, [&](int) { *out = static_cast<unsigned>(khz / 1000); });
}

}  // namespace

EXPORTED_BEGIN

Status nvmlDeviceGetName(const Device* device, char* text, unsigned length) {
  return index_of(device) < 0 ? kInvalidArgument : answer_text(model().name, text, length);
}
Status nvmlDeviceGetUUID(const Device* device, char* text, unsigned length) {
  const int index = index_of(device);
  return index < 0 ? kInvalidArgument : answer_text(uuid(index), text, length);
}
Status nvmlDeviceGetIndex(const Device* device, unsigned* out) {
  return answer(device, out, [&](int index) { *out = static_cast<unsigned>(index); });
}
Status nvmlDeviceGetMinorNumber(const Device* device, unsigned* out) { return nvmlDeviceGetIndex(device, out); }
Status nvmlDeviceGetPciInfo(const Device* device, PciInfo* out) { return answer_pci(device, out); }
Status nvmlDeviceGetPciInfo_v2(const Device* device, PciInfo* out) { return answer_pci(device, out); }
Status nvmlDeviceGetPciInfo_v3(const Device* device, PciInfo* out) { return answer_pci(device, out); }

Status nvmlDeviceGetMemoryInfo(const Device* device, MemoryInfo* out) {
  return answer(device, out, [&](int index) {
    *out = {total_bytes(), total_bytes() - used_bytes(index), used_bytes(index)};
  });
}
Status nvmlDeviceGetMemoryInfo_v2(const Device* device, MemoryInfo2* out) {
  return answer(device, out, [&](int index) {
    *out = {out->version, total_bytes(), 0, total_bytes() - used_bytes(index), used_bytes(index)};
  });
}
Status nvmlDeviceGetMemoryBusWidth(const Device* device, unsigned* out) {
  return answer(device, out, [&](int) { *out = static_cast<unsigned>(model().memory_bus_bits); });
}

Status nvmlDeviceGetCudaComputeCapability(const Device* device, int* major, int* minor) {
  if (!minor) return kInvalidArgument;
  return answer(device, major, [&](int) {
    *major = static_cast<int>(model().compute_major);
    *minor = static_cast<int>(model().compute_minor);
  });
}
Status nvmlDeviceGetArchitecture(const Device* device, unsigned* out) {
  return answer(device, out, [&](int) { *out = architecture(); });
}
Status nvmlDeviceGetComputeMode(const Device* device, int* out) {
  return answer(device, out, [&](int) { *out = 0; });  // shared by any number of threads and processes
}
Status nvmlDeviceGetMultiGpuBoard(const Device* device, unsigned* out) {
  return answer(device, out, [&](int) { *out = 0; });
}
Status nvmlDeviceGetClockInfo(const Device* device, int type, unsigned* out) { return answer_clock(device, type, out); }
Status nvmlDeviceGetMaxClockInfo(const Device* device, int type, unsigned* out) {
  return answer_clock(device, type, out);
}

Status nvmlDeviceGetComputeRunningProcesses(const Device* device, unsigned* count, Process1* out) {
  return answer_processes(device, count, out);
}
Status nvmlDeviceGetComputeRunningProcesses_v2(const Device* device, unsigned* count, Process* out) {
  return answer_processes_with_instances(device, count, out);
}
Status nvmlDeviceGetComputeRunningProcesses_v3(const Device* device, unsigned* count, Process* out) {
  return answer_processes_with_instances(device, count, out);
}

EXPORTED_END
