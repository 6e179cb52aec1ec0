#include "profiler/cli/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "profiler/base/files.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

GpuFound works() { return {true, "NVIDIA H200", ""}; }
GpuFound does_not() { return {false, "", "no NVIDIA driver (libcuda.so.1 not found)"}; }

class ChooseDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("ZEROSTALL_SIMULATED");
    fs::create_directories(paths.models);
    for (const fs::path& file : {paths.simulator, paths.models / "h200.json", paths.models / "a100.json"})
      ASSERT_TRUE(write_file(file, "{}"));
  }
  void put_device() {
    fs::create_directories(root.path() / "dev");
    ASSERT_TRUE(write_file(root.path() / "dev" / "nvidia0", ""));
  }
  std::variant<Device, Outcome> choose(const std::string& asked, GpuFound (*driver)()) const {
    return choose_device(asked, paths, {driver, {root.path() / "dev", root.path() / "driver", root.path() / "pci"}});
  }

  TempFolder root = std::move(*TempFolder::make());
  InstallPaths paths = paths_beside(root.path() / "bin");
};

TEST_F(ChooseDevice, AutoTakesAWorkingGpu) {
  const auto device = std::get<Device>(choose("auto", works));
  EXPECT_FALSE(device.simulate);
  EXPECT_EQ(device.name, "gpu");
}

TEST_F(ChooseDevice, AutoSimulatesWhereThereIsNoDeviceAtAll) {
  const auto device = std::get<Device>(choose("auto", does_not));
  EXPECT_TRUE(device.simulate);
  EXPECT_EQ(device.model, "h200");
}

TEST_F(ChooseDevice, AutoRefusesADeviceWithoutAUsableDriver) {
  put_device();
  const auto refused = std::get<Outcome>(choose("auto", does_not));
  EXPECT_EQ(refused.code, ExitCode::environment);
  EXPECT_THAT(refused.error, HasSubstr("there is a GPU ("));
  EXPECT_THAT(refused.error, HasSubstr("--device sim"));
  EXPECT_TRUE(std::get<Device>(choose("sim:a100", does_not)).simulate);  // asked for, so nobody does it by accident
}

TEST_F(ChooseDevice, InsideASimulatedCommandTheDriverIsOurs) {
  put_device();
  ::setenv("ZEROSTALL_SIMULATED", "1", 1);
  EXPECT_TRUE(std::get<Device>(choose("auto", works)).simulate);
  EXPECT_EQ(std::get<Outcome>(choose("gpu", works)).code, ExitCode::environment);
  ::unsetenv("ZEROSTALL_SIMULATED");
}

TEST_F(ChooseDevice, NamesWhatIsWrong) {
  EXPECT_EQ(std::get<Outcome>(choose("gpu", does_not)).code, ExitCode::environment);
  const auto unknown = std::get<Outcome>(choose("sim:h20", works));
  EXPECT_EQ(unknown.code, ExitCode::bad_use);
  EXPECT_THAT(unknown.error, HasSubstr("did you mean 'h200'? Known: a100, h200"));
  EXPECT_EQ(std::get<Outcome>(choose("cuda", works)).code, ExitCode::bad_use);
}

}  // namespace
}  // namespace zerostall::cli
