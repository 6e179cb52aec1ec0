#include "profiler/cli/doctor_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "profiler/base/shown_path.h"
#include "profiler/base/strings.h"

namespace zerostall::cli {
namespace {

// Versions that the tests run (./dev test --all-torch), and those whose stacks of Python the tracer reads.
constexpr std::array<int, 2> kFirstTorch = {2, 6}, kLastTorch = {2, 15}, kFirstPython = {3, 10}, kLastPython = {3, 14};
constexpr const char* kInstallTorch = "pip install torch --index-url https://download.pytorch.org/whl/cu130";

// "2.11.0+cu130" -> {2, 11}
std::array<int, 2> version_of(std::string_view text) {
  std::array<int, 2> version{};
  const auto major = std::from_chars(text.data(), text.data() + text.size(), version[0]);
  if (major.ptr != text.data() + text.size()) std::from_chars(major.ptr + 1, text.data() + text.size(), version[1]);
  return version;
}

CheckStatus for_gpu(const DoctorView& view) { return view.wants_gpu ? CheckStatus::problem : CheckStatus::note; }

std::string kind_of(const PythonFacts& python) {
  const std::string& kind = python.torch.kind;
  return fmt::format("{}Python {}", kind.empty() ? "" : kind + ", ", python.torch.python);
}

std::string size_text(std::uint64_t bytes) {
  return bytes < 10'000'000'000 ? fmt::format("{} MB", bytes / 1'000'000) : fmt::format("{} GB", bytes / 1'000'000'000);
}

}  // namespace

DoctorCheck check_gpu(const Machine& machine, const DoctorView& view) {
  constexpr const char* kName = "GPU";
  if (view.gpu_works) return {kName, CheckStatus::ok, view.gpu, {}};
  if (view.gpu_sign.empty())
    return {kName, for_gpu(view), "none: " + view.gpu,
            view.wants_gpu
                ? "use --device sim, or a machine with a GPU and its driver"
                : "nothing for the simulated GPU; for a real one, install the driver on a machine that has it"};
  const bool in_container = machine.container && !machine.driver.version.empty();
  return {kName, for_gpu(view), fmt::format("there is one ({}), {}", view.gpu_sign, view.gpu),
          in_container ? "start the container with --gpus all and NVIDIA_DRIVER_CAPABILITIES=compute,utility, or use "
                         "--device sim"
                       : "repair the driver, or use --device sim"};
}

DoctorCheck check_driver(const Machine& machine, const DoctorView& view) {
  constexpr const char* kName = "driver";
  const DriverFacts& driver = machine.driver;
  if (!driver.closed_files.empty())
    return {kName, for_gpu(view), fmt::format("no permission to open /dev/{}", join(driver.closed_files, ", /dev/")),
            "join the group that owns them (ls -l /dev/nvidia*), or let the administrator open them (chmod a+rw)"};
  if (driver.version.empty() && driver.nouveau)
    return {kName, for_gpu(view), "nouveau drives the GPU; CUDA needs NVIDIA's own driver",
            view.wants_gpu ? "install NVIDIA's driver and blacklist nouveau, or use --device sim"
                           : "nothing for the simulated GPU"};
  if (driver.version.empty())
    return {kName, for_gpu(view), "no NVIDIA kernel module",
            view.wants_gpu ? "install NVIDIA's driver, or use --device sim" : "nothing for the simulated GPU"};
  const auto has = [&](std::string_view name) {
    return std::find(driver.device_files.begin(), driver.device_files.end(), name) != driver.device_files.end();
  };
  for (const char* needed : {"nvidiactl", "nvidia-uvm"})
    if (!has(needed))
      return {kName, for_gpu(view), fmt::format("kernel module {}, but /dev/{} is missing", driver.version, needed),
              machine.container ? "start the container with --gpus all"
                                : "run nvidia-modprobe -u -c 0 once as root, or use --device sim"};
  return {kName,
          CheckStatus::ok,
          fmt::format("kernel module {}, device files open to us: {}", driver.version, join(driver.device_files, ", ")),
          {}};
}

DoctorCheck check_cupti(const Machine& machine, const DoctorView& view) {
  constexpr const char* kName = "CUPTI";
  if (!machine.cupti.file.empty())
    return {kName,
            CheckStatus::ok,
            fmt::format("{}{}: what the tracer would load", shown_path(machine.cupti.file),
                        machine.cupti.version.empty() ? "" : " (" + machine.cupti.version + ")"),
            {}};
  const std::string& cuda = machine.python.torch.cuda;
  const std::string package = cuda.starts_with("12") ? "nvidia-cuda-cupti-cu12" : "nvidia-cuda-cupti";
  return {kName, for_gpu(view), "no libcupti beside torch, in LD_LIBRARY_PATH or in a toolkit",
          view.wants_gpu ? fmt::format("pip install {}, or add its folder to LD_LIBRARY_PATH", package)
                         : "nothing: the simulated GPU brings its own"};
}

DoctorCheck check_profiling(const Machine& machine, const DoctorView& view) {
  constexpr const char* kName = "profiling";
  const auto& restricted = machine.driver.only_admins_profile;
  if (!restricted && !view.gpu_works)
    return {kName, CheckStatus::ok, "the simulated GPU asks for no permission; no root, no ptrace needed", {}};
  if (!restricted)
    return {kName, CheckStatus::note, "the driver does not say who may profile",
            "nothing, unless record says that the driver lets only administrators profile"};
  if (!*restricted) return {kName, CheckStatus::ok, "the driver lets every user profile; no ptrace needed", {}};
  if (machine.may_administer)
    return {
        kName, CheckStatus::ok, "for administrators only (NVreg_RestrictProfilingToAdminUsers=1), and we are one", {}};
  return {
      kName, CheckStatus::note,
      "for administrators only (NVreg_RestrictProfilingToAdminUsers=1), and we lack CAP_SYS_ADMIN; CUPTI may refuse",
      machine.container ? "if record is refused: start the container with --cap-add SYS_ADMIN"
                        : "if record is refused: set NVreg_RestrictProfilingToAdminUsers=0 for the nvidia module, and "
                          "load it again"};
}

DoctorCheck check_injection(const Machine& machine) {
  constexpr const char* kName = "injection";
  if (machine.python.is_static)
    return {kName, CheckStatus::problem, "this Python is linked statically: no library can be put in front of it",
            "use a Python that is linked dynamically (--python)"};
  for (const InjectionVariable& variable : machine.injection)
    if (variable.name == "CUDA_INJECTION64_PATH" && !variable.tool.empty() && variable.tool != "zerostall")
      return {kName, CheckStatus::note, fmt::format("{} is set by {}", variable.name, variable.tool),
              "unset it, or know that a recorded program gets our tracer in its place"};
  if (!machine.preloaded_by.empty() && machine.preloaded_by != "zerostall")
    return {kName, CheckStatus::note, fmt::format("LD_PRELOAD is set by {}", machine.preloaded_by),
            "nothing, unless a recorded program behaves oddly: then unset it"};
  return {kName, CheckStatus::ok, "LD_PRELOAD and CUDA_INJECTION64_PATH are free", {}};
}

DoctorCheck check_nvtx(const Machine& machine) {
  for (const InjectionVariable& variable : machine.injection)
    if (variable.name == "NVTX_INJECTION64_PATH" && !variable.tool.empty() && variable.tool != "zerostall")
      return {"NVTX", CheckStatus::note, fmt::format("{} is set by {}", variable.name, variable.tool),
              "unset it, or know that marks of a recorded program go to our tracer alone"};
  return {"NVTX", CheckStatus::ok, "NVTX_INJECTION64_PATH is free: marks of steps are seen", {}};
}

DoctorCheck check_other_tools(const Machine& machine) {
  constexpr const char* kName = "other tools";
  if (machine.running_tools.empty())
    return {
        kName, CheckStatus::ok, "no other profiler runs; in the program itself torch.profiler competes for CUPTI", {}};
  const bool only_dcgm = machine.running_tools == std::vector<std::string>{"DCGM"};
  return {kName, CheckStatus::note, fmt::format("running: {}", join(machine.running_tools, ", ")),
          only_dcgm ? "nothing as a rule: we use no counters; if record is refused: dcgmi profile --pause"
                    : "do not record a program that one of them profiles: CUPTI takes one tool at a time"};
}

DoctorCheck check_torch(const Machine& machine) {
  constexpr const char* kName = "torch";
  const PythonFacts& python = machine.python;
  if (python.file.empty())
    return {kName, CheckStatus::note, "no python in PATH",
            "for programs in Python: install one, or name it by --python"};
  if (!python.error.empty())
    return {kName, CheckStatus::note, python.error, "repair this Python, or name another one by --python"};
  const std::string where = fmt::format("{} ({})", shown_path(python.file), kind_of(python));
  if (python.torch.version.empty()) return {kName, CheckStatus::note, where + " has no torch", kInstallTorch};
  const std::string what = fmt::format("{} has torch {}", where, python.torch.version);
  if (!python.torch.hip.empty())
    return {kName, CheckStatus::note, fmt::format("{}, built for ROCm {}", what, python.torch.hip),
            "record with torch.profiler and look at that by `zerostall stat`, or install a CUDA build"};
  if (python.torch.cuda.empty())
    return {kName, CheckStatus::note, what + ", built for the CPU only",
            std::string(kInstallTorch) + " (no GPU needed)"};
  if (python.shares_cuda_runtime == false)
    return {kName, CheckStatus::note,
            what + ", linked to the static CUDA runtime, which the simulated GPU cannot replace",
            "use a wheel of pytorch.org for --device sim; a real GPU takes this one too"};
  const auto version = version_of(python.torch.version);
  if (version < kFirstTorch || version > kLastTorch)
    return {kName, CheckStatus::note,
            fmt::format("{}, built for CUDA {}; the simulated GPU is tested with torch {}.{} to {}.{}", what,
                        python.torch.cuda, kFirstTorch[0], kFirstTorch[1], kLastTorch[0], kLastTorch[1]),
            "try it; where --device sim fails, use one of those"};
  return {kName, CheckStatus::ok, fmt::format("{}, built for CUDA {}", what, python.torch.cuda), {}};
}

DoctorCheck check_python_frames(const Machine& machine) {
  constexpr const char* kName = "Python frames";
  const PythonFacts& python = machine.python;
  if (python.torch.python.empty())
    return {kName, CheckStatus::note, "not known: no Python could be asked", "name one by --python"};
  const auto version = version_of(python.torch.python);
  if (version >= kFirstPython && version <= kLastPython)
    return {kName, CheckStatus::ok, fmt::format("lines of Python {} are told", python.torch.python), {}};
  return {kName, CheckStatus::note,
          fmt::format("lines of Python {} are not told, native functions are", python.torch.python),
          fmt::format("use Python {}.{} to {}.{}", kFirstPython[0], kFirstPython[1], kLastPython[0], kLastPython[1])};
}

DoctorCheck check_files(const Machine& machine) {
  constexpr const char* kName = "files";
  constexpr std::uint64_t kLittle = 200'000'000;
  if (!machine.libraries_executable)
    return {kName, CheckStatus::problem,
            "zerostall lies on a file system that is mounted noexec: nothing can be injected", "install it elsewhere"};
  if (!machine.here.writable)
    return {kName, CheckStatus::note, "this folder is not writable", "record to another one: -o FILE"};
  if (!machine.temporary.is_there || !machine.temporary.writable)
    return {kName, CheckStatus::problem, "the folder for temporary files (TMPDIR or /tmp) is not writable",
            "set TMPDIR to a folder that is"};
  if (machine.most_file_bytes && *machine.most_file_bytes < kLittle)
    return {kName, CheckStatus::note,
            fmt::format("files may have {} at most (ulimit -f)", size_text(*machine.most_file_bytes)),
            "raise it (ulimit -f unlimited), or end traces in time: record --max-size"};
  for (const PlaceFacts* place : {&machine.here, &machine.temporary})
    if (place->free_bytes && *place->free_bytes < kLittle)
      return {kName, CheckStatus::note,
              fmt::format("{} has {} left", place == &machine.here ? "this folder" : "the folder for temporary files",
                          size_text(*place->free_bytes)),
              "make room, or end traces in time: record --max-size"};
  if (!machine.shared_memory.is_there || !machine.shared_memory.writable)
    return {kName, CheckStatus::note, "/dev/shm is missing or not writable: DataLoader workers of torch need it",
            "in a container: --ipc=host or --shm-size 1g"};
  return {kName,
          CheckStatus::ok,
          machine.here.free_bytes ? size_text(*machine.here.free_bytes) + " left in this folder, no limit on file size"
                                  : "this folder and the one for temporary files are writable",
          {}};
}

DoctorCheck check_system(const Machine& machine) {
  constexpr const char* kName = "system";
  const std::string text = fmt::format("{}, Linux {}, glibc {}", machine.architecture, machine.kernel, machine.libc);
  if (machine.architecture != "x86_64")
    return {kName, CheckStatus::note, text + ": tested on x86_64 only", "tell us what does not work"};
  const auto& clock = machine.clock_source;
  if (!clock.empty() && clock != "tsc" && !clock.starts_with("kvm") && !clock.starts_with("hyperv"))
    return {kName, CheckStatus::note, fmt::format("{}, clock {}: reading it takes a system call", text, clock),
            "nothing for counts; measured times of short calls are too long by about 1 us each"};
  return {kName, CheckStatus::ok, text + (clock.empty() ? "" : ", clock " + clock), {}};
}

std::vector<DoctorCheck> check_machine(const Machine& machine, const DoctorView& view) {
  return {check_gpu(machine, view),       check_driver(machine, view), check_cupti(machine, view),
          check_profiling(machine, view), check_injection(machine),    check_nvtx(machine),
          check_other_tools(machine),     check_torch(machine),        check_python_frames(machine),
          check_files(machine),           check_system(machine)};
}

}  // namespace zerostall::cli
