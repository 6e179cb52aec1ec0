// Which of the images inside a program a device takes, and what follows from it.
#include "profiler/simgpu/core/fat_binary.h"

#include <vector>

#include "tests/simgpu/device.h"

extern "C" void** __cudaRegisterFatBinary(void*);

namespace zerostall::testing {
namespace {

constexpr std::uint16_t kPtx = 1, kCode = 2;

// What nvcc embeds: a wrapper that points to a container of images. The images' content is 100 bytes of nothing.
struct Embedded {
  std::vector<unsigned char> container;
  struct {
    std::uint32_t magic = 0x466243B1, version = 1;
    const void* data = nullptr;
    void* more = nullptr;
  } wrapper;

  template <class T>
  void put(T value) {
    container.resize(container.size() + sizeof value);
    std::memcpy(container.data() + container.size() - sizeof value, &value, sizeof value);
  }
  explicit Embedded(const std::vector<std::pair<std::uint16_t, std::uint32_t>>& images) {
    put(std::uint32_t{0xBA55ED50});
    put(std::uint16_t{1});
    put(std::uint16_t{16});
    put(std::uint64_t{images.size() * 164});
    for (const auto& [kind, architecture] : images) {
      put(kind);
      put(std::uint16_t{0x101});
      put(std::uint32_t{64});
      put(std::uint64_t{100});
      for (int i = 0; i < 3; ++i) put(std::uint32_t{0});
      put(architecture);
      container.resize(container.size() + 32 + 100);
    }
    wrapper.data = container.data();
  }
  std::pair<int, int> on(int device) const {
    const simgpu::CompiledFor found = simgpu::find_image(&wrapper, device);
    return {found.ptx, found.binary};
  }
};

using Pair = std::pair<int, int>;

TEST(SimFatBinary, TheNewestCodeOfTheDevicesMajorNumber) {
  const Embedded program({{kCode, 75}, {kCode, 80}, {kCode, 86}, {kCode, 90}, {kCode, 90}, {kCode, 120}});
  EXPECT_EQ(program.on(80), Pair(80, 80));
  EXPECT_EQ(program.on(89), Pair(86, 86));
  EXPECT_EQ(program.on(90), Pair(90, 90));
  EXPECT_EQ(program.on(120), Pair(120, 120));
  EXPECT_EQ(program.on(121), Pair(120, 120));
  EXPECT_EQ(program.on(100), Pair(0, 0));
}

TEST(SimFatBinary, PtxWhereNoCodeRuns) {
  const Embedded program({{kCode, 80}, {kPtx, 70}, {kPtx, 80}});
  EXPECT_EQ(program.on(86), Pair(80, 80));
  EXPECT_EQ(program.on(90), Pair(80, 90));
  EXPECT_EQ(program.on(75), Pair(70, 75));
  EXPECT_EQ(program.on(61), Pair(0, 0));
}

TEST(SimFatBinary, WhatCannotBeReadIsForTheDevice) {
  EXPECT_EQ(simgpu::find_image(nullptr, 89).ptx, 89);
  Embedded broken({{kCode, 75}});
  broken.container[4 + 12 + 8] = 255;  // an image longer than the container
  EXPECT_EQ(broken.on(89), Pair(89, 89));
  broken.container[0] = 0;
  EXPECT_EQ(broken.on(89), Pair(89, 89));
}

// Registers a kernel that lies in `program`.
const void* kernel_of(Embedded& program, char& stub) {
  static char name[] = "kernel_of_a_fat_binary";
  __cudaRegisterFunction(__cudaRegisterFatBinary(&program.wrapper), &stub, name, name, -1, nullptr, nullptr, nullptr,
                         nullptr, nullptr);
  return &stub;
}

TEST(SimFatBinary, AttributesAndLaunchesOfKernels) {
  const auto major = static_cast<std::uint32_t>(model().compute_major * 10);
  static Embedded fits({{kCode, major}}), too_new({{kCode, major + 10}});
  static char good, bad;
  cudaFuncAttributes attributes{};
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, kernel_of(fits, good)), cudaSuccess);
  EXPECT_EQ(attributes.ptxVersion, static_cast<int>(major));
  EXPECT_EQ(attributes.binaryVersion, static_cast<int>(major));
  EXPECT_EQ(cudaLaunchKernel(&good, dim3(1), dim3(1), nullptr, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, kernel_of(too_new, bad)), cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(cudaLaunchKernel(&bad, dim3(1), dim3(1), nullptr, 0, nullptr), cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace
}  // namespace zerostall::testing
