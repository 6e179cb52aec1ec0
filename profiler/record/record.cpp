#include "profiler/record/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <vector>

#include "profiler/base/shown_path.h"
#include "profiler/base/strings.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;

Result<Done> require(const fs::path& file, std::string_view what) {
  std::error_code error;
  if (fs::exists(file, error)) return Done{};
  return Error{
      fmt::format("{} is missing from this installation ({}): build it with ./dev build", what, shown_path(file))};
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Ours first, then what was there, which may hold ours already: a recorded program can run zerostall itself.
std::string in_front(const std::string& ours, const std::string& rest) {
  if (rest.empty()) return ours;
  return rest == ours || rest.starts_with(ours + ":") ? rest : fmt::format("{}:{}", ours, rest);
}

bool is_sanitizer_runtime(std::string_view library) {
  const std::string_view name = library.substr(library.rfind('/') + 1);  // npos + 1 = 0
  for (const std::string_view runtime : {"libasan.so", "libtsan.so", "liblsan.so", "libubsan.so", "libclang_rt."})
    if (name.starts_with(runtime)) return true;
  return false;
}

// The runtime of a sanitizer ends the program unless it is loaded before everything else: where the user preloads one
// it stays in front of ours.
std::string in_front_but_for_sanitizers(const std::string& ours, std::string_view before) {
  std::string runtimes;
  for (std::size_t end; !before.empty(); before.remove_prefix(std::min(end + 1, before.size()))) {
    end = std::min(before.find_first_of(": "), before.size());
    if (end > 0 && !is_sanitizer_runtime(before.substr(0, end))) break;
    if (end > 0) runtimes.append(before.substr(0, end)).append(":");
  }
  return runtimes + in_front(ours, std::string(before));
}

// The simulator, and each library it stands in for by name. That one would bring them all, yet behind what the program
// itself is linked to, which a DT_RPATH of the program finds in a real toolkit. Of one name the newest comes first.
std::string preloaded(const fs::path& simulator) {
  std::vector<std::string> libraries;
  std::error_code error;
  for (fs::directory_iterator it(simulator.parent_path(), error), end; !error && it != end; it.increment(error))
    if (it->path().filename().string().find(".so.") != std::string::npos) libraries.push_back(it->path().string());
  std::sort(libraries.begin(), libraries.end(), std::greater<>());
  libraries.insert(libraries.begin(), simulator.string());
  return join(libraries, ":");
}

void add_simulator(const Injection& options, const InstallPaths& paths, std::map<std::string, std::string>& added) {
  const std::string folder = paths.simulator.parent_path().string();
  added["ZEROSTALL_SIMULATED"] = "1";
  added["LD_PRELOAD"] = in_front_but_for_sanitizers(preloaded(paths.simulator), variable("LD_PRELOAD"));
  added["LD_LIBRARY_PATH"] = in_front(folder, variable("LD_LIBRARY_PATH"));
  added["TRITON_LIBCUDA_PATH"] = folder;
  added["ZEROSTALL_SIM_MODEL"] = options.model;
  added["ZEROSTALL_SIM_GPUS"] = std::to_string(options.gpus);
  if (!options.sim_values.empty()) added["ZEROSTALL_SIM_VALUES"] = fs::absolute(options.sim_values).string();
  // What the user asked for gets the log as well.
  if (!options.sim_log.empty())
    added["ZEROSTALL_SIM_LOG"] = in_front(fs::absolute(options.sim_log).string(), variable("ZEROSTALL_SIM_LOG"));
  // With a tracer NVTX ranges reach the simulator through it.
  if (!options.trace) added["NVTX_INJECTION64_PATH"] = folder + "/libzerostall_simcore.so";
  if (!options.host_clock.empty()) added["ZEROSTALL_SIM_HOST_CLOCK"] = options.host_clock;
  if (options.seed) added["ZEROSTALL_SIM_SEED"] = std::to_string(*options.seed);
}

}  // namespace

std::map<std::string, std::string> injection(const Injection& options, const InstallPaths& paths,
                                             const fs::path& trace) {
  std::map<std::string, std::string> added;
  if (options.trace) {
    added["ZEROSTALL_TRACE"] = fs::absolute(trace).string();  // the child may change its folder before it is opened
    // All of them: what the user's environment says of a tracer is not for this recording.
    added["ZEROSTALL_TRACE_WHOLE_GRAPHS"] = options.whole_graphs ? "1" : "0";
    added["ZEROSTALL_TRACE_GPU"] = options.counts_only ? "off" : "on";
    added["ZEROSTALL_TRACE_WINDOW"] = options.window;
    added["ZEROSTALL_TRACE_MAX_BYTES"] = std::to_string(options.max_bytes);
    added["CUDA_INJECTION64_PATH"] = added["NVTX_INJECTION64_PATH"] = paths.tracer.string();
    added["ZEROSTALL_TRACE_STACKS"] = options.stacks;
    added["ZEROSTALL_TRACE_KEEP_HOST"] = options.keep_host ? "1" : "0";
  }
  if (options.simulate) add_simulator(options, paths, added);
  return added;
}

Result<Done> check_parts(const Injection& options, const InstallPaths& paths) {
  if (options.trace)
    if (const auto tracer = require(paths.tracer, "the tracer"); !tracer) return tracer.error();
  if (!options.simulate) return Done{};
  if (const auto simulator = require(paths.simulator, "the simulated GPU"); !simulator) return simulator.error();
  if (paths.simulator.string().find_first_of(" :") != std::string::npos)
    return Error{
        fmt::format("the simulated GPU lies in a folder whose name holds a space or colon, which LD_PRELOAD "
                    "cannot take: move the installation away from {}",
                    shown_path(paths.simulator.parent_path()))};
  return Done{};
}

Result<RecordOutcome> record_run(const RecordOptions& options, const InstallPaths& paths, SignalInbox& inbox) {
  if (const auto parts = check_parts(options, paths); !parts) return parts.error();

  // Written beside the target and renamed: a reader never meets a file that is still growing.
  const fs::path growing = options.trace_file.string() + ".part";
  std::error_code ignored;
  fs::remove(growing, ignored);
  const auto child = run_child({options.argv, injection(options, paths, growing), options.without}, inbox);
  if (!child) return child.error();

  RecordOutcome outcome{*child, fs::exists(growing, ignored)};
  if (!outcome.has_trace) return outcome;
  if (child->interrupted) {
    fs::remove(growing, ignored);
    outcome.has_trace = false;
    return outcome;
  }
  std::error_code error;
  fs::rename(growing, options.trace_file, error);
  if (error) {
    fs::remove(growing, ignored);
    return Error{fmt::format("cannot write {}: {}", options.trace_file.string(), error.message())};
  }
  return outcome;
}

}  // namespace zerostall
