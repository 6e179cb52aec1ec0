#include "profiler/simgpu/core/fat_binary.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu {
namespace {

struct Wrapper {
  std::uint32_t magic, version;
  const unsigned char* container;
};
constexpr std::uint32_t kWrapperMagic = 0x466243B1;

struct Container {  // followed by images
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  // of the images
};
constexpr std::uint32_t kContainerMagic = 0xBA55ED50;

struct Image {  // the first fields of its header; what follows has grown with the toolkit's versions
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;
  std::uint32_t unused[3];
  std::uint32_t architecture;
};
constexpr std::uint16_t kPtx = 1, kMachineCode = 2;

template <class T>
T read_at(const unsigned char* where) {
  T value;
  std::memcpy(&value, where, sizeof value);
  return value;
}

// Machine code runs on its own architecture and on later ones of the same major number.
bool runs(int architecture, int device) { return architecture / 10 == device / 10 && architecture <= device; }

}  // namespace

CompiledFor find_image(const void* wrapper, int device) {
  const CompiledFor unknown{device, device};
  if (!wrapper) return unknown;
  const auto outer = read_at<Wrapper>(static_cast<const unsigned char*>(wrapper));
  if (outer.magic != kWrapperMagic || !outer.container) return unknown;
  const auto container = read_at<Container>(outer.container);
  if (container.magic != kContainerMagic || container.header_bytes < sizeof(Container)) return unknown;
  int code = 0, ptx = 0;
  const unsigned char* at = outer.container + container.header_bytes;
  for (std::uint64_t left = container.bytes; left >= sizeof(Image);) {
    const auto image = read_at<Image>(at);
    const std::uint64_t bytes = image.header_bytes + image.bytes;
    if (image.header_bytes < sizeof(Image) || bytes > left) return unknown;
    const int architecture = static_cast<int>(image.architecture);
    if (image.kind == kMachineCode && runs(architecture, device)) code = std::max(code, architecture);
    if (image.kind == kPtx && architecture <= device) ptx = std::max(ptx, architecture);
    at += bytes;
    left -= bytes;
  }
  if (code) return {code, code};
  return {ptx, ptx ? device : 0};
}

CompiledFor compiled_for(FatBinary& binary) {
  int packed = binary.packed.load(std::memory_order_relaxed);
  if (packed < 0) {
    const DeviceModel& m = simulator().model;
    const CompiledFor found = find_image(binary.wrapper, static_cast<int>(m.compute_major * 10 + m.compute_minor));
    packed = found.ptx * 1000 + found.binary;
    binary.packed.store(packed, std::memory_order_relaxed);
  }
  return {packed / 1000, packed % 1000};
}

}  // namespace zerostall::simgpu
