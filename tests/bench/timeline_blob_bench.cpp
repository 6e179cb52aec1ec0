// What the timeline of a report takes, by the number of events (calls, GPU work, marks). Limits: 1 us and 6 bytes an
// event, on one core.
#include <benchmark/benchmark.h>

#include <ctime>

#include "profiler/trace/build_trace.h"
#include "reports/timeline_blob.h"
#include "tests/bench/made_run.h"

namespace zerostall {
namespace {

constexpr double kLimit_s = 1e-6, kLimitBytes = 6;  // an event

struct Analysed {
  Trace trace;
  Steps steps;
  std::vector<Wait> waits;
  RunSummary summary;

  explicit Analysed(std::int64_t events) : trace(build_trace(MadeRun(events, 200, 3'000).make())) {
    steps = split_steps(trace);
    waits = find_waits(trace);
    summary = summarize(trace, steps, waits, measure_steps(trace, steps, waits), {});
  }
  TimelineSource source() const { return {&trace, &steps, &waits, &summary}; }
};

double cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void timeline(benchmark::State& state) {
  const Analysed run(state.range(0));
  const auto events = static_cast<double>(state.range(0));
  TimelineBlob blob;
  for (auto _ : state) {
    const double begin = cpu_s();
    blob = make_timeline_blob(run.source(), static_cast<Bytes>(state.range(1)));
    state.SetIterationTime(cpu_s() - begin);
  }
  state.counters["of_limit"] = benchmark::Counter(static_cast<double>(state.iterations()) * events * kLimit_s,
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["bytes"] = static_cast<double>(blob.base64.size());
  state.counters["bytes_of_limit"] = static_cast<double>(blob.base64.size()) / (events * kLimitBytes);
  state.counters["slices"] = static_cast<double>(blob.slices);
}
BENCHMARK(timeline)
    ->ArgNames({"events", "at_most"})
    ->Args({10'000, 8'000'000})
    ->Args({100'000, 8'000'000})
    ->Args({1'000'000, 8'000'000})
    ->Args({1'000'000, 2'000'000})
    ->Args({10'000'000, 8'000'000})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace zerostall

BENCHMARK_MAIN();
