// What the analysis takes from `RawTrace` to `RunSummary`, and the parts that look at waits and their costs, by the
// number of events (calls, GPU work, marks). Limit: 0.7 s for a million, on one core.
#include <benchmark/benchmark.h>

#include <ctime>

#include "profiler/analyze/summary.h"
#include "profiler/trace/build_trace.h"

namespace zerostall {
namespace {

constexpr double kLimit_s = 0.7e-6;  // an event
constexpr int kLaunches = 400;       // of a step; a tenth as many copies, and a sync behind each

class Maker {
 public:
  explicit Maker(std::int64_t events) : events_(events) {
    raw_.meta.clock = Clock::modelled;
    launch_ = raw_.strings.intern("cudaLaunchKernel_v7000");
    copy_ = raw_.strings.intern("cudaMemcpyAsync_v3020");
    sync_ = raw_.strings.intern("cudaStreamSynchronize_v3020");
    kernel_ = raw_.strings.intern("kernel");
  }

  RawTrace make() {
    for (int n = 0; count() < events_; ++n) step(n);
    return std::move(raw_);
  }

 private:
  std::int64_t count() const {
    return static_cast<std::int64_t>(raw_.calls.size() + raw_.gpu_ops.size() + raw_.marks.size());
  }

  void step(int n) {
    const StringId domain = raw_.strings.intern("zerostall");
    const StringId text = raw_.strings.intern("step " + std::to_string(n));
    raw_.marks.push_back({now_ += 10, 0, 1, domain, text, RawMarkKind::push});
    for (int i = 0; i < kLaunches; ++i) {
      call(launch_, 4'000);
      work(GpuOpKind::kernel, 3'000 + i % 7 * 1'000, i % 16 == 0 ? 1 : 0);
      if (i % 10 == 9) read_back();
    }
    raw_.marks.push_back({now_ += 10, 0, 1, domain, 0, RawMarkKind::pop});
  }

  void call(StringId name, Nanos length) {
    RawCall c;
    c.begin_ns = now_;
    c.end_ns = now_ += length;
    c.stream = 7;
    c.thread = 1;
    c.context = 1;
    c.correlation = ++correlation_;
    c.name = name;
    raw_.calls.push_back(c);
  }

  RawGpuOp& work(GpuOpKind kind, Nanos length, int stream) {
    Nanos& free = free_[stream];
    RawGpuOp op;
    op.begin_ns = std::max(free, now_ + 2'000);
    op.end_ns = free = op.begin_ns + length;
    op.correlation = correlation_;
    op.context = 1;
    op.stream = static_cast<std::uint32_t>(13 + stream);
    op.name = kernel_;
    op.kind = kind;
    raw_.gpu_ops.push_back(op);
    return raw_.gpu_ops.back();
  }

  void read_back() {
    call(copy_, 2'000);
    RawGpuOp& op = work(GpuOpKind::copy, 1'500, 0);
    op.direction = CopyDirection::device_to_host;
    op.source = MemoryKind::device;
    op.target = MemoryKind::pinned;
    op.bytes = 4;
    call(sync_, std::max<Nanos>(0, free_[0] - now_) + 2'000);
  }

  std::int64_t events_;
  RawTrace raw_;
  StringId launch_ = 0, copy_ = 0, sync_ = 0, kernel_ = 0;
  Nanos now_ = 1'000'000'000;
  Nanos free_[2] = {0, 0};
  std::uint32_t correlation_ = 0;
};

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
  a.trace = build_trace(Maker(events).make());
  a.steps = split_steps(a.trace);
  a.waits = find_waits(a.trace);
  return a;
}

void raw_trace_to_summary(benchmark::State& state) {
  measure(
      state, [&] { return Maker(state.range(0)).make(); }, [](RawTrace& made) { return analyze(std::move(made), {}); });
}
BENCHMARK(raw_trace_to_summary)
    ->RangeMultiplier(10)
    ->Range(10'000, 10'000'000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void build(benchmark::State& state) {
  measure(
      state, [&] { return Maker(state.range(0)).make(); }, [](RawTrace& made) { return build_trace(std::move(made)); });
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
