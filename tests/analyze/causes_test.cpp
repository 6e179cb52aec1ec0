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

// `x, y = x.cuda(), y.cuda()` with eight labels, on one line or two; and numbers that a line beside it makes.
TEST(Causes, FewLabelsBesideTheBatchAreOfTheBatch) {
  const auto kind_of_line = [](const char* line, int launches_between = 0) {
    TraceBuilder t = steps_of([&](auto& b) {
      b.at("train.py", "step", 1).upload(8192), launch(b, launches_between);
      b.at("train.py", "step", 2).upload(64), launch(b, 10);
    });
    return cause_of(t, {{{"train.py", 1}, "x = x.cuda()"}, {{"train.py", 2}, line}}).kind;
  };
  EXPECT_EQ(kind_of_line("y = y.cuda()"), CauseKind::pageable_batch);
  EXPECT_EQ(kind_of_line("y = batch['y'].to(device)"), CauseKind::pageable_batch);
  EXPECT_EQ(kind_of_line("y = torch.tensor([a, b]).cuda()"), CauseKind::tensor_from_host);
  EXPECT_EQ(kind_of_line("t = torch.full((2,), t).to(device)"), CauseKind::tensor_from_host);
  EXPECT_EQ(kind_of_line("y = f(y)"), CauseKind::tensor_from_host) << "nothing says that it is moved";
  EXPECT_EQ(kind_of_line("y = y.cuda()", 1), CauseKind::tensor_from_host) << "not beside the batch";
  TraceBuilder alone = steps_of([&](auto& b) { b.at("train.py", "step", 2).upload(64), launch(b, 10); });
  EXPECT_EQ(cause_of(alone, {{{"train.py", 2}, "y = y.cuda()"}}).kind, CauseKind::tensor_from_host);
}

// The last step of a run marked by nvtx.mark never closes.
TEST(Causes, OutsideOfStepsALineWaitsForTheReasonItHasWithin) {
  TraceBuilder t = steps_of([](auto& b) { b.at("train.py", "step", 1).upload(1 << 16), launch(b, 10); });
  t.at("train.py", "step", 1).upload(1 << 16), launch(t, 10);
  EXPECT_EQ(cause_of(t).kind, CauseKind::pageable_batch);
  t.at("train.py", "step", 2).upload(1 << 16), launch(t, 10);
  EXPECT_EQ(cause_of(t).kind, CauseKind::unknown) << "another line";
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
    StackEvidence stack;
    if (clue.place == NamePlace::op || clue.place == NamePlace::function)
      stack = make_stack_evidence({{"", clue.text, "", true}});
    if (clue.place == NamePlace::file) stack = make_stack_evidence({{clue.text, "f", "", true}});
    if (clue.place == NamePlace::source)
      stack = make_stack_evidence({{"torch/a.py", "f", "", true}, {"train.py", "f", clue.text, false}});
    e.stack = &stack;
    const KernelEvidence gemm = make_kernel_evidence("gemm"), kernel = make_kernel_evidence(clue.text);
    if (clue.place == NamePlace::kernel) e.kernels = {&gemm, &kernel};
    if (clue.place == NamePlace::last_kernel) e.kernels = {&kernel, &gemm};
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
  StackEvidence stack = make_stack_evidence({{"train.py", "f", "x = f(y)  # isnan? nonzero?", false}});
  e.stack = &stack;
  EXPECT_FALSE(cause_rules().front()(e));
  stack = make_stack_evidence({{"train.py", "f", "x = g('#', y.nonzero())", false}});
  EXPECT_TRUE(cause_rules().front()(e));
}

// What a line without a telling word is taken for when it reads 8 bytes back.
CauseKind kind_of_line(const char* line, const char* last_kernel = "gemm", Bytes bytes = 8) {
  Wait wait;
  Call copy, sync;
  Evidence e;
  e.wait = &wait;
  e.copy = &copy;
  e.sync = &sync;
  e.direction = CopyDirection::device_to_host;
  e.bytes = bytes;
  const StackEvidence stack = make_stack_evidence({{"train.py", "f", line, false}});
  const KernelEvidence kernel = make_kernel_evidence(last_kernel), before = make_kernel_evidence("DeviceSelectSweep");
  e.stack = &stack;
  e.kernels = {&kernel, &before};
  CauseKind kind = CauseKind::unknown;
  Confidence best = Confidence::low;
  for (const CauseRule rule : cause_rules())
    if (const auto cause = rule(e); cause && (kind == CauseKind::unknown || cause->confidence > best))
      kind = cause->kind, best = cause->confidence;
  return kind;
}

TEST(Causes, AHostTableIndexedByADeviceValueAndWhatLooksLikeIt) {
  EXPECT_EQ(kind_of_line("sigma = self.sigmas[step]"), CauseKind::host_table_by_device_index);
  EXPECT_EQ(kind_of_line("y = x[mask]", "DeviceReduceSingleTileKernel<NonZeroOp<bool>>"), CauseKind::dynamic_shape);
  EXPECT_EQ(kind_of_line("y = x[mask]", "DeviceReduceSingleTileKernel<NonZeroOp<bool>>", 4), CauseKind::dynamic_shape);
  for (const char* line : {"first = int(x[0])", "n = losses[i].item()", "x['loss'] = f(y)", "y = f(x)", "n = int(x[i])",
                           "y = x[:, k]", "ys = [f]", "if x[i] == y:"})
    EXPECT_NE(kind_of_line(line), CauseKind::host_table_by_device_index) << line;
  EXPECT_NE(kind_of_line("sigma = sigmas[step]", "gemm", 4096), CauseKind::host_table_by_device_index);
}

TEST(Causes, WhatTheLineBeforeSelectedSaysNothing) {
  TraceBuilder t = steps_of([](auto& b) { launch(b, 10), b.launch(7, "DeviceSelectSweep"), b.launch(), b.item(8); });
  EXPECT_NE(cause_of(t).kind, CauseKind::dynamic_shape);
  TraceBuilder u = steps_of([](auto& b) { launch(b, 10), b.launch(), b.launch(7, "DeviceSelectSweep"), b.item(8); });
  EXPECT_EQ(cause_of(u).kind, CauseKind::dynamic_shape);
}

TEST(Causes, EveryClassHasItsSlug) {
  std::set<std::string_view> slugs;
  for (std::size_t i = 0; i < kCauseKinds; ++i) slugs.insert(info_of(static_cast<CauseKind>(i)).slug);
  EXPECT_EQ(slugs.size(), kCauseKinds);
  EXPECT_FALSE(slugs.contains(""));
}

}  // namespace
}  // namespace zerostall
