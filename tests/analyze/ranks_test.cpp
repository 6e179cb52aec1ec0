// Processes of one job side by side: summaries made by hand.
#include "profiler/analyze/ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace zerostall {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Nanos kMs = 1'000'000;

struct Shape {
  int steps = 12;  // the first two are warm-up
  std::int64_t waits = 2;
  Nanos step_ns = 30 * kMs, effective_ns = 20 * kMs;
  std::optional<Nanos> gpu_ns = 25 * kMs;
  Nanos noise_ns = 100'000;  // every second step is this much longer, in all that it does itself
};

RunSummary run_of(const Shape& shape) {
  RunSummary run;
  run.has_cuda_calls = true;
  run.warmup = 2;
  run.meta.clock = Clock::measured;
  std::vector<Counters> judged;
  Nanos time = 0;
  for (int n = 0; n < shape.steps; ++n) {
    StepRow step;
    const Nanos more = n % 2 * shape.noise_ns;
    step.number = n;
    step.begin_ns = time;
    step.end_ns = time += shape.step_ns + more;
    step.judged = n >= 2;
    step.counters[Counter::waits] = shape.waits;
    step.counters[Counter::blocked_ns] = shape.effective_ns;
    step.effective_ns = shape.effective_ns;
    if (shape.gpu_ns) step.own_gpu_ns = *shape.gpu_ns + more;
    if (step.judged) judged.push_back(step.counters);
    run.steps.push_back(step);
  }
  run.per_step = spreads_of(judged);
  return run;
}

void add_site(RunSummary& run, const std::string& id, const std::string& place, std::int64_t per_step,
              CauseKind cause = CauseKind::scalar_read) {
  Site site;
  site.id = id;
  site.place = place;
  site.function = place;
  site.cause.kind = cause;
  site.judged = per_step * run.judged();
  site.per_step = Spread{per_step, per_step, per_step, per_step};
  run.sites.push_back(site);
}

class Job {
 public:
  explicit Job(std::size_t ranks, const Shape& shape = {}) : runs(ranks, run_of(shape)) {}
  Ranks compare() const { return compare(0); }
  Ranks compare(unsigned seed) const {
    std::vector<RankRun> named;
    for (std::size_t i = 0; i < runs.size(); ++i) named.push_back({"rank" + std::to_string(i), &runs[i]});
    if (seed > 0) std::shuffle(named.begin(), named.end(), std::mt19937(seed));
    order = named;
    return compare_ranks(named);
  }
  std::vector<RunSummary> runs;
  mutable std::vector<RankRun> order;
};

TEST(Ranks, ThatAreAlikeHaveNeitherStragglersNorSitesOfTheirOwn) {
  Job job(4);
  for (RunSummary& run : job.runs) add_site(run, "a", "train.py:91 in step", 1);
  const Ranks ranks = job.compare();
  EXPECT_EQ(ranks.compared, 4u);
  EXPECT_EQ(ranks.waits, (Spread{2, 2, 2, 2}));
  EXPECT_EQ(ranks.gpu.why_not, "");
  EXPECT_EQ(ranks.host.why_not, "");
  EXPECT_THAT(ranks.gpu.stragglers, IsEmpty());
  EXPECT_THAT(ranks.host.stragglers, IsEmpty());
  EXPECT_THAT(ranks.sites, IsEmpty());
  EXPECT_THAT(ranks.notes, IsEmpty());
}

// All steps last equally long: the others wait for it in their collectives.
TEST(Ranks, TheOneWhoseGpuWorksLongerIsAStraggler) {
  Job job(4);
  job.runs[2] = run_of({.gpu_ns = 29 * kMs});
  const Ranks ranks = job.compare();
  ASSERT_EQ(ranks.gpu.stragglers.size(), 1u);
  EXPECT_EQ(ranks.gpu.stragglers[0].process, 2u);
  EXPECT_EQ(ranks.gpu.stragglers[0].own_ns, 29 * kMs + 50'000);
  EXPECT_EQ(ranks.gpu.stragglers[0].others_ns, 25 * kMs + 50'000);
  EXPECT_THAT(ranks.host.stragglers, IsEmpty());
}

TEST(Ranks, TheOneWhoseHostWaitsLessIsAStraggler) {
  Job job(4);
  job.runs[1] = run_of({.effective_ns = 5 * kMs});
  const Ranks ranks = job.compare();
  ASSERT_EQ(ranks.host.stragglers.size(), 1u);
  EXPECT_EQ(ranks.host.stragglers[0].process, 1u);
  EXPECT_EQ(ranks.host.stragglers[0].others_ns, 10 * kMs + 50'000);
  EXPECT_THAT(ranks.gpu.stragglers, IsEmpty());
}

TEST(Ranks, OfTwoTheSlowerOneIsFound) {
  Job job(2);
  job.runs[0] = run_of({.gpu_ns = 40 * kMs});
  EXPECT_EQ(job.compare().gpu.stragglers.at(0).process, 0u);
  EXPECT_EQ(job.compare().gpu.stragglers.size(), 1u);
}

TEST(Ranks, WhatIsWithinTheNoiseIsNoStraggler) {
  Job small(4), noisy(4, {.noise_ns = 8 * kMs});
  small.runs[2] = run_of({.gpu_ns = 26 * kMs});
  EXPECT_THAT(small.compare().gpu.stragglers, IsEmpty()) << "4 %";
  noisy.runs[2] = run_of({.gpu_ns = 29 * kMs, .noise_ns = 8 * kMs});
  EXPECT_THAT(noisy.compare().gpu.stragglers, IsEmpty()) << "16 %, and steps differ by 30 %";
}

TEST(Ranks, FewStepsMissingRecordsAndStepsWithoutWaitsTellNothingOfTimes) {
  Job few(2, {.steps = 6});
  EXPECT_THAT(few.compare().gpu.why_not, HasSubstr("fewer than 5 steady steps"));
  Job lost(3);
  lost.runs[1] = run_of({.gpu_ns = std::nullopt});
  EXPECT_THAT(lost.compare().gpu.why_not, HasSubstr("record of all GPU work"));
  EXPECT_EQ(lost.compare().host.why_not, "");
  Job never(3);  // runs ahead: what its launches wait is not seen
  never.runs[1] = run_of({.waits = 0, .effective_ns = 0});
  EXPECT_THAT(never.compare().host.why_not, HasSubstr("in every steady step"));
  EXPECT_THAT(never.compare().host.stragglers, IsEmpty());
}

TEST(Ranks, ModelledAndMeasuredTimesAreNotCompared) {
  Job job(2);
  job.runs[0] = run_of({.gpu_ns = 90 * kMs});
  job.runs[0].meta.clock = Clock::modelled;
  const Ranks ranks = job.compare();
  EXPECT_THAT(ranks.gpu.why_not, HasSubstr("modelled"));
  EXPECT_THAT(ranks.gpu.stragglers, IsEmpty());
  EXPECT_FALSE(ranks.step_ns);
  EXPECT_TRUE(ranks.waits) << "counts are";
}

TEST(Ranks, APlaceThatOnlyOneWaitsAtIsNamed) {
  Job job(4);
  for (RunSummary& run : job.runs) add_site(run, "a", "train.py:80 in step", 1);
  add_site(job.runs[3], "b", "train.py:91 in log_metrics", 2);
  const Ranks ranks = job.compare();
  ASSERT_EQ(ranks.sites.size(), 1u);
  EXPECT_EQ(ranks.sites[0].place, "train.py:91 in log_metrics");
  EXPECT_THAT(ranks.sites[0].processes, ElementsAre(3u));
  EXPECT_EQ(ranks.sites[0].per_step->max, 2);
}

TEST(Ranks, APlaceTakenForTwoCausesIsOnePlace) {
  Job job(2);
  add_site(job.runs[0], "a-scalar", "train.py:91 in step", 1);
  add_site(job.runs[1], "a-unknown", "train.py:91 in step", 1, CauseKind::unknown);
  EXPECT_THAT(job.compare().sites, IsEmpty());
  add_site(job.runs[0], "a-unknown", "train.py:91 in step", 1, CauseKind::unknown);
  const Ranks ranks = job.compare();  // now one of them has both
  ASSERT_EQ(ranks.sites.size(), 1u);
  EXPECT_EQ(ranks.sites[0].id, "a-scalar");
}

TEST(Ranks, WaitsBeforeTheStepsAndOtherProgramsAreNotCompared) {
  Job job(3);
  add_site(job.runs[0], "a", "load.py:3 in setup", 0);
  job.runs[2].meta.program = "tensorboard";
  add_site(job.runs[2], "b", "board.py:3 in run", 1);
  const Ranks ranks = job.compare();
  EXPECT_EQ(ranks.compared, 2u);
  EXPECT_THAT(ranks.sites, IsEmpty());
  EXPECT_THAT(ranks.notes, ElementsAre("rank2: another program than most of them run: not compared"));
}

TEST(Ranks, NothingCanBeSaidOfOne) {
  Job job(1);
  const Ranks ranks = job.compare();
  EXPECT_EQ(ranks.rows.size(), 1u);
  EXPECT_FALSE(ranks.waits);
  EXPECT_NE(ranks.gpu.why_not, "");
  EXPECT_TRUE(compare_ranks({}).rows.empty());
}

TEST(Ranks, ThatAreMissingTwiceThereOrCutAreSaid) {
  Job job(2);
  job.runs[0].meta.rank = 0, job.runs[1].meta.rank = 1;
  for (RunSummary& run : job.runs) run.meta.world_size = 4;
  EXPECT_THAT(job.compare().notes, ElementsAre("2 of 4 ranks are here, not 2, 3"));
  job.runs[1].meta.rank = 0;
  EXPECT_THAT(job.compare().notes, ElementsAre(HasSubstr("2 processes are rank 0: these may be several jobs")));
  Job cut(2);
  cut.runs[1].truncated = true;
  EXPECT_THAT(cut.compare().notes, ElementsAre(HasSubstr("rank1: not complete")));
}

// Everything but positions.
std::vector<std::string> lines_of(const Ranks& ranks, const std::vector<RankRun>& order) {
  std::vector<std::string> lines;
  const auto names = [&](const std::vector<std::size_t>& processes) {
    std::vector<std::string> all;
    for (const std::size_t p : processes) all.push_back(order[p].name);
    std::sort(all.begin(), all.end());
    std::string text;
    for (const auto& name : all) text += name + " ";
    return text;
  };
  for (const SiteOfSome& s : ranks.sites)
    lines.push_back(s.id + s.place + s.what + std::to_string(s.per_step->median) + names(s.processes));
  for (const OwnTimes* times : {&ranks.gpu, &ranks.host})
    for (const Straggler& s : times->stragglers)
      lines.push_back(order[s.process].name + std::to_string(s.own_ns) + " " + std::to_string(s.others_ns));
  lines.insert(lines.end(), ranks.notes.begin(), ranks.notes.end());
  lines.push_back(std::to_string(ranks.compared) + " " + std::to_string(ranks.waits->median) + " " +
                  std::to_string(ranks.step_ns->median));
  return lines;
}

TEST(Ranks, TheirOrderChangesNothing) {
  Job job(9);
  job.runs[4] = run_of({.gpu_ns = 40 * kMs});
  job.runs[7] = run_of({.waits = 3, .effective_ns = 2 * kMs, .gpu_ns = 50 * kMs});
  for (std::size_t i = 0; i < job.runs.size(); ++i) {
    if (i != 5) add_site(job.runs[i], "a", "train.py:" + std::to_string(80 + i) + " in step", 1);
    if (i % 3 == 0) add_site(job.runs[i], "b", "train.py:91 in step", static_cast<std::int64_t>(1 + i));
    if (i % 4 == 0) add_site(job.runs[i], "c", "train.py:91 in step", 1, CauseKind::download);
    job.runs[i].truncated = i % 2 == 1;
  }
  const Ranks as_given = job.compare();
  const auto expected = lines_of(as_given, job.order);
  EXPECT_EQ(as_given.gpu.stragglers.size(), 2u);
  EXPECT_GE(as_given.sites.size(), 3u);
  for (unsigned seed = 1; seed < 30; ++seed) {
    const Ranks shuffled = job.compare(seed);
    EXPECT_EQ(lines_of(shuffled, job.order), expected) << seed;
  }
}

}  // namespace
}  // namespace zerostall
