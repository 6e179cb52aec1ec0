// Each class of causes with a trace that shows it, and a near miss that must not be called so.
#include "profiler/analyze/causes.h"

#include <gtest/gtest.h>

#include <set>

#include "profiler/analyze/cause_names.h"
#include "profiler/analyze/cause_rules.h"
#include "profiler/analyze/sites.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;

// Cause of the last host wait of the last step, without sources.
Cause cause_of(TraceBuilder& t, const SourceTexts& sources = {}) {
  const Trace trace = t.trace();
  const Steps steps = split_steps(trace);
  const auto waits = find_waits(trace);
  const auto causes = find_causes(trace, steps, waits, sources);
  for (std::size_t i = waits.size(); i-- > 0;)
    if (is_host_wait(waits[i].kind)) return causes[i];
  return {};
}

// Five steps, each with this body.
TraceBuilder steps_of(const std::function<void(TraceBuilder&)>& body) {
  TraceBuilder t;
  for (int n = 0; n < 5; ++n) t.step(n, [&] { body(t); });
  return t;
}

void launch(TraceBuilder& t, int count) {
  for (int i = 0; i < count; ++i) t.launch();
}

TEST(Causes, AScalarReadAtTheEndOfAStep) {
  TraceBuilder t = steps_of([](auto& b) { launch(b, 20), b.item(4); });
  EXPECT_EQ(cause_of(t).kind, CauseKind::scalar_read);
  EXPECT_EQ(cause_of(t).confidence, Confidence::medium);
}

TEST(Causes, AScalarReadInTheMiddleMayBeABranch) {
  TraceBuilder t = steps_of([](auto& b) { launch(b, 10), b.item(4), launch(b, 10); });
  EXPECT_EQ(cause_of(t).kind, CauseKind::branch_on_device);
  EXPECT_EQ(cause_of(t).confidence, Confidence::low);
}

TEST(Causes, ABatchIsUploadedBeforeTheFirstKernel) {
  TraceBuilder t = steps_of([](auto& b) { b.upload(1 << 16), launch(b, 10); });
  EXPECT_EQ(cause_of(t).kind, CauseKind::pageable_batch);
  EXPECT_EQ(cause_of(t).confidence, Confidence::high);
}

TEST(Causes, TheSameUploadInTheMiddleOfEveryStepIsState) {
  TraceBuilder t = steps_of([](auto& b) { launch(b, 10), b.upload(2048), launch(b, 10); });
  EXPECT_EQ(cause_of(t).kind, CauseKind::state_on_wrong_device);
}

TEST(Causes, AnUploadOfOneStepAloneIsNoState) {
  TraceBuilder t;
  for (int n = 0; n < 5; ++n)
    t.step(n, [&] {
      launch(t, 10);
      if (n == 4) t.upload(2048);
      launch(t, 10);
    });
  EXPECT_NE(cause_of(t).kind, CauseKind::state_on_wrong_device);
}

TEST(Causes, AFewNumbersMadeOnTheHost) {
  TraceBuilder t = steps_of([](auto& b) { launch(b, 10), b.upload(16), launch(b, 10); });
  EXPECT_EQ(cause_of(t).kind, CauseKind::tensor_from_host);
}

TEST(Causes, APageableCopyThatIsAsynchronousByNameOnly) {
  TraceBuilder t = steps_of([](auto& b) {
    launch(b, 10);
    b.copy("cudaMemcpyAsync_v3020", kHostToDevice, 1 << 20, kPageable);
    launch(b, 10);
  });
  EXPECT_EQ(cause_of(t).kind, CauseKind::pageable_async);
  EXPECT_EQ(cause_of(t).confidence, Confidence::high);
}

TEST(Causes, APinnedCopyOnItsOwnIsNoWait) {
  TraceBuilder t =
      steps_of([](auto& b) { launch(b, 10), b.copy("cudaMemcpyAsync_v3020", kHostToDevice, 1 << 20, kPinned); });
  EXPECT_TRUE(find_causes(t.trace(), {}, find_waits(t.trace())).empty());
}

TEST(Causes, AnExplicitSync) {
  TraceBuilder t = steps_of([](auto& b) { launch(b, 10), b.sync("cudaDeviceSynchronize_v3020", 0); });
  EXPECT_EQ(cause_of(t).kind, CauseKind::explicit_sync);
  EXPECT_EQ(cause_of(t).confidence, Confidence::high);
}

TEST(Causes, ASyncBehindACopyIsNotExplicit) {
  TraceBuilder t = steps_of([](auto& b) { launch(b, 10), b.item(4); });
  EXPECT_NE(cause_of(t).kind, CauseKind::explicit_sync);
}

TEST(Causes, AFlagReadByAnotherThreadIsAFiniteCheck) {
  TraceBuilder t = steps_of([](auto& b) {
    launch(b, 5);
    b.on_thread(2);
    launch(b, 5), b.item(1);
    b.on_thread(1);
  });
  EXPECT_EQ(cause_of(t).kind, CauseKind::finite_check);
}

TEST(Causes, AFlagReadByTheMarkingThreadIsSomeCondition) {
  TraceBuilder t = steps_of([](auto& b) { launch(b, 5), b.item(1), launch(b, 5); });
  EXPECT_EQ(cause_of(t).kind, CauseKind::branch_on_device);
}

TEST(Causes, ALargeReadBackIsADownload) {
  TraceBuilder t = steps_of([](auto& b) { launch(b, 5), b.item(4096); });
  EXPECT_EQ(cause_of(t).kind, CauseKind::download);
}

TEST(Causes, BlocksMovedBothWaysAreOffloading) {
  TraceBuilder t =
      steps_of([](auto& b) { launch(b, 5), b.item(8 << 20), launch(b, 5), b.upload(8 << 20), launch(b, 5); });
  EXPECT_EQ(cause_of(t).kind, CauseKind::offload);
}

TEST(Causes, BlocksMovedOneWayAreNot) {
  TraceBuilder t = steps_of([](auto& b) { launch(b, 5), b.upload(8 << 20), launch(b, 5); });
  EXPECT_EQ(cause_of(t).kind, CauseKind::pageable_batch);
}

TEST(Causes, TheLastSyncOfAProfileIsTheProfilers) {
  TraceBuilder t = steps_of([](auto& b) { launch(b, 5); });
  t.sync("cudaDeviceSynchronize_v3020", 0);
  Trace trace = t.trace();
  EXPECT_EQ(find_causes(trace, split_steps(trace), find_waits(trace)).back().kind, CauseKind::explicit_sync);
  trace.meta.format = "kineto";
  EXPECT_EQ(find_causes(trace, split_steps(trace), find_waits(trace)).back().kind, CauseKind::library_internal);
}

TEST(Causes, ADeviceSyncInAStepOfAProfileIsNot) {
  TraceBuilder t = steps_of([](auto& b) { launch(b, 5), b.sync("cudaDeviceSynchronize_v3020", 0); });
  Trace trace = t.trace();
  trace.meta.format = "kineto";
  EXPECT_EQ(find_causes(trace, split_steps(trace), find_waits(trace)).back().kind, CauseKind::explicit_sync);
}

TEST(Causes, NothingKnownIsUnknown) {
  TraceBuilder t;
  t.upload(4096);  // in no step, no stack
  EXPECT_EQ(cause_of(t).kind, CauseKind::unknown);
}

// Of every name that the rules know: a wait that shows it is called so, one in the other direction is not.
TEST(Causes, EveryKnownNameTellsItsCause) {
  for (const NameClue& clue : name_clues()) {
    Wait wait;
    Call copy, sync;
    copy.kind = ApiKind::copy;
    Evidence e;
    e.wait = &wait;
    e.copy = &copy;
    e.sync = &sync;
    e.direction = clue.direction == CopyDirection::unknown ? CopyDirection::device_to_host : clue.direction;
    e.bytes = clue.kind == CauseKind::download ? 4096 : 4;
    if (clue.place == NamePlace::op || clue.place == NamePlace::function) e.frames = {{"", clue.text, "", true}};
    if (clue.place == NamePlace::file) e.frames = {{clue.text, "f", "", true}};
    if (clue.place == NamePlace::source)
      e.frames = {{"torch/a.py", "f", "", true}, {"train.py", "f", clue.text, false}};
    if (clue.place == NamePlace::kernel) e.kernels = {"gemm", clue.text};
    const auto cause = cause_rules().front()(e);
    ASSERT_TRUE(cause) << clue.text;
    EXPECT_GE(cause->confidence, clue.confidence) << clue.text;
    if (cause->confidence == clue.confidence) {
      EXPECT_EQ(cause->kind, clue.kind) << clue.text;
    }
    if (clue.direction == CopyDirection::unknown) continue;
    e.direction = CopyDirection::device_to_device;
    EXPECT_FALSE(cause_rules().front()(e)) << clue.text;
  }
}

TEST(Causes, AWordInACommentIsNoEvidence) {
  Wait wait;
  Evidence e;
  e.wait = &wait;
  e.direction = CopyDirection::device_to_host;
  e.frames = {{"train.py", "f", "x = f(y)  # isnan? nonzero?", false}};
  EXPECT_FALSE(cause_rules().front()(e));
  e.frames[0].source = "x = g('#', y.nonzero())";
  EXPECT_TRUE(cause_rules().front()(e));
}

TEST(Causes, EveryClassHasItsSlug) {
  std::set<std::string_view> slugs;
  for (std::size_t i = 0; i < kCauseKinds; ++i) slugs.insert(info_of(static_cast<CauseKind>(i)).slug);
  EXPECT_EQ(slugs.size(), kCauseKinds);
  EXPECT_FALSE(slugs.contains(""));
}

}  // namespace
}  // namespace zerostall
