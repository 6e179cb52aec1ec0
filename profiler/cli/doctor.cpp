#include "profiler/cli/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "profiler/base/shown_path.h"
#include "profiler/base/strings.h"
#include "profiler/cli/device.h"
#include "profiler/cli/doctor_checks.h"
#include "profiler/record/child.h"
#include "profiler/record/machine.h"
#include "profiler/record/manifest.h"
#include "profiler/record/program.h"
#include "profiler/record/record.h"
#include "reports/doctor_report.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBuild = "build it with ./dev build, or install zerostall again";

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

DoctorCheck check_file(std::string name, const fs::path& file, bool needed) {
  if (is_there(file)) return {std::move(name), CheckStatus::ok, shown_path(file), {}};
  return {std::move(name), needed ? CheckStatus::problem : CheckStatus::note, shown_path(file) + " is not there",
          kBuild};
}

DoctorCheck check_models(const InstallPaths& paths, bool needed) {
  const auto names = model_names(paths);
  if (!names.empty()) return {"device models", CheckStatus::ok, join(names, ", "), {}};
  return {"device models", needed ? CheckStatus::problem : CheckStatus::note, "none in " + shown_path(paths.models),
          kBuild};
}

// Starts ourselves with the simulated GPU as `record` would start a program.
DoctorCheck check_child(const std::string& model, const InstallPaths& paths, SignalInbox& inbox, bool needed) {
  constexpr const char* kName = "simulated device";
  const CheckStatus bad = needed ? CheckStatus::problem : CheckStatus::note;
  Injection options;
  options.trace = false;
  options.simulate = true;
  options.model = model;
  if (const auto parts = check_parts(options, paths); !parts) return {kName, bad, parts.error().message, kBuild};
  const auto child = run_child({{"/proc/self/exe", "probe-devices"}, injection(options, paths, {})}, inbox);
  if (!child) return {kName, bad, child.error().message, kBuild};
  if (child->exit_code != 0)
    return {kName, bad,
            fmt::format("a program does not see it (exit code {}): {}", child->exit_code, last_lines(child->err, 1)),
            "build it again: ./dev build; or install zerostall again"};
  const std::string count = child->out.substr(0, child->out.find('\t'));
  return {kName,
          CheckStatus::ok,
          fmt::format("a program sees {}: {}", count == "1" ? "1 device" : count + " devices",
                      last_lines(child->out.substr(child->out.find('\t') + 1), 1)),
          {}};
}

bool has_problem(const std::vector<DoctorCheck>& checks, std::initializer_list<std::string_view> names) {
  return std::any_of(checks.begin(), checks.end(), [&](const DoctorCheck& check) {
    return check.status == CheckStatus::problem && std::find(names.begin(), names.end(), check.name) != names.end();
  });
}

DoctorView view_of(const DoctorOptions& options, const GpuProbe& probe) {
  const GpuFound gpu = probe.driver();
  DoctorView view;
  view.gpu_works = gpu.usable;
  view.gpu = gpu.usable ? gpu.name : gpu.why_not;
  view.gpu_sign = nvidia_device(probe.places);
  view.wants_gpu = options.device == "gpu" || (options.device == "auto" && (view.gpu_works || !view.gpu_sign.empty()));
  return view;
}

MachinePlaces places_of(const DoctorOptions& options, const InstallPaths& paths) {
  MachinePlaces places;
  if (const char* other = std::getenv("ZEROSTALL_DEVICE_ROOT"); other != nullptr && *other != '\0') places.root = other;
  places.libraries = paths.tracer.parent_path();
  places.python = options.python;
  return places;
}

// The simulated GPU's part. With --device gpu what is wrong with it is a note.
void add_simulator(const DoctorOptions& options, const std::string& model, const InstallPaths& paths, bool wants_gpu,
                   SignalInbox& inbox, DoctorReport& report) {
  report.checks.push_back(check_file("simulated GPU", paths.simulator, !wants_gpu));
  report.checks.push_back(check_models(paths, !wants_gpu));
  report.checks.push_back(check_child(model, paths, inbox, !wants_gpu));
  report.simulates = report.checks.back().status == CheckStatus::ok;
  for (const SimulatedLibrary& library : read_manifest(paths.simulator.parent_path() / "manifest.json"))
    report.libraries.push_back({library.name, library.modelled, library.accepted, library.unsupported});
  report.verbose = options.verbose || options.device.starts_with("sim");
}

}  // namespace

Outcome run_doctor(const DoctorOptions& options) {
  const auto paths = own_paths();
  if (!paths) return fail(ExitCode::environment, paths.error().message);
  SignalInbox inbox;
  if (!options.python.empty() && !find_program(options.python))
    return fail(ExitCode::bad_use, fmt::format("--python {}: no such program", options.python));
  const GpuProbe probe = machine_probe();
  // A GPU that is there and broken is this command's business to explain: only what cannot be meant is refused.
  const auto chosen = choose_device(options.device, *paths, probe);
  const auto* refused = std::get_if<Outcome>(&chosen);
  if (refused != nullptr && refused->code == ExitCode::bad_use) return *refused;
  const auto* device = std::get_if<Device>(&chosen);

  const DoctorView view = view_of(options, probe);
  DoctorReport report;
  const bool asks_for_model = device != nullptr && device->simulate && options.device.starts_with("sim");
  report.device = asks_for_model ? device->name : options.device;
  report.checks.push_back(check_file("tracer", paths->tracer, true));
  add_simulator(options, asks_for_model ? device->model : "h200", *paths, view.wants_gpu, inbox, report);
  for (DoctorCheck& check : check_machine(look_at_machine(places_of(options, *paths), inbox), view))
    report.checks.push_back(std::move(check));
  const bool everywhere = !has_problem(report.checks, {"tracer", "injection", "files"});
  report.simulates = report.simulates && everywhere;
  report.records_gpu = view.gpu_works && everywhere && !has_problem(report.checks, {"driver", "CUPTI"});
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
