#include "profiler/cli/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "profiler/cli/names.h"

namespace zerostall::cli {
namespace {

constexpr std::string_view kDefaultModel = "h200";

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

std::variant<Device, Outcome> simulated(const std::string& model, const InstallPaths& paths) {
  const auto known = model_names(paths);
  if (known.empty())
    return fail(ExitCode::environment, "the simulated GPU is not part of this installation: build it with ./dev build");
  const std::vector<std::string_view> names(known.begin(), known.end());
  if (std::find(names.begin(), names.end(), model) == names.end())
    return fail(ExitCode::bad_use, unknown_name("device model", model, names));
  return Device{true, model, "sim:" + model, "simulated " + upper(model)};
}

}  // namespace

GpuProbe machine_probe() {
  GpuProbe probe;
  const char* other = std::getenv("ZEROSTALL_DEVICE_ROOT");
  if (other == nullptr || *other == '\0') return probe;
  const std::filesystem::path root = other;
  probe.places = {root / "dev", root / "proc/driver/nvidia", root / "sys/bus/pci/devices"};
  return probe;
}

std::variant<Device, Outcome> choose_device(const std::string& asked, const InstallPaths& paths,
                                            const GpuProbe& probe) {
  if (asked == "sim") return simulated(std::string(kDefaultModel), paths);
  if (asked.starts_with("sim:")) return simulated(asked.substr(4), paths);
  if (asked != "auto" && asked != "gpu")
    return fail(ExitCode::bad_use, fmt::format("--device {}: use auto, gpu, sim or sim:MODEL", asked));
  // Started by a simulated command: the driver we would find is ours.
  const char* simulated_already = std::getenv("ZEROSTALL_SIMULATED");
  const bool nested = simulated_already != nullptr && *simulated_already != '\0';
  const GpuFound gpu = nested ? GpuFound{false, "", "this command runs inside a simulated one"} : probe.driver();
  if (gpu.usable) return Device{false, "", "gpu", gpu.name};
  if (asked == "gpu")
    return fail(ExitCode::environment, fmt::format("{}: use --device sim to run on the simulated GPU", gpu.why_not));
  if (const std::string sign = nvidia_device(probe.places); !nested && !sign.empty())
    return fail(ExitCode::environment,
                fmt::format("there is a GPU ({}) that cannot be used: {}; repair the driver, or ask for the simulated "
                            "GPU with --device sim",
                            sign, gpu.why_not));
  auto device = simulated(std::string(kDefaultModel), paths);
  if (auto* failed = std::get_if<Outcome>(&device))
    failed->error = fmt::format("{}, and {}", gpu.why_not, failed->error);
  return device;
}

std::string simulated_warning(const Device& device) {
  return fmt::format("{}: kernels compute nothing; losses, checkpoints and uploads of this run are meaningless",
                     device.title);
}

}  // namespace zerostall::cli
