// What is seen of a machine: a folder stands for /.
#include "profiler/record/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "profiler/base/files.h"
#include "profiler/record/elf.h"

namespace zerostall {
namespace {

using ::testing::ElementsAre;
namespace fs = std::filesystem;

class MachineTest : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) {
    fs::create_directories((root() / name).parent_path());
    ASSERT_TRUE(write_file(root() / name, text));
  }
  fs::path root() const { return folder_.path() / "root"; }
  Machine look(const std::string& python = "/nowhere/python") {
    SignalInbox inbox;
    return look_at_machine({root(), folder_.path(), python}, inbox);
  }

 private:
  TempFolder folder_ = std::move(*TempFolder::make());
};

TEST_F(MachineTest, NothingIsKnownOfAnEmptyOne) {
  const Machine machine = look();
  EXPECT_EQ(machine.driver.version, "");
  EXPECT_TRUE(machine.driver.device_files.empty());
  EXPECT_EQ(machine.driver.only_admins_profile, std::nullopt);
  EXPECT_TRUE(machine.running_tools.empty());
  EXPECT_FALSE(machine.container);
  EXPECT_FALSE(machine.may_administer);
  EXPECT_TRUE(machine.python.file.empty());
  EXPECT_FALSE(machine.shared_memory.is_there);
  EXPECT_EQ(machine.clock_source, "");
  EXPECT_TRUE(machine.here.is_there);
  EXPECT_NE(machine.libc, "");
}

TEST_F(MachineTest, SeesDriverDevicesPermissionsAndTools) {
  put("proc/driver/nvidia/version",
      "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build  (dvs-builder)\nGCC version: "
      "12\n");
  put("proc/driver/nvidia/params", "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 1\n");
  put("proc/self/status", "Name:\tx\nCapEff:\t0000000000200000\n");
  put("proc/77/comm", "nsys\n");
  put("proc/78/comm", "nsys-launcher\n");
  put("proc/79/comm", "nv-hostengine\n");
  put("proc/80/comm", "nsys-like\n");
  put("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
  put("run/.containerenv", "");
  for (const char* name : {"nvidia0", "nvidiactl", "nvidia-uvm", "nvidia-modeset", "null"})
    put("dev/" + std::string(name), "");
  const Machine machine = look();
  EXPECT_EQ(machine.driver.version, "580.65.06");
  EXPECT_THAT(machine.driver.device_files, ElementsAre("nvidia-uvm", "nvidia0", "nvidiactl"));
  EXPECT_EQ(machine.driver.only_admins_profile, true);
  EXPECT_THAT(machine.running_tools, ElementsAre("Nsight Systems", "DCGM"));
  EXPECT_EQ(machine.clock_source, "hpet");
  EXPECT_TRUE(machine.container);
  EXPECT_TRUE(machine.may_administer);
}

TEST_F(MachineTest, FindsTheCuptiOfAToolkitWithItsVersion) {
  put("usr/local/cuda/extras/CUPTI/lib64/libcupti.so.2025.3.1", "");
  fs::create_symlink("libcupti.so.2025.3.1", root() / "usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13");
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH"}) ::unsetenv(name);
  const Machine machine = look();
  EXPECT_EQ(machine.cupti.file, root() / "usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13");
  EXPECT_EQ(machine.cupti.version, "2025.3.1");
}

// A script in place of Python answers as the real one does.
TEST_F(MachineTest, LooksAtTheTorchOfAPythonAndTheCuptiBesideIt) {
  const fs::path packages = root() / "site-packages";
  put("site-packages/nvidia/cu13/lib/libcupti.so.13", "");
  put("site-packages/nvidia_cuda_cupti-13.0.85.dist-info/METADATA", "");
  put("site-packages/torch/lib/libc10_cuda.so", "no ELF file");
  put("python",
      "#!/bin/sh\nprintf '3.12.1\\nconda\\n" + (packages / "torch").string() + "\\n2.11.0+cu130\\n13.0\\n\\n'\n");
  ::chmod((root() / "python").c_str(), 0755);
  const Machine machine = look((root() / "python").string());
  EXPECT_EQ(machine.python.error, "");
  EXPECT_EQ(machine.python.torch.kind, "conda");
  EXPECT_EQ(machine.python.torch.version, "2.11.0+cu130");
  EXPECT_EQ(machine.python.shares_cuda_runtime, std::nullopt);
  EXPECT_EQ(machine.cupti.file, packages / "nvidia/cu13/lib/libcupti.so.13");
  EXPECT_EQ(machine.cupti.version, "13.0.85");
}

TEST(DriverVersion, IsFoundInWhatEachModuleSays) {
  EXPECT_EQ(driver_version_in("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19\n"),
            "535.104.05");
  EXPECT_EQ(driver_version_in("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  610.43  Release\n"), "610.43");
  EXPECT_EQ(driver_version_in("something else\n"), "");
  EXPECT_EQ(driver_version_in(""), "");
}

TEST(ToolOfLibrary, GoesByTheNameOfTheFile) {
  EXPECT_EQ(tool_of_library(""), "");
  EXPECT_EQ(tool_of_library("/opt/nsys/libToolsInjection64.so"), "Nsight Systems");
  EXPECT_EQ(tool_of_library("/x/lib/zerostall/libzerostall_tracer.so"), "zerostall");
  EXPECT_EQ(tool_of_library("/secret/path/libmine.so"), "another tool");
}

TEST(ElfLinks, SaysHowAProgramIsLinked) {
  const auto own = elf_links("/proc/self/exe");
  ASSERT_TRUE(own);
  EXPECT_TRUE(own->has_interpreter);
  EXPECT_THAT(own->needed, ::testing::Contains("libc.so.6"));
  EXPECT_FALSE(elf_links("/proc/self/status"));
  EXPECT_FALSE(elf_links("/nowhere"));
}

}  // namespace
}  // namespace zerostall
