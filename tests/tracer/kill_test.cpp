// Random SIGKILLs: whatever the moment, the file reads, holds every call and mark older than 100 ms, and nobody takes
// it for a whole one. ZEROSTALL_TEST_KILLS: how many (default 20); ZEROSTALL_TEST_SEED: other moments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>
#include <unordered_map>

#include "profiler/gate/verify.h"
#include "reports/stat_json.h"
#include "reports/stat_text.h"
#include "tests/faults/fault_count.h"
#include "tests/tracer/run_subject.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using Json = nlohmann::json;

constexpr std::int64_t kMayBeLost_ns = 100'000'000;
constexpr std::array<const char*, 6> kKinds = {"fast", "fast-threads", "slow", "rare-marks", "churn", "mixed"};

int number_from(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr && *text != '\0' ? std::atoi(text) : otherwise;
}

void pause(double ms) { std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms)); }

struct Counts {
  std::uint64_t calls = 0, marks = 0;
};

std::unordered_map<std::uint32_t, Counts> counts_of(const RawTrace& raw) {
  std::unordered_map<std::uint32_t, Counts> counts;
  for (const RawCall& call : raw.calls)
    if (raw.strings.text(call.name).starts_with("cudaStreamSynchronize")) ++counts[call.thread].calls;
  for (const RawMark& mark : raw.marks) ++counts[mark.thread].marks;
  return counts;
}

// What was complete longer than that before the kill must be there: those that are missing are the last ones.
struct Missing {
  std::uint64_t events = 0;
  std::int64_t oldest_ns = 0;  // before the kill
};

void compare(const Completed& done, std::uint64_t found, std::int64_t killed_ns, Missing& missing) {
  const std::uint64_t count = done.count;
  if (found >= count) return;
  missing.events += count - found;
  missing.oldest_ns = std::max(missing.oldest_ns, killed_ns - done.at_ns[found]);
}

Missing missing_in(const RawTrace& raw, Progress& progress, std::int64_t killed_ns) {
  Missing missing;
  auto found = counts_of(raw);
  for (std::uint32_t slot = 0; slot < std::min(progress.threads.load(), kMostThreads); ++slot) {
    const ThreadProgress& thread = progress.of[slot];
    compare(thread.calls, found[thread.id].calls, killed_ns, missing);
    compare(thread.marks, found[thread.id].marks, killed_ns, missing);
  }
  return missing;
}

// Until something is there that can be lost: the file comes with the first CUDA call.
bool wait_until_it_works(SubjectRun& subject) {
  for (int i = 0; i < 10000; ++i, pause(1))
    for (std::uint32_t slot = 0; slot < std::min(subject.progress().threads.load(), kMostThreads); ++slot)
      if (subject.progress().of[slot].calls.count > 0) return true;
  return false;
}

Judgement judged(const RunSummary& run, std::int64_t steps) {
  VerifyPlan plan;
  plan.steps = steps;
  plan.warmup = 2;
  plan.rest = {{"train", {1, 1, 0, 0}, "by design"}};
  return judge_verify(plan, {VerifyRun{{}, run}});
}

TEST(RandomKills, LoseNothingOlderThan100Milliseconds) {
  const int kills = number_from("ZEROSTALL_TEST_KILLS", 20);
  std::mt19937 random(static_cast<unsigned>(number_from("ZEROSTALL_TEST_SEED", 1)));
  std::uniform_real_distribution<double> moment_ms(0, 300);
  std::uint64_t lost = 0, done = 0;
  std::int64_t oldest_ns = 0;
  FaultCount faults("program_killed");
  for (int n = 0; n < kills; ++n) {
    faults.next();
    const std::string kind = kKinds[static_cast<std::size_t>(n) % kKinds.size()];
    SCOPED_TRACE("kill " + std::to_string(n) + " of " + kind);
    SubjectRun subject;
    subject.start({SUBJECT, kind});
    ASSERT_TRUE(wait_until_it_works(subject));
    pause(moment_ms(random));
    const std::int64_t killed_ns = monotonic_ns();
    subject.signal(SIGKILL);
    ASSERT_EQ(subject.wait().exit_code, 128 + SIGKILL);

    auto traces = subject.traces();
    ASSERT_EQ(traces.size(), 1u);
    ASSERT_EQ(traces[0].problem, "");
    RawTrace& raw = traces[0].raw;
    EXPECT_TRUE(raw.truncated);
    const Missing missing = missing_in(raw, subject.progress(), killed_ns);
    EXPECT_LE(missing.oldest_ns, kMayBeLost_ns) << missing.events << " calls and marks are missing";
    for (const auto& thread : subject.progress().of) done += thread.calls.count + thread.marks.count;
    lost += missing.events;
    oldest_ns = std::max(oldest_ns, missing.oldest_ns);
    const RunSummary run = analyze(std::move(raw), {"killed"});
    EXPECT_EQ(Json::parse(render_stat_json(run))["oddities"]["truncated"], true);
    EXPECT_NE(judged(run, 8).verdict, Verdict::pass);
  }
  std::printf("%d kills: %llu calls and marks made, %llu of them lost, the oldest of these %.1f ms old\n", kills,
              static_cast<unsigned long long>(done), static_cast<unsigned long long>(lost),
              static_cast<double>(oldest_ns) / 1e6);
}

// All steps are there, and were made long before: yet nobody can know that of a program that was killed.
TEST(RandomKills, TurnAPassIntoCannotTell) {
  const auto summary_of = [](SubjectRun& subject) { return analyze(subject.trace().raw, {"run"}); };
  SubjectRun whole;
  ASSERT_EQ(whole.run({SUBJECT, "steps-and-ends"}).exit_code, 0);
  const Judgement passed = judged(summary_of(whole), 8);
  EXPECT_EQ(passed.verdict, Verdict::pass) << (passed.reasons.empty() ? "" : passed.reasons[0].text);

  SubjectRun killed;
  killed.start({SUBJECT, "steps"});
  for (int i = 0; i < 10000 && killed.progress().waits == 0; ++i) pause(1);
  pause(150);
  killed.signal(SIGKILL);
  killed.wait();
  const RunSummary run = summary_of(killed);
  EXPECT_EQ(run.steps.size(), 8u);
  EXPECT_EQ(judged(run, 8).verdict, Verdict::cannot_tell);
  EXPECT_THAT(render_stat_text(run), ::testing::HasSubstr("the trace "));
}

}  // namespace
}  // namespace zerostall
