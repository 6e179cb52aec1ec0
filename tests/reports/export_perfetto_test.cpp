#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/export_runs.h"
#include "tests/reports/perfetto_view.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

constexpr ExportOptions kPerfetto{ExportFormat::perfetto};

PerfettoView view_of(const ExportProcess& process) { return PerfettoView(exported(kPerfetto, {&process})); }

const SeenTrack& process_track(const PerfettoView& view) { return view.tracks.begin()->second; }

std::map<std::string, std::string> args_of(const SeenTrack& track, const std::string& name, std::size_t n = 0) {
  for (const SeenSlice& slice : track.slices)
    if (slice.name == name && n-- == 0) return slice.args;
  throw std::runtime_error("no slice called " + name);
}

TEST(ExportPerfetto, ShowsStepsWithTheirRegionsAndCounters) {
  TraceBuilder t = small_run();
  const ExportProcess process = process_of(t);
  const PerfettoView view = view_of(process);
  EXPECT_THAT(view.names("steps"),
              ElementsAre("about this trace", "step 0", "train", "step 1", "train", "step 2", "train"));
  const SeenTrack& track = view.track("steps");
  EXPECT_EQ(track.slices[2].depth, 1u);  // train, in its step
  EXPECT_EQ(track.slices[3].depth, 0u);
  EXPECT_EQ(static_cast<Nanos>(track.slices[1].begin_ns), process.steps.steps[0].begin_ns);
  EXPECT_EQ(static_cast<Nanos>(track.slices[1].end_ns), process.steps.steps[0].end_ns);
  EXPECT_THAT(track.slices[5].args, AllOf(Contains(Pair("waits", "2")), Contains(Pair("h2d_stalls", "1")),
                                          Contains(Pair("judged", "true")), Contains(Pair("drains", "2"))));
  EXPECT_THAT(track.slices[0].args, Contains(Pair("times", "modelled, not measured")));
  EXPECT_THAT(process_track(view).process, HasSubstr("rank0"));
  EXPECT_THAT(process_track(view).process, HasSubstr("times modelled (simulated"));
}

TEST(ExportPerfetto, ShowsEachHostWaitOnce) {
  TraceBuilder t = small_run();
  const ExportProcess process = process_of(t);
  const PerfettoView view = view_of(process);
  const std::string upload = "cudaMemcpyAsync 512 B host to device + cudaStreamSynchronize";
  const std::string read = "cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize";
  EXPECT_THAT(view.names("waits"), ElementsAre(upload, read, upload, read, upload, read,
                                               "cudaMemcpyAsync 8 B device to host + cudaStreamSynchronize"));
  const SeenTrack& track = view.track("waits");
  EXPECT_THAT(track.slices[3].args, AllOf(Contains(Pair("kind", "stream_sync")), Contains(Pair("step", "1")),
                                          Contains(Pair("region", "train")), Contains(Pair("drains", "true")),
                                          Contains(Pair("idle", "false")), Contains(Pair("host_to_device", "false"))));
  EXPECT_THAT(track.slices[6].args, AllOf(Contains(Pair("place", "outside")), Not(Contains(Key("step")))));
  for (std::size_t i = 0; i < process.waits.size(); ++i) {
    EXPECT_EQ(static_cast<Nanos>(track.slices[i].begin_ns), process.waits[i].begin_ns);
    EXPECT_EQ(static_cast<Nanos>(track.slices[i].end_ns), process.waits[i].end_ns);
  }
}

TEST(ExportPerfetto, NamesTheCodeThatWaits) {
  TraceBuilder t = small_run();
  RawTrace raw = raw_of(t);
  Stack stack;
  stack.python_frames = PythonFrames::known;
  stack.python = {{raw.strings.intern("site-packages/torch/_tensor.py"), raw.strings.intern("item"), 9},
                  {raw.strings.intern("train.py"), raw.strings.intern("step"), 31}};
  stack.native = {{1, 16}, {2, 0x1234}};
  raw.stacks.modules = {{1, {"lib/libcudart.so.13", ""}}, {2, {"torch/lib/libtorch_cuda.so", "ab"}}};
  raw.stacks.stacks = {{5, stack}};
  for (RawCall& call : raw.calls) call.stack = 5;
  const PerfettoView view = view_of(process_of(std::move(raw)));
  EXPECT_THAT(view.track("waits").slices[0].args, AllOf(Contains(Pair("python", "train.py:31 in step")),
                                                        Contains(Pair("native", "libtorch_cuda.so +0x1234"))));
  EXPECT_THAT(view.track("GPU 0 idle").slices[1].args, Contains(Pair("python", "train.py:31 in step")));
}

TEST(ExportPerfetto, NestsCallsWhoseStampsAreEqual) {
  TraceBuilder t;
  t.cost_ns = 0;
  t.call("cudaMemcpy_v3020", [&] {
    t.call("cuMemcpyHtoD_v2");
    t.call("cuStreamSynchronize");
  });
  t.call("cudaLaunchKernel_v7000", [&] { t.call("cuLaunchKernel"); });
  const PerfettoView view = view_of(process_of(t));
  const SeenTrack& track = view.track("CUDA calls 100");
  ASSERT_EQ(track.slices.size(), 5u);
  const std::vector<std::size_t> depths = {0, 1, 1, 0, 1};
  for (std::size_t i = 0; i < depths.size(); ++i) EXPECT_EQ(track.slices[i].depth, depths[i]) << i;
  EXPECT_EQ(track.slices[1].name, "cuMemcpyHtoD_v2");
  EXPECT_EQ(track.slices[1].category, "cuda_driver");
  EXPECT_EQ(track.slices[3].category, "cuda_runtime");
}

TEST(ExportPerfetto, CutsCallsThatOverlapAndSaysSo) {
  TraceBuilder t;
  t.launch();
  t.launch();
  RawTrace raw = raw_of(t);
  raw.calls[0].end_ns = raw.calls[1].begin_ns + 50;
  const PerfettoView view = view_of(process_of(std::move(raw)));
  const SeenTrack& track = view.track("CUDA calls 100");
  EXPECT_EQ(track.slices[1].begin_ns, track.slices[0].end_ns);
  EXPECT_THAT(track.slices[0].args, Not(Contains(Key("recorded_begin_ns"))));
  EXPECT_THAT(track.slices[1].args, Contains(Key("recorded_begin_ns")));
}

TEST(ExportPerfetto, LinksEachLaunchToItsWork) {
  TraceBuilder t = small_run();
  const PerfettoView view = view_of(process_of(t));
  std::map<std::uint64_t, std::string> launched, done;
  for (const SeenSlice& slice : view.track("CUDA calls 100").slices)
    if (slice.flow != 0) {
      EXPECT_TRUE(launched.emplace(slice.flow, slice.args.at("correlation")).second);
    }
  for (const SeenSlice& slice : view.track("GPU 0 stream 13").slices)
    if (slice.last_flow != 0) {
      EXPECT_TRUE(done.emplace(slice.last_flow, slice.args.at("correlation")).second);
    }
  EXPECT_EQ(launched.size(), 10u);
  EXPECT_EQ(launched, done);
}

TEST(ExportPerfetto, NamesGpuWorkAsPyTorchsProfilerDoes) {
  TraceBuilder t = small_run();
  const PerfettoView view = view_of(process_of(t));
  const auto names = view.names("GPU 0 stream 13");
  EXPECT_EQ(names[0], "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(names[1], "kernel");
  EXPECT_EQ(names[2], "Memcpy DtoH (Device -> Pinned)");
  EXPECT_THAT(view.track("GPU 0 stream 13").slices[0].args, Contains(Pair("bytes", "512")));
}

TEST(ExportPerfetto, PutsWorkThatOverlapsOnAnotherTrackOfThatName) {
  TraceBuilder t;
  t.launch();
  t.launch();
  t.launch();
  t.gpu_ops[1].begin_ns = t.gpu_ops[0].begin_ns + 1000;  // overlaps the first, reaches further
  t.gpu_ops[1].end_ns = t.gpu_ops[0].end_ns + 1000;
  t.gpu_ops[2].begin_ns = t.gpu_ops[2].end_ns = 0;  // not known
  const PerfettoView view = view_of(process_of(t));
  std::vector<std::size_t> sizes;
  for (const auto& [uuid, track] : view.tracks)
    if (track.name == "GPU 0 stream 13") sizes.push_back(track.slices.size());
  EXPECT_THAT(sizes, ElementsAre(2u, 1u));
  std::size_t unusable = 0;
  for (const auto& [uuid, track] : view.tracks)
    for (const SeenSlice& slice : track.slices) unusable += slice.args.contains("times") && slice.category == "kernel";
  EXPECT_EQ(unusable, 1u);
}

// No program needs that many: hostile times must not cost hours.
TEST(ExportPerfetto, CutsWorkWhereTooMuchOfItOverlaps) {
  TraceBuilder t;
  for (int i = 0; i < 5000; ++i) t.launch();
  for (std::size_t i = 0; i < t.gpu_ops.size(); ++i) {
    t.gpu_ops[i].begin_ns = t.now_ns + static_cast<std::int64_t>(i);
    t.gpu_ops[i].end_ns = t.gpu_ops[i].begin_ns + 1'000'000;
  }
  const PerfettoView view = view_of(process_of(t));
  std::size_t tracks = 0, slices = 0, cut = 0;
  for (const auto& [uuid, track] : view.tracks) {
    if (track.name != "GPU 0 stream 13") continue;
    ++tracks;
    slices += track.slices.size();
    for (const SeenSlice& slice : track.slices) cut += slice.args.contains("recorded_end_ns");
  }
  EXPECT_EQ(tracks, 64u);
  EXPECT_EQ(slices, 5000u);
  EXPECT_EQ(cut, 5000u - 64u);
}

TEST(ExportPerfetto, MarksWhereTheTraceWasCut) {
  TraceBuilder t = small_run();
  RawTrace raw = raw_of(t);
  raw.truncated = true;
  raw.end.byte = 1000;
  const PerfettoView view = view_of(process_of(std::move(raw)));
  const SeenSlice& last = view.track("steps").slices.back();
  EXPECT_TRUE(last.instant);
  EXPECT_EQ(last.name, "trace cut off here");
  EXPECT_EQ(last.args.at("why"), "cut off at byte 1000");
  EXPECT_THAT(args_of(view.track("steps"), "about this trace"),
              AllOf(Contains(Pair("complete", "false")), Contains(Key("gpu_idle"))));
  EXPECT_THROW(view.track("GPU 0 idle"), std::runtime_error);  // not known
  EXPECT_THAT(args_of(view.track("steps"), "step 0"), Contains(Pair("drains", "unknown")));
}

TEST(ExportPerfetto, ShowsRangesThatAreNoSteps) {
  TraceBuilder t;
  t.range(
      "epoch",
      [&] {
        t.step(0, [&] {
          t.range(
              "fwd", [&] { t.launch(); }, "mine");
        });
      },
      "");
  t.mark(format::MarkKind::instant, "checkpoint");
  t.mark(format::MarkKind::push, "never closed");
  t.launch();
  const PerfettoView view = view_of(process_of(t));
  EXPECT_THAT(view.names("ranges"),
              ElementsAre("epoch", "fwd", "checkpoint", "never closed (has no end in this trace)"));
  EXPECT_EQ(view.names("steps").size(), 2u);
}

TEST(ExportPerfetto, ShowsStepsWithoutAnEnd) {
  TraceBuilder t;
  for (const char* step : {"step 0", "step 1"}) {
    t.mark(format::MarkKind::instant, step);
    t.item();
  }
  const PerfettoView view = view_of(process_of(t));
  EXPECT_THAT(view.names("steps"), ElementsAre("about this trace", "step 0", "step 1 (has no end in this trace)"));
  EXPECT_EQ(view.track("steps").slices[2].end_ns, static_cast<std::uint64_t>(t.now_ns));
  EXPECT_THROW(view.track("ranges"), std::runtime_error);
}

TEST(ExportPerfetto, KeepsProcessesApart) {
  TraceBuilder a = small_run(), b = small_run();
  const ExportProcess first = process_of(a, "rank0"), second = process_of(b, "rank1");  // neither says its number
  const PerfettoView view(exported({ExportFormat::perfetto, CsvTable::steps, true}, {&first, &second}));
  std::set<std::uint64_t> pids, flows;
  std::size_t launches = 0;
  for (const auto& [uuid, track] : view.tracks) {
    if (!track.process.empty()) {
      EXPECT_TRUE(pids.insert(track.pid).second);
    }
    for (const SeenSlice& slice : track.slices) {
      if (slice.flow == 0) continue;
      ++launches;
      flows.insert(slice.flow);
    }
  }
  EXPECT_EQ(pids.size(), 2u);
  EXPECT_EQ(launches, 20u);
  EXPECT_EQ(flows.size(), launches);
}

TEST(ExportPerfetto, MakesHostileNamesHarmless) {
  TraceBuilder t;
  t.range(
      "bad \xff\xfe name\n\x1b[31m", [&] { t.launch(); }, "");
  t.range(
      std::string(100'000, 'x'), [&] { t.launch(); }, "");  // lengths of three bytes
  const PerfettoView view = view_of(process_of(t));
  EXPECT_EQ(view.names("ranges")[0], "bad \\xff\\xfe name\\n\\x1b[31m");
  EXPECT_EQ(view.names("ranges")[1].size(), 100'000u);
}

}  // namespace
}  // namespace zerostall
