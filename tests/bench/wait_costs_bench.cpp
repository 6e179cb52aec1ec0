// What the analysis takes from `RawTrace` to `RunSummary`, and the parts that look at waits and their costs, by the
// number of events (calls, GPU work, marks). Limit: 0.7 s for a million, on one core.
#include <benchmark/benchmark.h>

#include <ctime>

#include "profiler/analyze/summary.h"
#include "profiler/trace/build_trace.h"
#include "tests/bench/made_run.h"

namespace zerostall {
namespace {

constexpr double kLimit_s = 0.7e-6;  // an event
double cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// CPU seconds of `body`, of what `prepare` made.
template <class Prepare, class Body>
void measure(benchmark::State& state, Prepare prepare, Body body) {
  for (auto _ : state) {
    auto prepared = prepare();
    const double begin = cpu_s();
    const auto result = body(prepared);
    benchmark::DoNotOptimize(&result);
    state.SetIterationTime(cpu_s() - begin);
  }
  const auto events = static_cast<double>(state.range(0));
  state.counters["of_limit"] = benchmark::Counter(static_cast<double>(state.iterations()) * events * kLimit_s,
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

struct Analysed {
  Trace trace;
  Steps steps;
  std::vector<Wait> waits;
};

Analysed analysed(std::int64_t events) {
  Analysed a;
  a.trace = build_trace(MadeRun(events).make());
  a.steps = split_steps(a.trace);
  a.waits = find_waits(a.trace);
  return a;
}

void raw_trace_to_summary(benchmark::State& state) {
  measure(
      state, [&] { return MadeRun(state.range(0)).make(); },
      [](RawTrace& made) { return analyze(std::move(made), {}); });
}
BENCHMARK(raw_trace_to_summary)
    ->RangeMultiplier(10)
    ->Range(10'000, 10'000'000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void build(benchmark::State& state) {
  measure(
      state, [&] { return MadeRun(state.range(0)).make(); },
      [](RawTrace& made) { return build_trace(std::move(made)); });
}
BENCHMARK(build)->Arg(1'000'000)->UseManualTime()->Unit(benchmark::kMillisecond);

void waits(benchmark::State& state) {
  const Analysed a = analysed(state.range(0));
  measure(
      state, [] { return 0; }, [&](int) { return find_waits(a.trace); });
}
BENCHMARK(waits)->RangeMultiplier(10)->Range(10'000, 10'000'000)->UseManualTime()->Unit(benchmark::kMillisecond);

void costs(benchmark::State& state) {
  const Analysed a = analysed(state.range(0));
  measure(
      state, [] { return 0; }, [&](int) { return cost_of_waits(a.trace, a.steps, a.waits); });
}
BENCHMARK(costs)->RangeMultiplier(10)->Range(10'000, 10'000'000)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace zerostall
