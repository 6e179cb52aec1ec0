#include "profiler/record/gpu.h"

#include <gtest/gtest.h>

#include "profiler/base/files.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;

class NvidiaDevice : public ::testing::Test {
 protected:
  void put(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    ASSERT_TRUE(write_file(path, text));
  }
  TempFolder root = std::move(*TempFolder::make());
  DevicePlaces places = {root.path() / "dev", root.path() / "driver", root.path() / "pci"};
};

TEST_F(NvidiaDevice, IsNotThereOnAPlainMachine) {
  put(places.dev / "null", "");
  put(places.pci / "0000:00:02.0" / "vendor", "0x8086\n");
  put(places.pci / "0000:00:02.0" / "class", "0x030000\n");
  put(places.pci / "0000:01:00.1" / "vendor", "0x10de\n");  // the sound device of a graphics card alone
  put(places.pci / "0000:01:00.1" / "class", "0x040300\n");
  EXPECT_EQ(nvidia_device(places), "");
  EXPECT_EQ(nvidia_device({"/no/such", "/no/such", "/no/such"}), "");
}

TEST_F(NvidiaDevice, IsSeenOnThePciBusWithoutAnyDriver) {
  put(places.pci / "0000:41:00.0" / "vendor", "0x10de\n");
  put(places.pci / "0000:41:00.0" / "class", "0x030200\n");
  EXPECT_EQ(nvidia_device(places), "an NVIDIA device at PCI 0000:41:00.0");
}

TEST_F(NvidiaDevice, IsSeenByWhatItsDriverMakes) {
  put(places.driver / "version", "");
  EXPECT_EQ(nvidia_device(places), places.driver.string());
  put(places.dev / "nvidiactl", "");
  EXPECT_EQ(nvidia_device(places), (places.dev / "nvidiactl").string());
  put(places.dev / "nvidia0", "");
  EXPECT_EQ(nvidia_device(places), (places.dev / "nvidia0").string());
}

}  // namespace
}  // namespace zerostall
