#include "profiler/cli/doctor.h"

#include <fmt/format.h>

#include <filesystem>

#include "profiler/base/shown_path.h"
#include "profiler/base/strings.h"
#include "profiler/cli/device.h"
#include "profiler/record/child.h"
#include "profiler/record/manifest.h"
#include "profiler/record/program.h"
#include "profiler/record/record.h"
#include "profiler/record/torch.h"
#include "reports/doctor_report.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBuild = "build it with ./dev build";

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

DoctorCheck check_file(std::string name, const fs::path& file, bool needed) {
  if (is_there(file)) return {std::move(name), CheckStatus::ok, shown_path(file), {}};
  return {std::move(name), needed ? CheckStatus::missing : CheckStatus::note, shown_path(file) + " is not there",
          kBuild};
}

DoctorCheck check_models(const InstallPaths& paths, bool needed) {
  const auto names = model_names(paths);
  if (!names.empty()) return {"device models", CheckStatus::ok, join(names, ", "), {}};
  return {"device models", needed ? CheckStatus::missing : CheckStatus::note, "none in " + shown_path(paths.models),
          kBuild};
}

DoctorCheck check_gpu(const GpuProbe& probe, bool needed) {
  const GpuFound gpu = probe.driver();
  if (gpu.usable) return {"GPU", CheckStatus::ok, gpu.name, {}};
  const std::string sign = nvidia_device(probe.places);
  if (!sign.empty())
    return {"GPU", needed ? CheckStatus::missing : CheckStatus::note,
            fmt::format("there is one ({}), {}", sign, gpu.why_not), "repair the driver, or use --device sim"};
  return {"GPU", needed ? CheckStatus::missing : CheckStatus::note, "none, " + gpu.why_not,
          needed ? "use --device sim" : ""};
}

// Starts ourselves with the simulated GPU as `record` would start a program.
DoctorCheck check_child(const Device& device, const InstallPaths& paths, SignalInbox& inbox) {
  constexpr const char* kName = "simulated device";
  Injection options;
  options.trace = false;
  options.simulate = true;
  options.model = device.model;
  if (const auto parts = check_parts(options, paths); !parts)
    return {kName, CheckStatus::missing, parts.error().message, {}};
  const auto child = run_child({{"/proc/self/exe", "probe-devices"}, injection(options, paths, {})}, inbox);
  if (!child) return {kName, CheckStatus::missing, child.error().message, {}};
  if (child->exit_code != 0)
    return {kName,
            CheckStatus::missing,
            fmt::format("a program does not see it (exit code {}): {}", child->exit_code, last_lines(child->err, 1)),
            {}};
  const std::string count = child->out.substr(0, child->out.find('\t'));
  return {kName,
          CheckStatus::ok,
          fmt::format("a program sees {}: {}", count == "1" ? "1 device" : count + " devices",
                      last_lines(child->out.substr(child->out.find('\t') + 1), 1)),
          {}};
}

DoctorCheck check_torch(SignalInbox& inbox) {
  auto python = find_program("python");
  if (!python) python = find_program("python3");
  if (!python) return {"torch", CheckStatus::note, "no python in PATH", {}};
  const auto torch = find_torch(*python, inbox);
  if (!torch) return {"torch", CheckStatus::note, torch.error().message, {}};
  const std::string where = fmt::format("{} (Python {})", shown_path(*python), torch->python);
  constexpr const char* kInstall = "pip install torch --index-url https://download.pytorch.org/whl/cu130";
  if (torch->version.empty()) return {"torch", CheckStatus::note, where + " has no torch", kInstall};
  if (torch->cuda.empty())
    return {"torch", CheckStatus::note, fmt::format("{} has torch {}, built for the CPU only", where, torch->version),
            kInstall};
  return {"torch",
          CheckStatus::ok,
          fmt::format("{} has torch {}, built for CUDA {}", where, torch->version, torch->cuda),
          {}};
}

void add_simulator(const Device& device, const InstallPaths& paths, SignalInbox& inbox, DoctorReport& report) {
  report.checks.push_back(check_child(device, paths, inbox));
  for (const SimulatedLibrary& library : read_manifest(paths.simulator.parent_path() / "manifest.json"))
    report.libraries.push_back({library.name, library.modelled, library.accepted, library.unsupported});
}

}  // namespace

Outcome run_doctor(const DoctorOptions& options) {
  const auto paths = own_paths();
  if (!paths) return fail(ExitCode::environment, paths.error().message);
  SignalInbox inbox;
  const GpuProbe probe = machine_probe();
  const auto chosen = choose_device(options.device, *paths, probe);
  const auto* refused = std::get_if<Outcome>(&chosen);
  if (refused != nullptr && refused->code == ExitCode::bad_use) return *refused;
  const auto* device = std::get_if<Device>(&chosen);
  const bool simulate = device != nullptr ? device->simulate : options.device.starts_with("sim");
  const bool wants_gpu = options.device == "gpu" || (options.device == "auto" && !simulate);

  DoctorReport report;
  report.device = device != nullptr ? device->name : options.device;
  report.checks.push_back(check_file("tracer", paths->tracer, true));
  report.checks.push_back(check_file("simulated GPU", paths->simulator, simulate));
  report.checks.push_back(check_models(*paths, simulate));
  report.checks.push_back(check_gpu(probe, wants_gpu));
  if (device != nullptr && simulate) add_simulator(*device, *paths, inbox, report);
  report.checks.push_back(check_torch(inbox));
  for (DoctorCheck& check : report.checks) check.text = without_home(check.text);  // errors that we pass on
  if (inbox.asks_to_stop()) return interrupted_by(inbox.stop_signal());
  return {report.works() ? ExitCode::ok : ExitCode::environment,
          options.json ? render_doctor_json(report) : render_doctor_text(report),
          {}};
}

Outcome run_probe() {
  const auto seen = visible_devices();
  if (!seen) return fail(ExitCode::environment, seen.error().message);
  return {ExitCode::ok, fmt::format("{}\t{}\n", seen->count, seen->name), {}};
}

}  // namespace zerostall::cli
