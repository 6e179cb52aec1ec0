#include "reports/timeline_blob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/analyze/region.h"
#include "tests/reports/export_runs.h"
#include "tests/reports/hostile_names.h"
#include "tests/reports/timeline_blob_view.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::HasSubstr;

// As they stand in the blob.
enum Kind { kStep, kRegion, kWait, kOtherWait, kCall, kRange, kGap, kBubble, kKernel, kCopy, kMemset, kGraph };

constexpr Bytes kMuch = 8'000'000;

TimelineBlob blob_of(const ExportProcess& p, Bytes at_most = kMuch) {
  return make_timeline_blob({&p.trace, &p.steps, &p.waits, &p.run}, at_most);
}

TimelineBlobView view_of(const ExportProcess& p) { return TimelineBlobView(blob_of(p).base64); }

std::int64_t host_waits(const ExportProcess& p) {
  return std::count_if(p.waits.begin(), p.waits.end(), [](const Wait& wait) { return is_host_wait(wait.kind); });
}

// 20 steps that launch 200 kernels and more, and wait twice; times differ, as deflate makes nothing of equal steps.
TraceBuilder long_run() {
  TraceBuilder t;
  std::uint32_t random = 1;
  const auto up_to = [&](std::uint32_t most) { return (random = random * 1664525u + 1013904223u) >> 8 & (most - 1); };
  for (int n = 0; n < 20; ++n)
    t.step(n, [&] {
      t.upload(4096);
      for (int i = 0; i < 200 + 2 * n; ++i) {
        t.kernel_ns = 1000 + up_to(1024);
        t.cost_ns = 100 + up_to(512);
        t.launch(7, "kernel" + std::to_string(i % 17));
      }
      t.item();
    });
  return t;
}

TEST(TimelineBlob, HoldsEverythingOfTheTraceOnce) {
  TraceBuilder t = small_run();
  t.call("cudaMalloc_v3020");
  t.range(
      "loader", [&] { t.launch(9), t.launch_graph(5); }, "user");
  const ExportProcess p = process_of(t);
  const TimelineBlob blob = blob_of(p);
  const TimelineBlobView view(blob.base64);
  auto kinds = view.by_kind();
  const auto ops = [&](GpuOpKind kind) {
    return std::count_if(p.trace.gpu_ops.begin(), p.trace.gpu_ops.end(),
                         [&](const GpuOp& o) { return o.kind == kind; });
  };
  EXPECT_EQ(kinds[kStep], 3);
  EXPECT_EQ(kinds[kRegion], 3);
  EXPECT_EQ(kinds[kWait], host_waits(p));
  EXPECT_EQ(kinds[kOtherWait], static_cast<std::int64_t>(p.waits.size()) - host_waits(p));
  EXPECT_GT(kinds[kOtherWait], 0);
  EXPECT_EQ(kinds[kCall], static_cast<std::int64_t>(p.trace.calls.size()));
  EXPECT_EQ(kinds[kRange], 1);
  EXPECT_EQ(kinds[kGap] + kinds[kBubble], static_cast<std::int64_t>(p.gaps->size()));
  EXPECT_GT(kinds[kBubble], 0);
  EXPECT_EQ(kinds[kKernel], ops(GpuOpKind::kernel));
  EXPECT_EQ(kinds[kCopy], ops(GpuOpKind::copy));
  EXPECT_EQ(kinds[kGraph], ops(GpuOpKind::graph));
  EXPECT_EQ(blob.slices, static_cast<std::int64_t>(view.slices.size()));
  EXPECT_EQ(blob.left_out, 0);
  EXPECT_EQ(blob.why, "");
  EXPECT_TRUE(view.header["modelled"]);
}

TEST(TimelineBlob, KeepsTimesToTheNanosecond) {
  TraceBuilder t = small_run();
  const ExportProcess p = process_of(t);
  const TimelineBlobView view = view_of(p);
  const Nanos base = time_range(p.trace).begin_ns;
  const auto waits = view.of(kWait);
  ASSERT_EQ(waits.size(), p.waits.size());
  for (std::size_t i = 0; i < waits.size(); ++i) {
    EXPECT_EQ(waits[i].begin, p.waits[i].begin_ns - base);
    EXPECT_EQ(waits[i].end, p.waits[i].end_ns - base);
    EXPECT_EQ(waits[i].name, describe(p.trace, p.waits[i]));
    EXPECT_EQ(waits[i].value % 4, p.waits[i].drains.value() ? 2u : 1u);
    EXPECT_EQ(waits[i].value / 16 % 2 == 1, p.waits[i].host_to_device);
  }
  const auto steps = view.of(kStep);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i].value, i + 1);
    EXPECT_EQ(view.step(i, 0), p.steps.steps[i].number);
    EXPECT_EQ(view.step(i, 1), p.steps.steps[i].begin_ns - base);
    EXPECT_EQ(view.step(i, 2), p.steps.steps[i].end_ns - p.steps.steps[i].begin_ns);
    EXPECT_EQ(view.step(i, 3), i >= 2);
  }
  EXPECT_EQ(view.of(kCopy)[0].value, 512u);
}

TEST(TimelineBlob, TiesWorkToItsCallAndBubblesToTheirWait) {
  TraceBuilder t = small_run();
  const ExportProcess p = process_of(t);
  const TimelineBlobView view = view_of(p);
  const Nanos base = time_range(p.trace).begin_ns;
  for (const int kind : {kKernel, kCopy})
    for (const SeenBlobSlice& work : view.of(kind)) {
      ASSERT_GE(work.link, 0);
      const SeenBlobSlice& call = view.slices.at(static_cast<std::size_t>(work.link));
      EXPECT_EQ(call.kind, kCall);
      EXPECT_LE(call.begin, work.begin);
      EXPECT_EQ(call.name, kind == kKernel ? "cudaLaunchKernel" : "cudaMemcpyAsync");
    }
  for (const GpuGap& gap : *p.gaps) {
    const auto bubbles = view.of(gap.wait ? kBubble : kGap);
    const auto found = std::find_if(bubbles.begin(), bubbles.end(),
                                    [&](const SeenBlobSlice& b) { return b.begin == gap.begin_ns - base; });
    ASSERT_NE(found, bubbles.end());
    EXPECT_EQ(found->value / 8, static_cast<std::uint64_t>(gap.avoidable_ns));
    EXPECT_EQ(found->link >= 0, gap.wait.has_value());
    if (gap.wait) {
      EXPECT_EQ(view.slices.at(static_cast<std::size_t>(found->link)).begin, p.waits[*gap.wait].begin_ns - base);
    }
  }
}

TEST(TimelineBlob, TellsTheSiteOfEachWaitOfAStep) {
  TraceBuilder t = small_run();
  const ExportProcess p = process_of(t);
  const TimelineBlobView view = view_of(p);
  std::size_t next = 0;
  const auto waits = view.of(kWait);
  for (const StepRow& step : p.run.steps)
    for (const WaitSeen& seen : step.waits) {
      const std::uint64_t site = waits[next++].value / 64;
      ASSERT_GT(site, 0u);
      EXPECT_EQ(view.header["sites"].at(2 * (site - 1)), p.run.sites[seen.site].id);
    }
  // Outside of the steps: known, as no other site has such a wait.
  EXPECT_EQ(waits.back().value / 64, p.run.sites.size());
  EXPECT_EQ(p.run.sites.back().what, waits.back().name);
}

TEST(TimelineBlob, KnowsTheSitesOfARegion) {
  TraceBuilder t = small_run();
  ExportProcess p = process_of(t);
  p.run = *in_region(p.run, "train");
  const TimelineBlobView view = view_of(p);
  for (const SeenBlobSlice& wait : view.of(kWait)) {
    const bool in_train = wait.name.find(" 4 B ") != std::string::npos;
    EXPECT_EQ(wait.value / 64, in_train ? 1u : 0u) << wait.name;
  }
}

TEST(TimelineBlob, OpensAtTheCostliestWaitOfAStepOfMedianLength) {
  TraceBuilder t = long_run();
  const ExportProcess p = process_of(t);
  const TimelineBlobView view = view_of(p);
  const std::size_t step = view.header["open"]["step"];
  std::vector<Nanos> lengths;
  for (std::size_t i = 2; i < 20; ++i) lengths.push_back(view.step(i, 2));
  std::sort(lengths.begin(), lengths.end());
  EXPECT_EQ(view.step(step, 2), lengths[(lengths.size() - 1) / 2]);
  const SeenBlobSlice& wait = view.slices.at(view.header["open"]["wait"]);
  EXPECT_EQ(wait.kind, kWait);
  EXPECT_GE(wait.begin, view.step(step, 1));
  EXPECT_LE(wait.end, view.step(step, 1) + view.step(step, 2));
  std::size_t k = 0;
  const auto& seen = p.run.steps[step].waits;
  for (std::size_t i = 1; i < seen.size(); ++i)
    if (seen[i].avoidable_ns > seen[k].avoidable_ns) k = i;
  EXPECT_EQ(wait.name, seen[k].what);
}

TEST(TimelineBlob, OpensAtAStepWithAWaitWhereTheMedianHasNone) {
  TraceBuilder t;
  for (int n = 0; n < 7; ++n)
    t.step(n, [&] {
      t.launch();
      if (n == 6) t.item();
    });
  const TimelineBlobView view = view_of(process_of(t));
  EXPECT_EQ(view.header["open"]["step"], 6);
  EXPECT_FALSE(view.header["open"]["wait"].is_null());
}

TEST(TimelineBlob, OpensAtAStepWhereNothingWaits) {
  TraceBuilder t;
  for (int n = 0; n < 5; ++n) t.step(n, [&] { t.launch(); });
  const TimelineBlobView view = view_of(process_of(t));
  EXPECT_FALSE(view.header["open"]["step"].is_null());
  EXPECT_TRUE(view.header["open"]["wait"].is_null());
}

TEST(TimelineBlob, LeavesOutWhatIsFarFromTheStepThatIsShown) {
  TraceBuilder t = long_run();
  const ExportProcess p = process_of(t);
  const TimelineBlob whole = blob_of(p);
  const TimelineBlobView all(whole.base64);
  const Bytes least = blob_of(p, 1).base64.size();  // steps, waits, names
  const Bytes limit = (least + whole.base64.size()) / 2;
  const TimelineBlob blob = blob_of(p, limit);
  const TimelineBlobView view(blob.base64);
  EXPECT_LE(blob.base64.size(), limit);
  EXPECT_GT(blob.base64.size(), limit / 2);  // no more than has to go
  EXPECT_EQ(blob.slices, static_cast<std::int64_t>(view.slices.size()));
  EXPECT_EQ(blob.slices + blob.left_out, whole.slices);
  EXPECT_THAT(blob.why, HasSubstr("events are not shown"));
  for (const int kind : {kStep, kRegion, kWait, kBubble}) EXPECT_EQ(view.of(kind).size(), all.of(kind).size()) << kind;
  EXPECT_LT(view.of(kKernel).size(), all.of(kKernel).size());
  const std::size_t shown = view.header["open"]["step"];
  std::int64_t gone = 0;
  for (std::size_t i = 0; i < view.steps(); ++i) {
    gone += view.step(i, 4);
    if (i + 1 >= shown && i <= shown + 1) {
      EXPECT_EQ(view.step(i, 4), 0) << i;
    }
  }
  EXPECT_GT(view.step(0, 4), 0);
  EXPECT_LE(gone, blob.left_out);
  EXPECT_EQ(view.header["left_out"], blob.left_out);
}

TEST(TimelineBlob, KeepsStepsAndWaitsWhateverTheLimit) {
  TraceBuilder t = long_run();
  const ExportProcess p = process_of(t);
  const TimelineBlob blob = blob_of(p, 1);
  const TimelineBlobView view(blob.base64);
  auto kinds = view.by_kind();
  EXPECT_EQ(kinds[kStep], 20);
  EXPECT_EQ(kinds[kWait], host_waits(p));
  EXPECT_EQ(kinds[kKernel] + kinds[kCall] + kinds[kCopy], 0);
  EXPECT_EQ(blob.slices + blob.left_out, blob_of(p).slices);
  for (const SeenBlobSlice& bubble : view.of(kBubble))
    EXPECT_EQ(view.slices.at(static_cast<std::size_t>(bubble.link)).kind, kWait);
}

TEST(TimelineBlob, NamesCannotDoHarm) {
  TraceBuilder t;
  int n = 0;
  for (const std::string& name : hostile_names())
    t.step(n++, [&] {
      t.range(
          name, [&] { t.launch(7, name), t.item(); }, "user");
    });
  const TimelineBlob blob = blob_of(process_of(t));
  EXPECT_EQ(blob.base64.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="),
            std::string::npos);
  const TimelineBlobView view(blob.base64);
  const auto kernels = view.of(kKernel);
  ASSERT_EQ(kernels.size(), hostile_names().size());
  std::size_t longest = 0, script = 0;
  for (const SeenBlobSlice& kernel : kernels) {
    longest = std::max(longest, kernel.name.size());
    script += kernel.name == "</script><script>alert(1)</script>";
  }
  EXPECT_EQ(longest, 1494u);  // 500 characters, of three bytes but for the dots at the end
  EXPECT_EQ(script, 1u);
}

TEST(TimelineBlob, IsNothingForAnEmptyTrace) {
  TraceBuilder t;
  const TimelineBlob blob = blob_of(process_of(t));
  EXPECT_EQ(blob.base64, "");
  EXPECT_EQ(blob.slices, 0);
}

TEST(TimelineBlob, ShowsATraceWithoutSteps) {
  TraceBuilder t;
  t.launch();
  t.item();
  const TimelineBlobView view = view_of(process_of(t));
  EXPECT_EQ(view.steps(), 0u);
  EXPECT_TRUE(view.header["open"]["step"].is_null());
  EXPECT_EQ(view.slices.at(view.header["open"]["wait"]).kind, kWait);
}

TEST(TimelineBlob, SaysThatRecordsAreMissing) {
  TraceBuilder t = small_run();
  t.note(format::NoteKind::lost_records, "", 3);
  const TimelineBlobView view = view_of(process_of(t));
  EXPECT_EQ(view.header["lost"], 3);
  EXPECT_TRUE(view.of(kBubble).empty());  // what looks idle may have been busy
  RawTrace raw = raw_of(t);
  raw.truncated = true;
  raw.end.byte = 1000;
  EXPECT_EQ(view_of(process_of(std::move(raw))).header["cut_off"], "cut off at byte 1000");
}

// Times that no program has: rows stay in order, so that the blob can be read at all.
TEST(TimelineBlob, StaysInOrderWhereTimesDoNot) {
  TraceBuilder t;
  for (int i = 0; i < 200; ++i) t.launch();
  t.step(0, [&] { t.item(); });
  for (std::size_t i = 0; i < t.gpu_ops.size(); ++i) {
    t.gpu_ops[i].begin_ns = t.now_ns - static_cast<std::int64_t>(i % 7) * 1000;
    t.gpu_ops[i].end_ns = t.gpu_ops[i].begin_ns + 1'000'000;
  }
  t.gpu_ops[3].begin_ns = t.gpu_ops[3].end_ns = 0;
  RawTrace raw = raw_of(t);
  raw.calls[1].begin_ns = raw.calls[0].begin_ns;
  raw.calls[1].end_ns = raw.calls[5].end_ns;
  const TimelineBlobView view = view_of(process_of(std::move(raw)));
  EXPECT_EQ(view.of(kKernel).size(), 200u);
  const std::int64_t length = view.header["length"];
  for (const SeenBlobSlice& slice : view.slices) {
    EXPECT_GE(slice.begin, 0);
    EXPECT_LE(slice.end, length);
  }
}

}  // namespace
}  // namespace zerostall
