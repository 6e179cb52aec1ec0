// What the analysis takes from `RawTrace` to `RunSummary`, and the parts that look at waits and their costs, by the
// number of events (calls, GPU work, marks), on one core.
#include <benchmark/benchmark.h>

#include <ctime>

#include "figure.h"
#include "profiler/analyze/summary.h"
#include "profiler/trace/build_trace.h"
#include "tests/bench/made_run.h"

namespace zerostall {
namespace {

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

int main(int argc, char** argv) {
  std::vector<zerostall::FigureRun> all;
  for (std::int64_t events = 10'000; events <= 10'000'000; events *= 10) {
    const auto add = [&](const std::string& run, const std::string& id, const std::string& what) {
      const std::string number = std::to_string(events);
      all.push_back({run + "/" + number + "/manual_time",
                     {id + number, number + " events: " + what, "us/event", 0, "", "events: " + what,
                      static_cast<double>(events)},
                     1e6 / static_cast<double>(events)});
    };
    add("raw_trace_to_summary", "analyze.summary.", "from raw trace to summary");
    add("waits", "analyze.waits.", "finding waits");
    add("costs", "analyze.costs.", "costs of waits");
  }
  return zerostall::run_benchmarks(argc, argv, all);
}
