#include "profiler/record/record.h"

#include <fmt/format.h>

#include <cstdlib>

namespace zerostall {
namespace {

namespace fs = std::filesystem;

Result<Done> require(const fs::path& file, std::string_view what) {
  std::error_code error;
  if (fs::exists(file, error)) return Done{};
  return Error{
      fmt::format("{} is missing from this installation ({}): build it with ./dev build", what, file.string())};
}

}  // namespace

std::map<std::string, std::string> injection(const RecordOptions& options, const InstallPaths& paths,
                                             const fs::path& trace) {
  // Absolute, since the child may change its folder before the first CUDA call.
  std::map<std::string, std::string> added = {{"ZEROSTALL_TRACE", fs::absolute(trace).string()},
                                              {"CUDA_INJECTION64_PATH", paths.tracer.string()},
                                              {"NVTX_INJECTION64_PATH", paths.tracer.string()}};
  if (!options.simulate) return added;
  const char* before = std::getenv("LD_PRELOAD");
  added["LD_PRELOAD"] =
      paths.simulator.string() + (before != nullptr && *before != '\0' ? fmt::format(":{}", before) : "");
  added["ZEROSTALL_SIM_MODEL"] = options.model;
  if (!options.sim_log.empty()) added["ZEROSTALL_SIM_LOG"] = fs::absolute(options.sim_log).string();
  return added;
}

Result<RecordOutcome> record_run(const RecordOptions& options, const InstallPaths& paths, SignalInbox& inbox) {
  if (const auto tracer = require(paths.tracer, "the tracer"); !tracer) return tracer.error();
  if (options.simulate)
    if (const auto simulator = require(paths.simulator, "the simulated GPU"); !simulator) return simulator.error();

  // Written beside the target and renamed: a reader never meets a file that is still growing.
  const fs::path growing = options.trace.string() + ".part";
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
  fs::rename(growing, options.trace, error);
  if (error) {
    fs::remove(growing, ignored);
    return Error{fmt::format("cannot write {}: {}", options.trace.string(), error.message())};
  }
  return outcome;
}

}  // namespace zerostall
