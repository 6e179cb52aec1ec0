// What can be seen of a machine without changing anything on it: facts only, `doctor` judges them.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profiler/record/torch.h"

namespace zerostall {

// A variable through which one tool at a time gets into a CUDA program.
struct InjectionVariable {
  std::string name;  // "CUDA_INJECTION64_PATH"
  std::string tool;  // who has set it: "Nsight Systems", "another tool"; "" = not set. Never the value
};

struct DriverFacts {
  std::string version;                      // of the kernel module: "580.65.06"; "" = not loaded, or not to be seen
  std::vector<std::string> device_files;    // of /dev: "nvidiactl", "nvidia0", "nvidia-uvm"
  std::vector<std::string> closed_files;    // those of them that we may not read and write
  bool nouveau = false;                     // the other driver of the kernel is loaded
  std::optional<bool> only_admins_profile;  // what the module was told; nullopt = it does not say
};

struct CuptiFound {
  std::filesystem::path file;  // the first that the tracer would look at; empty = none
  std::string version;         // "2025.3.1" or "13.0.85"; "" = not to be seen in names of files
};

struct PlaceFacts {
  bool is_there = false, writable = false;
  std::optional<std::uint64_t> free_bytes;
};

struct PythonFacts {
  std::filesystem::path file;  // empty = there is no Python
  std::string error;           // why it could not be asked
  TorchFound torch;
  bool is_static = false;                   // the interpreter itself
  std::optional<bool> shares_cuda_runtime;  // torch is linked to libcudart.so; nullopt = not to be seen
};

struct Machine {
  DriverFacts driver;
  CuptiFound cupti;
  PythonFacts python;
  std::vector<InjectionVariable> injection;
  std::string preloaded_by;                        // LD_PRELOAD, as InjectionVariable::tool; "" = not set
  std::vector<std::string> running_tools;          // profilers and monitors: "Nsight Systems", "DCGM"
  bool container = false, may_administer = false;  // CAP_SYS_ADMIN
  PlaceFacts here, temporary, shared_memory;       // working folder, TMPDIR or /tmp, /dev/shm
  bool libraries_executable = true;                // ours lie on no file system that is mounted noexec
  std::optional<std::uint64_t> most_file_bytes;    // RLIMIT_FSIZE; nullopt = no limit
  std::string architecture, kernel, libc;          // "x86_64", "6.1.0-13-amd64", "2.36"
  std::string clock_source;                        // "tsc"; "" = not to be seen
};

struct MachinePlaces {
  std::filesystem::path root = "/";  // for tests: another one in place of /dev, /proc, /sys, /run
  std::filesystem::path libraries;   // folder of our own
  std::string python;                // file or name of a Python; "" = python, else python3, of PATH
};

// Starts nothing but that Python, for some 30 ms. Never fails: what cannot be seen is left out.
Machine look_at_machine(const MachinePlaces& places, SignalInbox& inbox);

// Parts of it that need no machine.
// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug ..." -> "535.104.05"; open modules differ a
// little.
std::string driver_version_in(const std::string& text);
// The tool that a library to be injected or preloaded belongs to, by the file's name.
std::string tool_of_library(const std::string& path);

}  // namespace zerostall
