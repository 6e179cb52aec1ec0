// What the timeline of a report takes, by the number of events (calls, GPU work, marks), on
// one core.
#include <benchmark/benchmark.h>

#include <ctime>

#include "figure.h"
#include "profiler/trace/build_trace.h"
#include "reports/timeline_blob.h"
#include "tests/bench/made_run.h"

namespace zerostall {
namespace {

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
  TimelineBlob blob;
  for (auto _ : state) {
    const double begin = cpu_s();
    blob = make_timeline_blob(run.source(), static_cast<Bytes>(state.range(1)));
    state.SetIterationTime(cpu_s() - begin);
  }
  state.counters["bytes"] = static_cast<double>(blob.base64.size());
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

int main(int argc, char** argv) {
  std::vector<zerostall::FigureRun> all;
  for (std::int64_t events = 10'000; events <= 10'000'000; events *= 10) {
    const std::string number = std::to_string(events),
                      run = "timeline/events:" + number + "/at_most:8000000/manual_time";
    const auto n = static_cast<double>(events);
    all.push_back({run,
                   {"timeline.time." + number, number + " events: timeline of a report", "us/event", 0, "",
                    "events: timeline of a report", n},
                   1e6 / n});
    all.push_back({run,
                   {"timeline.bytes." + number, number + " events: bytes of the timeline", "B/event", 0, "",
                    "events: bytes of the timeline", n},
                   1 / n,
                   "bytes"});
  }
  return zerostall::run_benchmarks(argc, argv, all);
}
