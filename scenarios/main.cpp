// zerostall-scenario: runs one training scenario, to be recorded by `zerostall verify` or any other tracer.
// Exit codes: 0 done, 1 training failed (NaN, CUDA error), 2 bad use.
#include <ATen/Parallel.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "scenarios/catalogue/program.h"
#include "scenarios/ernie/model.h"
#include "scenarios/flux2/model.h"
#include "scenarios/ideogram4/model.h"
#include "scenarios/options.h"
#include "scenarios/train/run.h"

namespace zerostall::scenarios {
namespace {

void print(const train::LossLine& line) {
  std::printf("update %lld loss %.4f smooth %.4f lr %.3g\n", static_cast<long long>(line.update), line.loss,
              line.smooth_loss, line.learning_rate);
}

// Per parameter one line "name sizes...", then its raw little-endian fp32 values and a newline. Written beside `path`
// and renamed, so that there never is half a file under that name.
void dump(const std::vector<train::NamedParameter>& parameters, const std::string& path) {
  const std::string part = path + ".part";
  std::ofstream file(part, std::ios::binary);
  for (const train::NamedParameter& parameter : parameters) {
    const at::Tensor value = parameter.value.detach().cpu().contiguous();
    file << parameter.name;
    for (const std::int64_t size : value.sizes()) file << ' ' << size;
    file << '\n';
    file.write(static_cast<const char*>(value.const_data_ptr()), static_cast<std::streamsize>(value.nbytes())) << '\n';
  }
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(part, path, error);
  if (!file || error) {
    std::filesystem::remove(part, error);
    throw std::runtime_error("cannot write weights to '" + path + "'");
  }
}

train::Model make_model(const CommandLine& line, const train::ModelOptions& options) {
  // Scenario and size were checked with the command line.
  if (line.scenario == "ideogram4") return *ideogram4::make_model(line.size, options);
  if (line.scenario == "ernie") return *ernie::make_model(line.size, options);
  return *flux2::make_model(line.size, options);
}

struct FixFlag {
  std::string_view name;
  bool train::FixesOn::*flag;
};
constexpr FixFlag kFlags[] = {{"bn-pinning", &train::FixesOn::bn_pinning},
                              {"pinned-batch", &train::FixesOn::pinned_batch},
                              {"cached-guidance", &train::FixesOn::cached_guidance},
                              {"host-lengths", &train::FixesOn::host_lengths},
                              {"resume-steps-on-cpu", &train::FixesOn::resume_steps_on_cpu},
                              {"async-ema", &train::FixesOn::async_ema},
                              {"deferred-finite-check", &train::FixesOn::deferred_finite_check},
                              {"fp8-scale-cached", &train::FixesOn::fp8_scale_cached}};

train::RunOptions run_options(const CommandLine& line) {
  train::RunOptions options{.make_model = [line](const train::ModelOptions& model) { return make_model(line, model); },
                            .settings = line.settings,
                            .device = at::Device(line.device == "cuda" ? at::kCUDA : at::kCPU),
                            .batch = line.batch,
                            .seed = line.seed,
                            .fixes = {},
                            .undo = {},
                            .training = {.updates = line.steps,
                                         .accumulation = line.accumulation,
                                         .learning_rate = line.settings.learning_rate},
                            .samples = {},
                            .all_reduce_mean = {}};
  for (const FixFlag& fix : kFlags) {
    options.fixes.*fix.flag = line.has_fix(std::string(fix.name));
    if (const std::int64_t from = line.sabotaged_from(std::string(fix.name)); from >= 0)
      options.undo.push_back({.fix = fix.flag, .from_update = from});
  }
  if (line.has_fix("async-loss")) options.fixes.loss_reading = train::LossReading::async;
  if (line.has_fix("async-loss=upstream")) options.fixes.loss_reading = train::LossReading::async_upstream;
  if (const std::int64_t from = line.sabotaged_from("async-loss"); from >= 0)
    options.undo.push_back({.fix = nullptr, .from_update = from});
  return options;
}

void run(const CommandLine& line) {
  if (line.device == "cuda" && !at::hasCUDA()) {
    throw UsageError(
        "no CUDA device; use --device cpu --size tiny, or start through `zerostall verify`, which simulates one");
  }
  // One host thread: what is measured is the calling thread, and on the CPU device results do not depend on the
  // machine.
  at::set_num_threads(1);
  train::Run scenario(run_options(line));
  train::LossLog log(print);
  scenario.train(log);
  if (!line.dump_weights.empty()) dump(scenario.parameters(), line.dump_weights);
}

}  // namespace
}  // namespace zerostall::scenarios

int main(int argc, char** argv) {
  namespace scenarios = zerostall::scenarios;
  // c10::Error carries a stack trace of many lines; the first one says it all.
  const auto fail = [](const std::string& message, int code) {
    std::fflush(stdout);
    std::fprintf(stderr, "zerostall-scenario: %s\n", message.substr(0, message.find('\n')).c_str());
    return code;
  };
  try {
    if (argc > 1 && std::string_view(argv[1]) == "catalogue")
      scenarios::catalogue::run_program(argc - 1, argv + 1);
    else
      scenarios::run(scenarios::parse_command_line(argc, argv));
    return 0;
  } catch (const scenarios::HelpRequested& help) {
    std::fputs(help.what(), stdout);
    return 0;
  } catch (const scenarios::UsageError& error) {
    return fail(error.what(), 2);
  } catch (const c10::Error& error) {
    return fail(error.what_without_backtrace(), 1);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}
