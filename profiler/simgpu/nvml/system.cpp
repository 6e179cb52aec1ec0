// NVML: start and end, versions, finding a device.
#include <cstdio>
#include <cstring>

#include "profiler/simgpu/core/context.h"
#include "profiler/simgpu/nvml/answer.h"

using namespace zerostall::simgpu::nvml;

namespace {

constexpr int kDriverVersion = 13000;  // as cuDriverGetVersion
constexpr const char* kDriverRelease = "580.00";

Status find(int index, Device** out) {
  if (!initialized()) return kUninitialized;
  if (!out) return kInvalidArgument;
  *out = gpu(index);
  return *out ? kSuccess : kInvalidArgument;
}

Status count_gpus(unsigned* count) {
  if (!initialized()) return kUninitialized;
  if (!count) return kInvalidArgument;
  *count = static_cast<unsigned>(gpu_count());
  return kSuccess;
}

Status find_by_bus_id(const char* id, Device** out) {
  if (!initialized()) return kUninitialized;
  unsigned domain = 0, bus = 0, device = 0;
  if (!id || !out) return kInvalidArgument;
  if (std::sscanf(id, "%x:%x:%x", &domain, &bus, &device) != 3) {
    domain = 0;
    if (std::sscanf(id, "%x:%x", &bus, &device) != 2) return kInvalidArgument;
  }
  for (int i = 0; i < gpu_count(); ++i) {
    const auto identity = zerostall::simgpu::machine_device_identity(i);
    if (identity.pci_domain == domain && identity.pci_bus == bus && identity.pci_device == device) return find(i, out);
  }
  return kNotFound;
}

Status answer_version(int* version) {
  if (!version) return kInvalidArgument;
  *version = kDriverVersion;
  return kSuccess;
}

}  // namespace

EXPORTED_BEGIN

Status nvmlInit_v2() {
  initialize();
  return kSuccess;
}
Status nvmlInit() { return nvmlInit_v2(); }
Status nvmlInitWithFlags(unsigned) { return nvmlInit_v2(); }
Status nvmlShutdown() { return shut_down() ? kSuccess : kUninitialized; }

const char* nvmlErrorString(int status) {
  switch (status) {
    case kSuccess:
      return "Success";
    case kUninitialized:
      return "Uninitialized";
    case kInvalidArgument:
      return "Invalid Argument";
    case kNotSupported:
      return "Not Supported";
    case kNotFound:
      return "Not Found";
    case kInsufficientSize:
      return "Insufficient Size";
    default:
      return "Unknown Error";
  }
}

Status nvmlSystemGetDriverVersion(char* text, unsigned length) { return answer_text(kDriverRelease, text, length); }
Status nvmlSystemGetNVMLVersion(char* text, unsigned length) { return answer_text("13.580.00", text, length); }
Status nvmlSystemGetCudaDriverVersion(int* version) { return answer_version(version); }
Status nvmlSystemGetCudaDriverVersion_v2(int* version) { return answer_version(version); }

Status nvmlDeviceGetCount(unsigned* count) { return count_gpus(count); }
Status nvmlDeviceGetCount_v2(unsigned* count) { return count_gpus(count); }
Status nvmlDeviceGetHandleByIndex(unsigned index, Device** out) { return find(static_cast<int>(index), out); }
Status nvmlDeviceGetHandleByIndex_v2(unsigned index, Device** out) { return find(static_cast<int>(index), out); }
Status nvmlDeviceGetHandleByPciBusId(const char* id, Device** out) { return find_by_bus_id(id, out); }
Status nvmlDeviceGetHandleByPciBusId_v2(const char* id, Device** out) { return find_by_bus_id(id, out); }
Status nvmlDeviceGetHandleByUUID(const char* text, Device** out) {
  if (!initialized()) return kUninitialized;
  if (!text || !out) return kInvalidArgument;
  for (int i = 0; i < gpu_count(); ++i)
    if (uuid(i) == text) return find(i, out);
  return kNotFound;
}

EXPORTED_END
