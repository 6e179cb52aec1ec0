#include "profiler/record/machine.h"

#include <gnu/libc-version.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "profiler/record/elf.h"
#include "profiler/record/program.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  if (std::ifstream in(file); in) text << in.rdbuf();
  return text.str();
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// "RmProfilingAdminOnly: 1" is how the module lists what NVreg_RestrictProfilingToAdminUsers set.
std::optional<bool> only_admins_profile(const std::string& parameters) {
  static const std::regex kLine("(RmProfilingAdminOnly|RestrictProfilingToAdminUsers): *([0-9]+)");
  std::smatch match;
  if (!std::regex_search(parameters, match, kLine)) return std::nullopt;
  return match[2] != "0";
}

DriverFacts look_at_driver(const fs::path& root) {
  DriverFacts driver;
  driver.version = driver_version_in(text_of(root / "proc/driver/nvidia/version"));
  if (driver.version.empty()) std::istringstream(text_of(root / "sys/module/nvidia/version")) >> driver.version;
  driver.nouveau = is_there(root / "sys/module/nouveau");
  driver.only_admins_profile = only_admins_profile(text_of(root / "proc/driver/nvidia/params"));
  for (const std::string& name : names_in(root / "dev")) {
    const bool is_gpu = name.starts_with("nvidia") && name.find_first_not_of("0123456789", 6) == std::string::npos;
    if (!is_gpu && name != "nvidiactl" && name != "nvidia-uvm") continue;
    driver.device_files.push_back(name);
    if (::access((root / "dev" / name).c_str(), R_OK | W_OK) != 0) driver.closed_files.push_back(name);
  }
  return driver;
}

// Version of a libcupti by names of files: what its link points to, else the wheel that it came with.
std::string cupti_version(const fs::path& file) {
  std::error_code error;
  const std::string full = fs::canonical(file, error).filename().string();
  constexpr std::string_view kBefore = "libcupti.so.";
  if (full.starts_with(kBefore) && std::count(full.begin(), full.end(), '.') > 2) return full.substr(kBefore.size());
  for (fs::path folder = file.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (folder.filename() != "site-packages" && folder.filename() != "dist-packages") continue;
    for (const std::string& name : names_in(folder))
      if (name.starts_with("nvidia_cuda_cupti") && name.ends_with(".dist-info"))
        return name.substr(name.find('-') + 1,
                           name.size() - name.find('-') - 1 - std::string_view(".dist-info").size());
  }
  return {};
}

// Where the tracer looks for it in a program that has loaded this torch, in its order
// (profiler/tracer/cupti_library.cpp).
CuptiFound look_for_cupti(const TorchFound& torch, const fs::path& root) {
  std::vector<fs::path> folders;
  const std::string major = torch.cuda.substr(0, torch.cuda.find('.'));
  if (!torch.folder.empty()) {
    const fs::path lib = fs::path(torch.folder) / "lib", packages = fs::path(torch.folder).parent_path();
    folders = {lib, packages / ("nvidia/cu" + major) / "lib", packages / "nvidia/cuda_cupti/lib"};
  }
  std::istringstream search(variable("LD_LIBRARY_PATH"));
  for (std::string folder; std::getline(search, folder, ':');)
    if (!folder.empty() && !folder.ends_with("stubs")) folders.emplace_back(folder);
  for (const fs::path& toolkit :
       {fs::path(variable("CUDA_HOME")), fs::path(variable("CUDA_PATH")), root / "usr/local/cuda"})
    if (!toolkit.empty())
      for (const char* below : {"extras/CUPTI/lib64", "lib64", "targets/x86_64-linux/lib", "lib"})
        folders.push_back(toolkit / below);
  for (const char* folder : {"usr/lib/x86_64-linux-gnu", "usr/lib64"}) folders.push_back(root / folder);
  const std::vector<std::string> majors = major.empty() ? std::vector<std::string>{"13", "12"} : std::vector{major};
  for (const fs::path& folder : folders)
    for (const std::string& one : majors)
      if (const fs::path file = folder / ("libcupti.so." + one); is_there(file)) return {file, cupti_version(file)};
  return {};
}

PythonFacts look_at_python(const std::string& asked, SignalInbox& inbox) {
  PythonFacts facts;
  std::optional<fs::path> python = find_program(asked.empty() ? "python" : asked);
  if (!python && asked.empty()) python = find_program("python3");
  if (!python) return facts;
  facts.file = *python;
  if (const auto links = elf_links(*python)) facts.is_static = !links->has_interpreter;
  const auto torch = find_torch(*python, inbox);
  if (!torch) {
    facts.error = torch.error().message;
    return facts;
  }
  facts.torch = *torch;
  if (torch->cuda.empty()) return facts;
  if (const auto links = elf_links(fs::path(torch->folder) / "lib/libc10_cuda.so"))
    facts.shares_cuda_runtime = std::any_of(links->needed.begin(), links->needed.end(),
                                            [](const auto& name) { return name.starts_with("libcudart.so"); });
  return facts;
}

// By the name of the process, of which the kernel keeps 15 letters.
std::vector<std::string> running_tools(const fs::path& root) {
  constexpr auto kTools = std::to_array<std::array<std::string_view, 2>>({{"nsys", "Nsight Systems"},
                                                                          {"nsys-launcher", "Nsight Systems"},
                                                                          {"ncu", "Nsight Compute"},
                                                                          {"nv-nsight-cu-cl", "Nsight Compute"},
                                                                          {"compute-sanitiz", "Compute Sanitizer"},
                                                                          {"nv-hostengine", "DCGM"},
                                                                          {"dcgm-exporter", "DCGM"},
                                                                          {"dynolog", "dynolog (Kineto)"}});
  std::vector<std::string> tools;
  for (const std::string& name : names_in(root / "proc")) {
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::string process;
    std::istringstream(text_of(root / "proc" / name / "comm")) >> process;
    for (const auto& [comm, tool] : kTools)
      if (process == comm && std::find(tools.begin(), tools.end(), tool) == tools.end()) tools.emplace_back(tool);
  }
  return tools;
}

// Bit 21 of the effective capabilities: CAP_SYS_ADMIN.
bool may_administer(const fs::path& root) {
  static const std::regex kLine("CapEff:\\s*([0-9a-f]+)");
  const std::string status = text_of(root / "proc/self/status");
  std::smatch match;
  return std::regex_search(status, match, kLine) && (std::stoull(match[1], nullptr, 16) >> 21 & 1) != 0;
}

PlaceFacts look_at_place(const fs::path& folder) {
  PlaceFacts place{is_there(folder), ::access(folder.c_str(), W_OK | X_OK) == 0, std::nullopt};
  struct statvfs system {};
  if (place.is_there && ::statvfs(folder.c_str(), &system) == 0)
    place.free_bytes = std::uint64_t{system.f_bavail} * system.f_frsize;
  return place;
}

void look_at_system(const MachinePlaces& places, Machine& machine) {
  struct utsname name {};
  if (::uname(&name) == 0) machine.architecture = name.machine, machine.kernel = name.release;
  machine.libc = ::gnu_get_libc_version();
  std::istringstream(text_of(places.root / "sys/devices/system/clocksource/clocksource0/current_clocksource")) >>
      machine.clock_source;
  struct statvfs system {};
  if (::statvfs(places.libraries.c_str(), &system) == 0)
    machine.libraries_executable = (system.f_flag & ST_NOEXEC) == 0;
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    machine.most_file_bytes = limit.rlim_cur;
  machine.here = look_at_place(".");
  const std::string temporary = variable("TMPDIR");
  machine.temporary = look_at_place(temporary.empty() ? "/tmp" : temporary);
  machine.shared_memory = look_at_place(places.root / "dev/shm");
}

}  // namespace

std::string driver_version_in(const std::string& text) {
  static const std::regex kVersion("Module[^\\n]*? ([0-9]{3,}\\.[0-9]+(\\.[0-9]+)?)");
  std::smatch match;
  return std::regex_search(text, match, kVersion) ? match[1].str() : std::string();
}

std::string tool_of_library(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name.empty()) return {};
  if (name.find("zerostall") != std::string::npos) return "zerostall";
  if (name.starts_with("libToolsInjection")) return "Nsight Systems";
  if (name.starts_with("libcuda-injection")) return "Nsight Compute";
  if (name.starts_with("libsanitizer-collection")) return "Compute Sanitizer";
  return "another tool";
}

Machine look_at_machine(const MachinePlaces& places, SignalInbox& inbox) {
  Machine machine;
  machine.driver = look_at_driver(places.root);
  machine.python = look_at_python(places.python, inbox);
  machine.cupti = look_for_cupti(machine.python.torch, places.root);
  for (const char* name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"})
    machine.injection.push_back({name, tool_of_library(variable(name))});
  const std::string preloaded = variable("LD_PRELOAD");
  machine.preloaded_by = tool_of_library(preloaded.substr(0, preloaded.find_first_of(": ")));
  machine.running_tools = running_tools(places.root);
  machine.container = is_there(places.root / ".dockerenv") || is_there(places.root / "run/.containerenv");
  machine.may_administer = may_administer(places.root);
  look_at_system(places, machine);
  return machine;
}

}  // namespace zerostall
