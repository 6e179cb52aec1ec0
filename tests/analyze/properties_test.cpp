// What must hold for every trace, tried on made-up ones: programs of random calls on random threads, from a fixed seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "profiler/analyze/summary.h"
#include "profiler/trace/read_native.h"
#include "tests/analyze/random_program.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;

constexpr int kPrograms = 60;

std::string random_program(unsigned seed, bool apart = false) { return random_builder(seed, apart).bytes(); }

RawTrace read(const std::string& bytes) {
  auto raw = parse_native(std::as_bytes(std::span(bytes)), "t");
  EXPECT_TRUE(raw);
  return std::move(*raw);
}

// All that a person would compare: counts of every step, causes of every site.
std::vector<std::string> figures(RawTrace raw) {
  const RunSummary run = analyze(std::move(raw), {});
  std::vector<std::string> lines;
  const auto add = [&](const std::string& what, const Counters& counters) {
    std::string line = what;
    for (std::size_t c = 0; c < kCounterCount; ++c) {
      const Count value = counters[static_cast<Counter>(c)];
      line += value ? " " + std::to_string(*value) : " ?";
    }
    lines.push_back(line);
  };
  for (const StepRow& step : run.steps) add(std::to_string(step.number), step.counters);
  add("background", run.background);
  add("outside", run.outside);
  add("totals", run.totals);
  std::vector<std::string> sites;
  for (const Site& site : run.sites)
    sites.push_back(site.place + " " + std::string(info_of(site.cause.kind).slug) + " " + std::to_string(site.count));
  std::sort(sites.begin(), sites.end());
  lines.insert(lines.end(), sites.begin(), sites.end());
  return lines;
}

TEST(Properties, StepsAndWhatIsBesideThemAddUpToTheWhole) {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const RunSummary run = analyze(read(random_program(seed)), {});
    for (const Counter c : {Counter::waits, Counter::stream_syncs, Counter::device_syncs, Counter::blocking_copies}) {
      std::int64_t sum = run.background[c].value_or(0) + run.unclosed[c].value_or(0) + run.outside[c].value_or(0);
      for (const StepRow& step : run.steps) sum += step.counters[c].value_or(0);
      EXPECT_EQ(sum, run.totals[c]) << seed;
    }
    std::int64_t at_sites = 0;
    for (const Site& site : run.sites) at_sites += site.count;
    EXPECT_EQ(at_sites, run.totals[Counter::waits]) << seed;
  }
}

TEST(Properties, ThreadsStreamsSitesAndCausesAreTheSameWaits) {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const RunSummary run = analyze(read(random_program(seed)), {});
    const auto& waits = run.totals[Counter::waits];
    Counters threads;
    std::int64_t calls = 0, of_streams = 0, of_causes = 0, judged_of_causes = 0, judged_at_sites = 0;
    Nanos blocked_of_streams = 0, blocked_of_causes = 0, blocked_at_sites = 0;
    for (const ThreadRow& row : run.threads) threads.add(row.counters), calls += row.calls;
    for (const StreamRow& row : run.streams) of_streams += row.waits, blocked_of_streams += row.blocked_ns;
    for (const CauseRow& row : run.causes)
      of_causes += row.count, judged_of_causes += row.judged, blocked_of_causes += row.blocked_ns;
    for (const Site& site : run.sites) judged_at_sites += site.judged, blocked_at_sites += site.blocked_ns;
    const Nanos blocked = *run.totals[Counter::blocked_ns] + *run.totals[Counter::blocked_other_threads_ns];
    for (const CounterInfo& info : all_counters())
      if (info.counter != Counter::blocked_ns && info.counter != Counter::blocked_other_threads_ns) {
        EXPECT_EQ(threads[info.counter], run.totals[info.counter]) << seed << info.key;
      }
    EXPECT_EQ(threads[Counter::blocked_ns], blocked) << seed;
    std::int64_t all_calls = 0, in_judged = 0;
    for (const CallRow& call : run.calls) all_calls += call.count;
    for (const StepRow& step : run.steps)
      if (step.judged) in_judged += step.counters[Counter::waits].value_or(0);
    EXPECT_EQ(calls, all_calls) << seed;
    EXPECT_EQ(of_streams, waits) << seed;
    EXPECT_EQ(of_causes, waits) << seed;
    EXPECT_EQ(judged_of_causes, in_judged) << seed;
    EXPECT_EQ(judged_at_sites, in_judged) << seed;
    EXPECT_EQ(blocked_of_streams, blocked) << seed;
    EXPECT_EQ(blocked_of_causes, blocked) << seed;
    EXPECT_EQ(blocked_at_sites, blocked) << seed;
  }
}

// What the gate may take off a step for a wait that is allowed.
TEST(Properties, SharesOfTheWaitsOfAStepAddUpToItsCounters) {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const RunSummary run = analyze(read(random_program(seed, true)), {});
    std::vector<std::int64_t> at_site(run.sites.size(), 0);
    Counters background;
    for (const StepRow& step : run.steps) {
      Counters sum;
      for (const WaitSeen& wait : step.waits) {
        for (const CounterInfo& info : all_counters()) sum.add(info.counter, share_of(wait, info.counter));
        if (step.judged) ++at_site.at(wait.site);
      }
      for (const Counter c :
           {Counter::waits, Counter::drains, Counter::stream_syncs, Counter::device_syncs, Counter::blocking_copies,
            Counter::h2d_stalls, Counter::blocked_ns, Counter::blocked_other_threads_ns, Counter::h2d_stall_ns})
        EXPECT_EQ(sum[c], step.counters[c]) << seed << " " << static_cast<int>(c);
      background.add(step.background);
    }
    EXPECT_EQ(background, run.background) << seed;
    for (std::size_t s = 0; s < at_site.size(); ++s) EXPECT_EQ(at_site[s], run.sites[s].judged) << seed;
  }
}

TEST(Properties, AShiftOfAllClocksChangesNothing) {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const std::string bytes = random_program(seed);
    RawTrace shifted = read(bytes);
    constexpr Nanos kShift = 1'700'000'000'000'000'000;
    for (RawCall& c : shifted.calls) c.begin_ns += kShift, c.end_ns += kShift;
    for (RawGpuOp& o : shifted.gpu_ops) o.begin_ns += kShift, o.end_ns += kShift;
    for (RawMark& m : shifted.marks) m.time_ns += kShift;
    for (RawNote& n : shifted.notes) n.time_ns += kShift;
    EXPECT_EQ(figures(read(bytes)), figures(std::move(shifted))) << seed;
  }
}

// Order within a thread is kept: it is what nesting is told by.
TEST(Properties, WhichThreadAndWhichWorkComesFirstInTheFileChangesNothing) {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const std::string bytes = random_program(seed);
    RawTrace other = read(bytes);
    std::mt19937 random(seed);
    std::shuffle(other.gpu_ops.begin(), other.gpu_ops.end(), random);
    std::stable_sort(other.calls.begin(), other.calls.end(),
                     [](const RawCall& a, const RawCall& b) { return a.thread > b.thread; });
    EXPECT_EQ(figures(read(bytes)), figures(std::move(other))) << seed;
  }
}

TEST(Properties, WorkOfAnotherDeviceChangesNoCount) {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const std::string bytes = random_program(seed);
    RawTrace more = read(bytes);
    const auto plain = analyze(read(bytes), {}).totals[Counter::waits];
    RawGpuOp op;
    op.begin_ns = 1;
    op.end_ns = 2'000'000'000'000;
    op.device = 7;
    op.context = 99;
    more.gpu_ops.push_back(op);
    EXPECT_EQ(analyze(std::move(more), {}).totals[Counter::waits], plain) << seed;
  }
}

}  // namespace
}  // namespace zerostall
