#include "profiler/record/gpu.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <fstream>

namespace zerostall {
namespace {

namespace fs = std::filesystem;

// Signatures of the driver API as cuda.h declares them; CUresult is an int enum, CUdevice an int.
using InitFunction = int(unsigned);
using CountFunction = int(int*);
using NameFunction = int(char*, int, int);

template <class Function>
Function* find(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

std::string first_word(const fs::path& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

// Class 0x03 of PCI holds display and 3D controllers; the sound device of a graphics card has another.
bool is_nvidia_gpu(const fs::path& pci_device) {
  return first_word(pci_device / "vendor") == "0x10de" && first_word(pci_device / "class").starts_with("0x03");
}

}  // namespace

std::string nvidia_device(const DevicePlaces& places) {
  std::error_code error;
  for (const fs::path& sign : {places.dev / "nvidia0", places.dev / "nvidiactl", places.driver})
    if (fs::exists(sign, error)) return sign.string();
  for (fs::directory_iterator it(places.pci, error), end; !error && it != end; it.increment(error))
    if (is_nvidia_gpu(it->path())) return fmt::format("an NVIDIA device at PCI {}", it->path().filename().string());
  return {};
}

GpuFound detect_gpu() {
  GpuFound found;
  // Never closed: a driver that was initialised does not survive being unloaded.
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) {
    found.why_not = "no NVIDIA driver (libcuda.so.1 not found)";
    return found;
  }
  auto* init = find<InitFunction>(driver, "cuInit");
  auto* count = find<CountFunction>(driver, "cuDeviceGetCount");
  auto* name = find<NameFunction>(driver, "cuDeviceGetName");
  if (init == nullptr || count == nullptr) {
    found.why_not = "libcuda.so.1 is not an NVIDIA driver";
    return found;
  }
  int devices = 0;
  const int result = init(0);
  if (result != 0 || count(&devices) != 0 || devices == 0) {
    found.why_not = result == 0 ? "the NVIDIA driver sees no GPU"
                                : fmt::format("the NVIDIA driver does not start (cuInit: {})", result);
    return found;
  }
  std::array<char, 256> text{};
  found.usable = true;
  found.name = name != nullptr && name(text.data(), static_cast<int>(text.size()) - 1, 0) == 0 ? text.data() : "GPU";
  return found;
}

Result<VisibleDevices> visible_devices() {
  const GpuFound gpu = detect_gpu();
  if (!gpu.usable) return Error{gpu.why_not};
  void* runtime = nullptr;
  for (const char* name : {"libcudart.so.13", "libcudart.so.12"})
    if (runtime == nullptr) runtime = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (runtime == nullptr) return Error{"no CUDA runtime (libcudart.so.13, libcudart.so.12)"};
  auto* count = find<CountFunction>(runtime, "cudaGetDeviceCount");
  VisibleDevices seen{0, gpu.name};
  if (const int result = count != nullptr ? count(&seen.count) : -1; result != 0)
    return Error{fmt::format("the CUDA runtime counts no devices (cudaGetDeviceCount: {})", result)};
  return seen;
}

}  // namespace zerostall
