#include "profiler/cli/device.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/cli/names.h"
#include "profiler/record/gpu.h"

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

std::variant<Device, Outcome> choose_device(const std::string& asked, const InstallPaths& paths) {
  if (asked == "sim") return simulated(std::string(kDefaultModel), paths);
  if (asked.starts_with("sim:")) return simulated(asked.substr(4), paths);
  if (asked != "auto" && asked != "gpu")
    return fail(ExitCode::bad_use, fmt::format("--device {}: use auto, gpu, sim or sim:MODEL", asked));
  const GpuFound gpu = detect_gpu();
  if (gpu.usable) return Device{false, "", "gpu", gpu.name};
  if (asked == "gpu")
    return fail(ExitCode::environment, fmt::format("{}: use --device sim to run on the simulated GPU", gpu.why_not));
  auto device = simulated(std::string(kDefaultModel), paths);
  if (auto* failed = std::get_if<Outcome>(&device))
    failed->error = fmt::format("{}, and {}", gpu.why_not, failed->error);
  return device;
}

}  // namespace zerostall::cli
