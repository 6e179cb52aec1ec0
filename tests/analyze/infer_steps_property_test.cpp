// What must hold of inferred steps whatever the program is: thousands of made-up loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "profiler/analyze/infer_steps.h"
#include "profiler/analyze/measure.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using zerostall::testing::TraceBuilder;

// A loop, as data, so that the same one can be written in several ways.
struct Loop {
  std::vector<std::string> body;        // kernels; "" = a read of a value
  std::vector<std::string> rare;        // launched in one step of ten
  std::vector<std::string> first;       // more launches of the first step
  std::vector<std::string> before;      // launched once, before the loop
  std::vector<std::string> evaluation;  // every five steps, three times
  int micro_steps = 1;
  int steps = 0;
  bool known_optimizer = true;
  bool uploads = true;
};

using Random = std::mt19937;

std::size_t pick(Random& random, std::size_t least, std::size_t most) {
  return least + random() % (most - least + 1);  // not uniform_int_distribution: each library has its own
}

std::vector<std::string> kernels(Random& random, std::size_t count, std::size_t kinds) {
  std::vector<std::string> names(count);
  for (std::string& name : names) name = std::string(1, static_cast<char>('a' + pick(random, 0, kinds - 1)));
  return names;
}

Loop make_loop(Random& random) {
  Loop loop;
  loop.body = kernels(random, pick(random, 6, 40), 12);
  for (std::size_t i = pick(random, 0, 3); i > 0; --i) loop.body[pick(random, 0, loop.body.size() - 1)].clear();
  if (pick(random, 0, 3) == 0) loop.rare = kernels(random, pick(random, 1, 3), 12);
  if (pick(random, 0, 2) == 0) loop.first = kernels(random, pick(random, 1, 30), 12);
  if (pick(random, 0, 2) == 0) loop.before.assign(pick(random, 1, 60), "initialise");
  if (pick(random, 0, 4) == 0) {
    loop.evaluation.assign(loop.body.begin(), loop.body.begin() + static_cast<std::ptrdiff_t>(loop.body.size() / 2));
    loop.evaluation.push_back("accuracy");
  }
  loop.micro_steps = static_cast<int>(pick(random, 0, 2) == 0 ? pick(random, 2, 5) : 1);
  loop.steps = static_cast<int>(pick(random, 1, 25));
  loop.known_optimizer = pick(random, 0, 2) > 0;
  loop.uploads = pick(random, 0, 1) == 0;
  return loop;
}

void write_step(const Loop& loop, int n, TraceBuilder& t) {
  const auto run = [&](const std::string& kernel) { kernel.empty() ? t.item() : (void)t.launch(7, kernel); };
  if (n == 0) std::for_each(loop.before.begin(), loop.before.end(), run);
  for (int i = 0; n % 5 == 4 && i < 3; ++i) std::for_each(loop.evaluation.begin(), loop.evaluation.end(), run);
  for (int micro = 0; micro < loop.micro_steps; ++micro) {
    if (loop.uploads) t.upload(512);
    std::for_each(loop.body.begin(), loop.body.end(), run);
  }
  if (n == 0) std::for_each(loop.first.begin(), loop.first.end(), run);
  for (int i = 0; i < 3; ++i) t.launch(7, loop.known_optimizer ? "multi_tensor_apply_kernel" : "update");
  if (n % 10 == 9) std::for_each(loop.rare.begin(), loop.rare.end(), run);
}

Trace write(const Loop& loop, std::int64_t start = 1'000'000'000, bool marked = false, bool other_first = false) {
  TraceBuilder t;
  t.now_ns = start;
  if (other_first) t.on_thread(50).call("cudaGetDevice_v3020");
  for (int n = 0; n < loop.steps; ++n) {
    t.on_thread(100);
    marked ? t.step(n, [&] { write_step(loop, n, t); }) : write_step(loop, n, t);
    t.on_thread(50).call("cudaEventQuery_v3020");
  }
  return t.trace();
}

std::vector<std::pair<Nanos, Nanos>> times(const InferredSteps& found, Nanos start = 0) {
  std::vector<std::pair<Nanos, Nanos>> list;
  for (const Step& s : found.steps.steps) list.emplace_back(s.begin_ns - start, s.end_ns - start);
  return list;
}

class AnyLoop : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
};

TEST_P(AnyLoop, ShowsItsStepsOrNone) {
  for (int i = 0; i < 40; ++i) {
    const Loop loop = make_loop(random);
    const Trace trace = write(loop);
    const InferredSteps found = infer_steps(trace);
    if (found.steps.steps.empty()) continue;
    EXPECT_EQ(found.steps.steps.size(), static_cast<std::size_t>(loop.steps))
        << found.how << " micro " << loop.micro_steps << " first " << loop.first.size() << " rare " << loop.rare.size()
        << " body " << loop.body.size();
  }
}

TEST_P(AnyLoop, ShowsItsStepsWhereTheOptimizerIsKnownAndAllIsRegular) {
  for (int i = 0; i < 40; ++i) {
    Loop loop = make_loop(random);
    loop.known_optimizer = true;
    loop.rare.clear();
    loop.first.clear();
    loop.steps = std::max(loop.steps, 4);
    EXPECT_EQ(infer_steps(write(loop)).steps.steps.size(), static_cast<std::size_t>(loop.steps));
  }
}

TEST_P(AnyLoop, IsTheSameWhenClocksAreShifted) {
  const Loop loop = make_loop(random);
  constexpr Nanos kLater = 1'500'000'000'000'000'000;
  EXPECT_EQ(times(infer_steps(write(loop, 1000)), 1000), times(infer_steps(write(loop, kLater)), kLater));
}

TEST_P(AnyLoop, IsTheSameWhicheverThreadComesFirst) {
  const Loop loop = make_loop(random);
  EXPECT_EQ(times(infer_steps(write(loop, 1000, false, false)), 1000),
            times(infer_steps(write(loop, 900, false, true)), 1000));
}

TEST_P(AnyLoop, IsTheSameWithMarks) {
  const Loop loop = make_loop(random);
  EXPECT_EQ(times(infer_steps(write(loop))).size(), times(infer_steps(write(loop, 1000, true))).size());
}

TEST_P(AnyLoop, LosesNoWait) {
  const Loop loop = make_loop(random);
  const Trace trace = write(loop);
  const auto waits = find_waits(trace);
  const Measured measured = measure_steps(trace, infer_steps(trace).steps, waits);
  Counters sum;
  for (const StepStats& step : measured.steps) sum.add(step.counters);
  for (const Counters* rest : {&measured.background, &measured.unclosed, &measured.outside}) sum.add(*rest);
  const auto host_waits = std::count_if(waits.begin(), waits.end(), [](const Wait& w) { return is_host_wait(w.kind); });
  EXPECT_EQ(sum[Counter::waits], host_waits);
}

TEST_P(AnyLoop, IsInOrderAndWithoutOverlap) {
  const auto list = times(infer_steps(write(make_loop(random))));
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_LT(list[i].first, list[i].second);
    EXPECT_TRUE(i == 0 || list[i - 1].second <= list[i].first);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, AnyLoop, ::testing::Range(1u, 41u));

}  // namespace
}  // namespace zerostall
