// How long the stages of the analysis take, and how that grows: 10^4 to 10^7 launches.
#include <benchmark/benchmark.h>

#include <string>

#include "figure.h"
#include "profiler/analyze/infer_steps.h"
#include "profiler/analyze/sites.h"
#include "profiler/analyze/wait_stacks.h"
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

// `waits` read-backs, ten a step, at 200 places whose call stacks are 60 frames deep.
Trace make_waits(std::int64_t waits) {
  constexpr std::uint32_t kPlaces = 200, kFrames = 60;
  RawTrace raw;
  const StringId launch = raw.strings.intern("cudaLaunchKernel_v7000"),
                 copy = raw.strings.intern("cudaMemcpyAsync_v3020"),
                 sync = raw.strings.intern("cudaStreamSynchronize_v3020"), domain = raw.strings.intern("zerostall");
  std::uint32_t correlation = 1;
  const auto call = [&](std::int64_t at, StringId name, std::uint32_t stack) {
    RawCall c;
    c.begin_ns = at;
    c.end_ns = at + 5;
    c.thread = 1;
    c.correlation = correlation++;
    c.name = name;
    c.stack = stack;
    raw.calls.push_back(c);
    return c.correlation;
  };
  const auto work = [&](std::uint32_t of, std::int64_t at, const std::string& kernel) {
    RawGpuOp op;
    op.begin_ns = at + 5;
    op.end_ns = at + 9;
    op.correlation = of;
    op.name = raw.strings.intern(kernel);
    raw.gpu_ops.push_back(op);
    return &raw.gpu_ops.back();
  };
  for (std::int64_t i = 0; i < waits; ++i) {
    const std::int64_t at = 1000 + 40 * i;
    const auto stack = static_cast<std::uint32_t>(1 + i % kPlaces);
    if (i % 10 == 0)
      raw.marks.push_back({at, 0, 1, domain, raw.strings.intern("step " + std::to_string(i / 10)), RawMarkKind::push});
    work(call(at, launch, 0), at, "void at::native::vectorized_elementwise_kernel_" + std::to_string(i % 41));
    RawGpuOp* op = work(call(at + 10, copy, stack), at + 10, "");
    op->kind = GpuOpKind::copy;
    op->direction = CopyDirection::device_to_host;
    op->target = MemoryKind::pinned;
    op->bytes = 4;
    call(at + 20, sync, stack);
    if (i % 10 == 9) raw.marks.push_back({at + 30, 0, 1, domain, 0, RawMarkKind::pop});
  }
  for (std::uint32_t id = 1; id <= kPlaces; ++id) {
    Stack& stack = raw.stacks.stacks[id];
    stack.python_frames = PythonFrames::known;
    for (std::uint32_t f = 0; f < kFrames; ++f)
      stack.python.push_back(
          {raw.strings.intern(f < kFrames / 2 ? "site-packages/torch/nn/modules/module.py" : "project/train.py"),
           raw.strings.intern("function_" + std::to_string(f)), id * 100 + f});
  }
  return build_trace(std::move(raw));
}

// What is known of the places of waits: causes, sites and stacks.
void places(benchmark::State& state) {
  const Trace trace = make_waits(state.range(0));
  const Steps steps = split_steps(trace);
  const auto waits = find_waits(trace);
  const Measured measured = measure_steps(trace, steps, waits);
  SourceTexts sources;
  for (std::uint32_t line = 1; line < 30'000; ++line) sources[{"project/train.py", line}] = "    value = f(x, y)";
  std::size_t found = 0;
  for (auto _ : state) {
    const auto causes = find_causes(trace, steps, waits, sources);
    found = find_sites(trace, steps, waits, causes, measured, 2, sources).sites.size();
    found += find_wait_stacks(trace, waits, measured, 2).size();
    benchmark::DoNotOptimize(found);
  }
  state.counters["places"] = static_cast<double>(found);
  state.counters["ns_per_wait"] =
      benchmark::Counter(static_cast<double>(state.range(0)) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.SetComplexityN(state.range(0));
}
BENCHMARK(places)
    ->RangeMultiplier(10)
    ->Range(1'000, 100'000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oNLogN);

}  // namespace
}  // namespace zerostall

int main(int argc, char** argv) {
  std::vector<zerostall::FigureRun> all;
  const auto add = [&](const std::string& run, std::int64_t n, const std::string& id, const std::string& what,
                       const std::string& of) {
    const std::string number = std::to_string(n);
    all.push_back({run + "/" + number,
                   {id + "." + number, number + " " + std::string(of == "launch" ? "launches: " : "waits: ") + what,
                    "us/" + of, 0, "", (of == "launch" ? "launches: " : "waits: ") + what, static_cast<double>(n)},
                   1e6 / static_cast<double>(n)});
  };
  for (std::int64_t launches = 10'000; launches <= 10'000'000; launches *= 10) {
    add("infer/optimizer", launches, "analyze.infer-optimizer", "steps inferred from the optimizer", "launch");
    add("infer/period", launches, "analyze.infer-period", "steps inferred from a period", "launch");
    add("infer/nothing", launches, "analyze.infer-nothing", "no steps to infer", "launch");
  }
  for (std::int64_t waits = 1'000; waits <= 100'000; waits *= 10)
    add("places", waits, "analyze.places", "causes and places, 60 frames deep", "wait");
  return zerostall::run_benchmarks(argc, argv, all);
}
