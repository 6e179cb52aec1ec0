// The main job against its limits: four settings of 12 steps, wall time and peak memory of the whole process tree's
// largest member, and whether the training process grows with the number of steps.
#include <benchmark/benchmark.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "figure.h"
#include "profiler/record/record.h"

namespace zerostall {
namespace {

ChildResult run(std::vector<std::string> argv, std::map<std::string, std::string> environment = {}) {
  SignalInbox inbox;
  auto result = run_child({std::move(argv), std::move(environment)}, inbox);
  if (!result) throw std::runtime_error(result.error().message);
  if (result->exit_code != 0) throw std::runtime_error(result->err);
  return std::move(*result);
}

// One training process under the tracer, as verify starts it.
double peak_of_training(const std::string& size, int steps) {
  RecordOptions options;
  options.trace_file = std::filesystem::temp_directory_path() / "zerostall-bench.zstall";
  options.simulate = true;
  std::filesystem::remove(options.trace_file);
  const InstallPaths paths = paths_beside(BIN_DIR);
  const auto child = run({paths.scenario_program.string(), "flux2", "--size", size, "--steps", std::to_string(steps)},
                         injection(options, paths, options.trace_file));
  std::filesystem::remove(options.trace_file);
  return static_cast<double>(child.peak_memory);
}

void verify(benchmark::State& state, const std::string& size) {
  double peak = 0;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    peak = std::max(peak, static_cast<double>(run({ZEROSTALL_PROGRAM, "verify", "flux2", "--size", size}).peak_memory));
    const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    state.SetIterationTime(s);
  }
  state.counters["largest_process_MiB"] = peak / (1 << 20);
}

void memory(benchmark::State& state, const std::string& size) {
  double few = 0, many = 0;
  for (auto _ : state) {
    few = peak_of_training(size, 4);
    many = peak_of_training(size, 40);
  }
  state.counters["peak_MiB"] = many / (1 << 20);
  state.counters["peak_40_steps_over_4"] = many / few;
}

BENCHMARK_CAPTURE(verify, tiny, "tiny")->UseManualTime()->Iterations(3)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(verify, klein_9b, "klein-9b")->UseManualTime()->Iterations(3)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(memory, tiny, "tiny")->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(memory, klein_9b, "klein-9b")->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace zerostall

int main(int argc, char** argv) {
  std::vector<zerostall::FigureRun> all;
  for (const auto& [run, size] : {std::pair<std::string, std::string>{"tiny", "tiny"}, {"klein_9b", "klein-9b"}}) {
    const std::string job = "verify flux2, " + size, verify = "verify/" + run + "/iterations:3/manual_time",
                      memory = "memory/" + run + "/iterations:1";
    all.push_back({verify, {"verify.time." + size, job + ", 12 steps, four settings", "s"}, 1});
    all.push_back({verify, {"verify.memory." + size, job + ": largest process", "MiB"}, 1, "largest_process_MiB"});
    all.push_back({memory,
                   {"verify.growth." + size, job + ": memory after 40 steps over that after 4", "x"},
                   1,
                   "peak_40_steps_over_4"});
  }
  return zerostall::run_benchmarks(argc, argv, all);
}
