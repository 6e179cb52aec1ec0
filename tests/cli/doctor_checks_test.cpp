// Each finding of `doctor`, on machines that are put together here.
#include "profiler/cli/doctor_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zerostall::cli {
namespace {

using ::testing::HasSubstr;

// A machine with a GPU on which all is well.
Machine good() {
  Machine machine;
  machine.driver = {"580.65.06", {"nvidia-uvm", "nvidia0", "nvidiactl"}, {}, false, false};
  machine.cupti = {"/site-packages/nvidia/cu13/lib/libcupti.so.13", "13.0.85"};
  machine.python.file = "/usr/bin/python3";
  machine.python.torch = {"3.11.2", "2.11.0+cu130", "13.0", "/site-packages/torch", "", "venv"};
  machine.python.shares_cuda_runtime = true;
  machine.injection = {{"CUDA_INJECTION64_PATH", ""}, {"NVTX_INJECTION64_PATH", ""}};
  machine.here = machine.temporary = machine.shared_memory = {true, true, 50'000'000'000};
  machine.architecture = "x86_64";
  machine.clock_source = "tsc";
  return machine;
}

const DoctorView kGpu{true, true, "NVIDIA H200", "/dev/nvidia0"}, kBroken{true, false, "no driver", "/dev/nvidia0"},
    kNone{false, false, "no driver", ""};

void expect(const DoctorCheck& check, CheckStatus status, const char* text, const char* advice) {
  EXPECT_EQ(check.status, status) << check.text;
  EXPECT_THAT(check.text, HasSubstr(text));
  EXPECT_THAT(check.advice, HasSubstr(advice));
}

TEST(DoctorChecks, AllIsWellOnAGoodMachine) {
  for (const DoctorCheck& check : check_machine(good(), kGpu)) {
    EXPECT_EQ(check.status, CheckStatus::ok) << check.name << ": " << check.text;
    EXPECT_EQ(check.advice, "") << check.name;
  }
}

TEST(DoctorChecks, WhatIsNotOkSaysWhatToDo) {
  for (const DoctorView& view : {kGpu, kBroken, kNone})
    for (const DoctorCheck& check : check_machine(Machine{}, view))
      EXPECT_EQ(check.status == CheckStatus::ok, check.advice.empty()) << check.name << ": " << check.text;
}

TEST(DoctorChecks, Gpu) {
  expect(check_gpu(good(), kBroken), CheckStatus::problem, "there is one (/dev/nvidia0)", "repair the driver");
  Machine container = good();
  container.container = true;
  expect(check_gpu(container, kBroken), CheckStatus::problem, "there is one", "--gpus all");
  expect(check_gpu(Machine{}, kNone), CheckStatus::note, "none", "nothing for the simulated GPU");
}

TEST(DoctorChecks, Driver) {
  Machine machine = good();
  machine.driver.closed_files = {"nvidia0"};
  expect(check_driver(machine, kBroken), CheckStatus::problem, "no permission to open /dev/nvidia0", "group");
  machine = good();
  machine.driver.device_files = {"nvidia0", "nvidiactl"};
  expect(check_driver(machine, kBroken), CheckStatus::problem, "/dev/nvidia-uvm is missing", "nvidia-modprobe");
  machine.container = true;
  expect(check_driver(machine, kBroken), CheckStatus::problem, "/dev/nvidia-uvm is missing", "--gpus all");
  machine = Machine{};
  expect(check_driver(machine, kNone), CheckStatus::note, "no NVIDIA kernel module", "nothing");
  machine.driver.nouveau = true;
  expect(check_driver(machine, kBroken), CheckStatus::problem, "nouveau", "blacklist");
}

TEST(DoctorChecks, CuptiAndThePermissionToProfile) {
  Machine machine = good();
  expect(check_cupti(machine, kGpu), CheckStatus::ok, "libcupti.so.13 (13.0.85)", "");
  machine.cupti = {};
  expect(check_cupti(machine, kGpu), CheckStatus::problem, "no libcupti", "pip install nvidia-cuda-cupti,");
  machine.python.torch.cuda = "12.4";
  expect(check_cupti(machine, kGpu), CheckStatus::problem, "no libcupti", "nvidia-cuda-cupti-cu12");
  expect(check_cupti(machine, kNone), CheckStatus::note, "no libcupti", "brings its own");
  machine.driver.only_admins_profile = true;
  expect(check_profiling(machine, kGpu), CheckStatus::note, "CAP_SYS_ADMIN", "NVreg_RestrictProfilingToAdminUsers=0");
  machine.container = true;
  expect(check_profiling(machine, kGpu), CheckStatus::note, "CAP_SYS_ADMIN", "--cap-add SYS_ADMIN");
  machine.may_administer = true;
  expect(check_profiling(machine, kGpu), CheckStatus::ok, "administrators only", "");
  machine.driver.only_admins_profile.reset();
  expect(check_profiling(machine, kGpu), CheckStatus::note, "does not say", "nothing, unless");
  expect(check_profiling(machine, kNone), CheckStatus::ok, "no permission", "");
}

TEST(DoctorChecks, InjectionAndOtherTools) {
  Machine machine = good();
  machine.injection[0].tool = "Nsight Systems";
  expect(check_injection(machine), CheckStatus::note, "CUDA_INJECTION64_PATH is set by Nsight Systems", "unset it");
  machine.injection[0].tool = "zerostall";
  expect(check_injection(machine), CheckStatus::ok, "free", "");
  machine.preloaded_by = "another tool";
  expect(check_injection(machine), CheckStatus::note, "LD_PRELOAD is set by another tool", "unset it");
  machine.python.is_static = true;
  expect(check_injection(machine), CheckStatus::problem, "statically", "--python");
  machine.injection[1].tool = "another tool";
  expect(check_nvtx(machine), CheckStatus::note, "NVTX_INJECTION64_PATH is set", "unset it");
  machine.running_tools = {"DCGM"};
  expect(check_other_tools(machine), CheckStatus::note, "DCGM", "dcgmi profile --pause");
  machine.running_tools = {"DCGM", "Nsight Systems"};
  expect(check_other_tools(machine), CheckStatus::note, "DCGM, Nsight Systems", "one tool at a time");
}

TEST(DoctorChecks, Torch) {
  Machine machine = good();
  expect(check_torch(machine), CheckStatus::ok, "(venv, Python 3.11.2) has torch 2.11.0+cu130, built for CUDA 13.0",
         "");
  machine.python.torch.version = "2.5.1";
  expect(check_torch(machine), CheckStatus::note, "tested with torch 2.6 to 2.15", "try it");
  machine.python.torch.version = "3.0.0";
  expect(check_torch(machine), CheckStatus::note, "tested with torch 2.6 to 2.15", "try it");
  machine.python.torch.version = "2.15.1";
  expect(check_torch(machine), CheckStatus::ok, "2.15.1", "");
  machine.python.shares_cuda_runtime = false;
  expect(check_torch(machine), CheckStatus::note, "static CUDA runtime", "wheel of pytorch.org");
  machine.python.torch.cuda.clear();
  expect(check_torch(machine), CheckStatus::note, "CPU only", "pip install torch");
  machine.python.torch.hip = "6.2";
  expect(check_torch(machine), CheckStatus::note, "ROCm 6.2", "torch.profiler");
  machine.python.torch.version = machine.python.torch.hip = "";
  expect(check_torch(machine), CheckStatus::note, "has no torch", "pip install torch");
  machine.python.error = "it does not work";
  expect(check_torch(machine), CheckStatus::note, "it does not work", "--python");
  machine.python = {};
  expect(check_torch(machine), CheckStatus::note, "no python in PATH", "--python");
}

TEST(DoctorChecks, PythonFrames) {
  Machine machine = good();
  for (const char* version : {"3.10.0", "3.14.2"}) {
    machine.python.torch.python = version;
    EXPECT_EQ(check_python_frames(machine).status, CheckStatus::ok) << version;
  }
  for (const char* version : {"3.9.18", "3.15.0a1", "2.7.18"}) {
    machine.python.torch.python = version;
    expect(check_python_frames(machine), CheckStatus::note, "are not told", "3.10 to 3.14");
  }
}

TEST(DoctorChecks, FilesAndSystem) {
  Machine machine = good();
  machine.libraries_executable = false;
  expect(check_files(machine), CheckStatus::problem, "noexec", "elsewhere");
  machine = good();
  machine.here.writable = false;
  expect(check_files(machine), CheckStatus::note, "not writable", "-o FILE");
  machine = good();
  machine.temporary.writable = false;
  expect(check_files(machine), CheckStatus::problem, "TMPDIR", "set TMPDIR");
  machine = good();
  machine.most_file_bytes = 1'000'000;
  expect(check_files(machine), CheckStatus::note, "1 MB at most", "ulimit -f unlimited");
  machine = good();
  machine.here.free_bytes = 5'000'000;
  expect(check_files(machine), CheckStatus::note, "this folder has 5 MB left", "--max-size");
  machine = good();
  machine.shared_memory.is_there = false;
  expect(check_files(machine), CheckStatus::note, "/dev/shm", "--shm-size");
  machine.clock_source = "hpet";
  expect(check_system(machine), CheckStatus::note, "clock hpet", "nothing for counts");
  machine.architecture = "aarch64";
  expect(check_system(machine), CheckStatus::note, "x86_64 only", "tell us");
}

}  // namespace
}  // namespace zerostall::cli
