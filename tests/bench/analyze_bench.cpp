// How long the stages of the analysis take, and how that grows: 10^4 to 10^7 launches.
#include <benchmark/benchmark.h>

#include <string>

#include "profiler/analyze/infer_steps.h"
#include "profiler/trace/build_trace.h"

namespace zerostall {
namespace {

constexpr std::int64_t kStep = 500;  // launches of a step

// Which kernel the i-th launch runs.
using Kernel = std::string (*)(std::int64_t);

std::string with_optimizer(std::int64_t i) {
  return i % kStep >= kStep - 20 ? "multi_tensor_apply_kernel" : "gemm_" + std::to_string(i % kStep % 37);
}
std::string without_optimizer(std::int64_t i) { return "gemm_" + std::to_string(i % kStep * i % kStep % 37); }
std::string changing_shapes(std::int64_t i) {
  return i % kStep >= kStep - 20 ? "multi_tensor_apply_kernel"
                                 : "gemm_" + std::string(1 + i % kStep % 37, 'x') + std::to_string(i / kStep % 1000);
}
std::string random(std::int64_t i) {
  auto x = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  return "gemm_" + std::to_string((x ^ (x >> 27)) % 41);
}

// The worst case: an optimizer again and again, and never the same between.
std::string wild_optimizer(std::int64_t i) {
  const std::string name = random(i);
  return name < "gemm_2" ? "multi_tensor_apply_kernel" : name;
}

Trace make_trace(std::int64_t launches, Kernel kernel) {
  RawTrace raw;
  const StringId launch = raw.strings.intern("cudaLaunchKernel_v7000");
  for (std::int64_t i = 0; i < launches; ++i) {
    RawCall call;
    call.begin_ns = 1000 + 10 * i;
    call.end_ns = call.begin_ns + 5;
    call.thread = 1;
    call.correlation = static_cast<std::uint32_t>(i + 1);
    call.name = launch;
    raw.calls.push_back(call);
    RawGpuOp op;
    op.begin_ns = call.end_ns;
    op.end_ns = op.begin_ns + 5;
    op.correlation = call.correlation;
    op.name = raw.strings.intern(kernel(i));
    raw.gpu_ops.push_back(op);
  }
  return build_trace(std::move(raw));
}

void infer(benchmark::State& state, Kernel kernel) {
  const Trace trace = make_trace(state.range(0), kernel);
  std::size_t steps = 0;
  for (auto _ : state) {
    const InferredSteps found = infer_steps(trace);
    benchmark::DoNotOptimize(steps = found.steps.steps.size());
  }
  state.counters["steps"] = static_cast<double>(steps);
  state.counters["ns_per_launch"] =
      benchmark::Counter(static_cast<double>(state.range(0)) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.SetComplexityN(state.range(0));
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->RangeMultiplier(10)->Range(10'000, 10'000'000)->Unit(benchmark::kMillisecond)->Complexity(benchmark::oNLogN);
}

BENCHMARK_CAPTURE(infer, optimizer, with_optimizer)->Apply(sizes);
BENCHMARK_CAPTURE(infer, period, without_optimizer)->Apply(sizes);
BENCHMARK_CAPTURE(infer, changing_shapes, changing_shapes)->Apply(sizes);
BENCHMARK_CAPTURE(infer, nothing, random)->Apply(sizes);
BENCHMARK_CAPTURE(infer, wild_optimizer, wild_optimizer)->Apply(sizes);

}  // namespace
}  // namespace zerostall

BENCHMARK_MAIN();
