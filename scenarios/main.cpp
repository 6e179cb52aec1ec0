// zerostall-scenario: runs one training scenario, to be recorded by `zerostall verify` or any other tracer.
// Exit codes: 0 done, 1 training failed (NaN, CUDA error), 2 bad use.
#include <ATen/Parallel.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "scenarios/catalogue/program.h"
#include "scenarios/flux2/run.h"
#include "scenarios/options.h"

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

flux2::RunOptions run_options(const CommandLine& line) {
  flux2::RunOptions options{.config = *flux2::find_config(line.size),
                            .device = at::Device(line.device == "cuda" ? at::kCUDA : at::kCPU),
                            .batch = line.batch,
                            .seed = line.seed,
                            .pin_batch_norm = line.has_fix("bn-pinning"),
                            .unpin_from = line.sabotaged_from("bn-pinning"),
                            .training = {},
                            .samples = {}};
  options.training.updates = line.steps;
  options.training.accumulation = line.accumulation;
  options.training.learning_rate = line.learning_rate;
  options.training.blocking_from = line.sabotaged_from("async-loss");
  if (line.has_fix("async-loss")) options.training.loss_reading = train::LossReading::async;
  if (line.has_fix("async-loss=upstream")) options.training.loss_reading = train::LossReading::async_upstream;
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
  flux2::Run scenario(run_options(line));
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
