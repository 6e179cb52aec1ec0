#include "profiler/gate/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gate/verify_runs.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kBnCall = "cudaMemcpyAsync 512 B host to device + cudaStreamSynchronize";

Judgement judge(const std::vector<VerifyRun>& runs, const VerifyPlan& plan = make_plan()) {
  return judge_verify(plan, runs);
}

std::vector<std::string> texts(const Judgement& judgement) {
  std::vector<std::string> list;
  for (const Reason& reason : judgement.reasons) list.push_back(reason.text);
  return list;
}

TEST(JudgeVerify, PassesWhenEachFixRemovesItsShare) {
  const Judgement judgement = judge(good_runs());
  EXPECT_EQ(judgement.verdict, Verdict::pass);
  EXPECT_THAT(texts(judgement), ElementsAre());
  EXPECT_THAT(judgement.notes, ElementsAre());
}

TEST(JudgeVerify, NamesTheFixTheStepAndTheCallOfASabotagedStep) {
  auto runs = good_runs();
  runs[1] = make_run({"bn-pinning"}, [](int n) { return StepShape{.bn = n == 4 ? 2 : 0}; });
  const Judgement judgement = judge(runs);
  EXPECT_EQ(judgement.verdict, Verdict::violation);
  EXPECT_THAT(texts(judgement), ElementsAre(std::string("bn-pinning removed 0 of 2 waits in step 4: 2 × ") + kBnCall));
}

TEST(JudgeVerify, ProvesNothingByInferredSteps) {
  auto runs = good_runs();
  runs[1].summary.steps_from = StepsFrom::anchor;
  EXPECT_EQ(judge(runs).verdict, Verdict::cannot_tell);
  EXPECT_THAT(texts(judge(runs)), ElementsAre("bn-pinning: no step is marked, and inferred steps prove nothing"));
}

TEST(JudgeVerify, FindsTheCallsOfAFixThatNeverWorks) {
  auto runs = good_runs();
  runs[1] = make_run({"bn-pinning"}, StepShape{});
  runs[3] = make_run({"bn-pinning", "async-loss"}, StepShape{.loss = 0});
  EXPECT_THAT(texts(judge(runs)),
              ElementsAre(std::string("bn-pinning removed 0 of 2 waits in step 2: 2 × ") + kBnCall +
                              " (and in 3 more of 4 judged steps)",
                          std::string("bn-pinning + async-loss removed 1 of 3 waits in step 2: 2 × ") + kBnCall +
                              " (and in 3 more of 4 judged steps)"));
}

TEST(JudgeVerify, WantsTheRunWithoutFixesToShowWhatTheyRemove) {
  auto runs = good_runs();
  runs[0] = make_run({}, StepShape{.bn = 1});
  EXPECT_THAT(texts(judge(runs)),
              ElementsAre(HasSubstr("no fix: 2 waits in `train` in step 2, expected 3 (bn-pinning 2 + "
                                    "async-loss 1 + staying 0)")));
}

TEST(JudgeVerify, ChecksTheRestInsideAndOutsideOfRegions) {
  auto runs = good_runs();
  runs[2] = make_run({"async-loss"}, [](int n) { return StepShape{.loss = 0, .load = n == 5 ? 11 : 10}; });
  runs[3] =
      make_run({"bn-pinning", "async-loss"}, [](int n) { return StepShape{.bn = 0, .loss = 0, .outside = n == 3}; });
  EXPECT_THAT(
      texts(judge(runs)),
      ElementsAre("async-loss: 11 waits in `load` in step 5, expected 10: cudaMemcpyAsync 4096 B host to device + "
                  "cudaStreamSynchronize",
                  "bn-pinning + async-loss: 1 wait outside `train` and `load` in step 3, expected 0: cudaMemcpyAsync 8 "
                  "B device to host + cudaStreamSynchronize"));
}

TEST(JudgeVerify, FailsAFixThatRemovesMoreThanItClaims) {
  auto runs = good_runs();
  runs[1] = make_run({"bn-pinning"}, StepShape{.bn = 0, .loss = 0});
  const Judgement judgement = judge(runs);
  EXPECT_EQ(judgement.verdict, Verdict::violation);
  EXPECT_THAT(texts(judgement), ElementsAre(HasSubstr("bn-pinning: 0 waits in `train` in step 2, expected 1")));
}

TEST(JudgeVerify, LetsAVariantMoveAStreamSyncToAnEventSync) {
  VerifyPlan plan = make_plan();
  plan.claims.push_back({"async-loss=upstream", {0, 1, -1, 0}, false});
  const auto upstream = [](TraceBuilder& t, int steps) {
    for (int n = 0; n < steps; ++n)
      t.step(n, [&] {
        t.range("load", [&] {
          for (int i = 0; i < 10; ++i) t.upload(4096);
        });
        t.range("train", [&] { t.upload(512), t.upload(512), t.launch(), t.sync("cudaEventSynchronize_v3020", 0); });
      });
  };
  TraceBuilder t;
  upstream(t, 6);
  const std::string file = t.bytes();
  const VerifyRun run{{"async-loss=upstream"},
                      analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t", 2})};
  const Judgement judgement = judge({make_run({}, StepShape{}), run}, plan);
  EXPECT_EQ(judgement.verdict, Verdict::pass);
  EXPECT_THAT(texts(judgement), ElementsAre());
}

TEST(JudgeVerify, CannotTellFromIncompleteRuns) {
  const auto with = [](std::function<void(TraceBuilder&)> change, int steps = 6) {
    auto runs = good_runs();
    runs[3] = make_run(
        {"bn-pinning", "async-loss"}, [](int) { return StepShape{.bn = 0, .loss = 0}; }, steps, change);
    return judge(runs);
  };
  const Judgement cut = with([](TraceBuilder& t) { t.closed = false; });
  EXPECT_EQ(cut.verdict, Verdict::cannot_tell);
  EXPECT_THAT(texts(cut), ElementsAre(HasSubstr("bn-pinning + async-loss: the trace is cut off")));
  const Judgement lost = with([](TraceBuilder& t) { t.note(format::NoteKind::lost_records, "full", 2); });
  EXPECT_EQ(lost.verdict, Verdict::cannot_tell);
  EXPECT_THAT(texts(lost), ElementsAre(HasSubstr("2 records of GPU work lost")));
  const Judgement few = with({}, 4);
  EXPECT_EQ(few.verdict, Verdict::cannot_tell);
  EXPECT_THAT(texts(few),
              ElementsAre(HasSubstr("2 steps in the trace to judge after 2 of warm-up, at least 3 are needed")));
}

TEST(JudgeVerify, CannotTellWithUnsupportedCallsOrUnknownMemoryInJudgedStepsOnly) {
  const auto with = [](int step, bool unsupported) {
    TraceBuilder t;
    for (int n = 0; n < 6; ++n)
      t.step(n, [&] {
        t.range("load", [&] {
          for (int i = 0; i < 10; ++i) t.upload(4096);
        });
        t.range("train", [&] { t.launch(); });
        if (n == step && unsupported) t.note(format::NoteKind::unsupported_call, "cudaFoo");
        if (n == step && !unsupported) t.copy("cudaMemcpyAsync_v3020", kHostToDevice, 3, kUnknownMemory);
      });
    const std::string file = t.bytes();
    auto runs = good_runs();
    runs[3].summary = analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t", 2});
    return judge(runs);
  };
  EXPECT_THAT(texts(with(4, true)),
              ElementsAre(HasSubstr("step 4 called cudaFoo, which the simulated GPU does not support")));
  EXPECT_EQ(with(4, true).verdict, Verdict::cannot_tell);
  EXPECT_EQ(with(1, true).verdict, Verdict::pass);
  EXPECT_THAT(texts(with(4, false)), ElementsAre(HasSubstr("1 async copy in step 4 with host memory of unknown kind")));
  EXPECT_EQ(with(1, false).verdict, Verdict::pass);
}

TEST(JudgeVerify, CannotTellWithCallsOfUnknownFunctionsInJudgedSteps) {
  auto runs = good_runs();
  runs[0].summary.steps[1].unknown["cudaNewWait"] = 1;
  EXPECT_EQ(judge(runs).verdict, Verdict::pass) << "a warm-up step";
  runs[0].summary.steps[4].unknown["cudaNewWait"] = 1;
  EXPECT_EQ(judge(runs).verdict, Verdict::cannot_tell);
  EXPECT_THAT(texts(judge(runs)), ElementsAre(HasSubstr("step 4 called cudaNewWait, of which this version of "
                                                        "zerostall cannot tell whether it waits")));
}

TEST(JudgeVerify, KeepsAViolationThatIsCertainInSpiteOfLosses) {
  auto runs = good_runs();
  const auto lose = [](TraceBuilder& t) { t.note(format::NoteKind::lost_records, "full", 2); };
  runs[1] = make_run(
      {"bn-pinning"}, [](int) { return StepShape{}; }, 6, lose);  // more waits than claimed
  EXPECT_EQ(judge(runs).verdict, Verdict::violation);
  runs[1] = make_run(
      {"bn-pinning"}, [](int) { return StepShape{.bn = 0, .loss = 0}; }, 6, lose);  // fewer
  EXPECT_EQ(judge(runs).verdict, Verdict::cannot_tell);
}

TEST(JudgeVerify, CannotTellWithoutCudaOrWithoutAnythingToRemove) {
  EXPECT_THAT(texts(judge({VerifyRun{}})), ElementsAre("no fix: the program never used CUDA"));
  EXPECT_EQ(judge({VerifyRun{}}).verdict, Verdict::cannot_tell);
  EXPECT_EQ(judge({}).verdict, Verdict::cannot_tell);
  VerifyPlan plan = make_plan();
  plan.claims = {{"bn-pinning", {}, true}};
  plan.rest.clear();
  const StepShape nothing{0, 0, 0, 0};
  const Judgement judgement = judge({make_run({}, nothing), make_run({"bn-pinning"}, nothing)}, plan);
  EXPECT_EQ(judgement.verdict, Verdict::cannot_tell);
  EXPECT_THAT(texts(judgement), ElementsAre("bn-pinning has nothing to remove from flux2 klein-9b"));
}

TEST(JudgeVerify, SaysNextToAPassWhatWasReadWithoutRealValues) {
  auto runs = good_runs();
  runs[0].summary.unreal_readbacks = {6, 4, {{"4 B to pinned", 4}}};
  const Judgement judgement = judge(runs);
  EXPECT_EQ(judgement.verdict, Verdict::pass);
  EXPECT_THAT(judgement.notes,
              ElementsAre("4 read-backs in judged steps had no real value (4 × 4 B to pinned); waits behind "
                          "branches on them were not seen"));
}

TEST(JudgeVerify, BlamesNoUploadForAFixThatClaimsNone) {
  const auto runs = std::vector{make_run({}, StepShape{}), make_run({"async-loss"}, StepShape{})};
  EXPECT_THAT(texts(judge(runs)),
              ElementsAre("async-loss removed 0 of 1 wait in step 2: cudaMemcpyAsync 4 B device to host + "
                          "cudaStreamSynchronize (and in 3 more of 4 judged steps)"));
}

// A step whose `train` uploads these sizes.
VerifyRun uploads(std::vector<std::string> fixes, std::vector<std::uint64_t> sizes) {
  TraceBuilder t;
  for (int n = 0; n < 6; ++n)
    t.step(n, [&] {
      t.range("train", [&] {
        for (const std::uint64_t size : sizes) t.upload(size);
      });
    });
  const std::string file = t.bytes();
  return {std::move(fixes), analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t", 2})};
}

VerifyPlan uploads_plan() {
  VerifyPlan plan = make_plan();
  plan.claims = {{"one", {1, 1, 0, 1}, true}, {"two", {1, 1, 0, 1}, true}};
  plan.rest = {{"train", {1, 1, 0, 1}, "stays"}};
  return plan;
}

TEST(JudgeVerify, SaysOneOfWhereItCannotTellWhich) {
  const auto runs = std::vector{uploads({}, {8, 16, 32}), uploads({"one"}, {8, 16, 32})};
  EXPECT_THAT(texts(judge(runs, uploads_plan())),
              ElementsAre(HasSubstr("one removed 0 of 1 wait in step 2: one of: cudaMemcpyAsync 16 B host to device + "
                                    "cudaStreamSynchronize, cudaMemcpyAsync 32 B")));
}

TEST(JudgeVerify, LetsOtherRunsTellWhichWaitsAreInnocent) {
  // What stays where both fixes work as claimed is meant to stay; what goes with `two` on is that fix's to remove.
  const auto stays = std::vector{uploads({}, {8, 16, 32}), uploads({"one"}, {8, 16, 32}), uploads({"one", "two"}, {8})};
  EXPECT_THAT(texts(judge(stays, uploads_plan())), ElementsAre(HasSubstr("in step 2: one of: cudaMemcpyAsync 16 B")));
  const auto goes =
      std::vector{uploads({}, {8, 16, 32}), uploads({"one"}, {8, 16, 32}), uploads({"one", "two"}, {8, 16})};
  EXPECT_THAT(texts(judge(goes, uploads_plan())),
              ElementsAre(HasSubstr("one of: cudaMemcpyAsync 16 B host to device + cudaStreamSynchronize, "
                                    "cudaMemcpyAsync 8 B host to device"),
                          HasSubstr("one + two removed 1 of 2 waits")));
}

TEST(JudgeVerify, GivesEachReasonItsOwnVerdict) {
  auto runs = good_runs();
  runs[1] = make_run({"bn-pinning"}, StepShape{.bn = 1});
  runs[2] = make_run(
      {"async-loss"}, [](int) { return StepShape{.loss = 0}; }, 6, [](TraceBuilder& t) { t.closed = false; });
  const Judgement judgement = judge(runs);
  EXPECT_EQ(judgement.verdict, Verdict::violation);
  ASSERT_EQ(judgement.reasons.size(), 2u);
  EXPECT_EQ(judgement.reasons[0].verdict, Verdict::violation);
  EXPECT_EQ(judgement.reasons[1].verdict, Verdict::cannot_tell);
  EXPECT_THAT(judgement.reasons[1].text, HasSubstr("async-loss: the trace is cut off: its process was killed"));
}

TEST(JudgeVerify, DoesNotSayThatCudaWasNotUsedOfATraceWithoutAReadableCall) {
  VerifyRun run;
  run.summary.truncated = true;
  run.summary.end = {32, "checksum"};
  EXPECT_THAT(texts(judge({run})),
              ElementsAre("no fix: the trace is damaged at byte 32 (checksum) before any CUDA call"));
}

}  // namespace
}  // namespace zerostall
