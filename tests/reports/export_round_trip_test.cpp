// What `export --format chrome` writes, read back by the importer of PyTorch's profiler: every count is the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/trace/import/kineto.h"
#include "tests/analyze/random_program.h"
#include "tests/reports/export_runs.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;

ExportOptions chrome(bool several) { return {ExportFormat::chrome, CsvTable::steps, several}; }

std::vector<ExportProcess> read_back(const std::string& text) {
  auto raw = parse_kineto(std::as_bytes(std::span(text)), "export.json", {});
  if (!raw) throw std::runtime_error(raw.error().message);
  std::vector<ExportProcess> processes;
  for (RawTrace& one : *raw) processes.push_back(process_of(std::move(one)));
  return processes;
}

// By step and in all: counters (those of time among them), calls by name, copies, GPU work.
void expect_same(const ExportProcess& was, const ExportProcess& is) {
  ASSERT_EQ(is.run.steps.size(), was.run.steps.size());
  for (std::size_t i = 0; i < was.run.steps.size(); ++i) {
    EXPECT_EQ(is.run.steps[i].number, was.run.steps[i].number);
    EXPECT_EQ(is.run.steps[i].end_ns - is.run.steps[i].begin_ns, was.run.steps[i].end_ns - was.run.steps[i].begin_ns);
    for (const CounterInfo& info : all_counters())
      EXPECT_EQ(is.run.steps[i].counters[info.counter], was.run.steps[i].counters[info.counter])
          << "step " << i << ": " << info.key;
    EXPECT_EQ(is.run.steps[i].waits.size(), was.run.steps[i].waits.size());
  }
  for (const CounterInfo& info : all_counters())
    EXPECT_EQ(is.run.totals[info.counter], was.run.totals[info.counter]) << info.key;
  EXPECT_EQ(is.run.waits_by_what, was.run.waits_by_what);
  EXPECT_EQ(is.run.background, was.run.background);
  EXPECT_EQ(is.run.outside, was.run.outside);
  ASSERT_EQ(is.run.calls.size(), was.run.calls.size());
  for (std::size_t i = 0; i < was.run.calls.size(); ++i) {
    EXPECT_EQ(is.run.calls[i].name, was.run.calls[i].name);
    EXPECT_EQ(is.run.calls[i].count, was.run.calls[i].count) << was.run.calls[i].name;
    EXPECT_EQ(is.run.calls[i].nested, was.run.calls[i].nested) << was.run.calls[i].name;
    EXPECT_EQ(is.run.calls[i].time_ns, was.run.calls[i].time_ns) << was.run.calls[i].name;
  }
  ASSERT_EQ(is.run.copies.size(), was.run.copies.size());
  for (std::size_t i = 0; i < was.run.copies.size(); ++i) {
    const CopyRow &copy = is.run.copies[i], &other = was.run.copies[i];
    EXPECT_EQ(copy.direction, other.direction);
    EXPECT_EQ(copy.host_memory, other.host_memory);
    EXPECT_EQ(copy.api, other.api);
    EXPECT_EQ(copy.bytes, other.bytes);
    EXPECT_EQ(copy.count, other.count);
    EXPECT_EQ(copy.per_step, other.per_step);
  }
  EXPECT_EQ(is.run.gpu_work.kernels, was.run.gpu_work.kernels);
  EXPECT_EQ(is.run.gpu_work.copies, was.run.gpu_work.copies);
  EXPECT_EQ(is.run.gpu_work.memsets, was.run.gpu_work.memsets);
}

constexpr const char* kMeasured = R"({"tool": "test", "clock": "measured", "pid": 77, "rank": 3, "world_size": 8})";

TraceBuilder varied_run() {
  TraceBuilder t;
  t.meta = kMeasured;
  t.call("cudaMalloc_v3020");
  for (int n = 0; n < 4; ++n) {
    t.step(n, [&] {
      t.range("load", [&] {
        t.upload(4096);
        t.copy("cudaMemcpyAsync_v3020", kHostToDevice, 64, kPageable);  // blocks by itself
      });
      t.on_thread(101).upload(100);  // beside the step: that thread launches nothing
      t.on_thread(102).launch();     // works for it
      t.item();
      t.on_thread(100);
      t.range(
          "fwd", [&] { t.launch(9); }, "user");
      t.copy("cudaMemcpyAsync_v3020", kDeviceToHost, 32, kPinned, 9);
      t.sync("cudaStreamSynchronize_v3020", 7);  // of another stream than the copy: two things
      t.copy("cudaMemcpy_v3020", kDeviceToHost, 8, kPageable, 0);
      t.copy("cudaMemcpyAsync_v3020", kHostToDevice, 16, kUnknownMemory);
      t.call("cudaDeviceSynchronize_v3020", [&] { t.call("cuCtxSynchronize"); });
      for (int i = 0; i < n; ++i) t.item();
    });
    t.item(8);  // outside
  }
  return t;
}

TEST(ExportRoundTrip, KeepsEveryCount) {
  TraceBuilder t = varied_run();
  const ExportProcess was = process_of(t);
  ASSERT_GT(was.run.totals[Counter::unknown_copies], 0);
  ASSERT_GT(was.run.background[Counter::waits], 0);
  const auto is = read_back(exported(chrome(false), {&was}));
  ASSERT_EQ(is.size(), 1u);
  expect_same(was, is[0]);
  EXPECT_EQ(is[0].trace.meta.pid, 77);
  EXPECT_EQ(is[0].trace.meta.rank, 3);
  EXPECT_EQ(is[0].run.oddities, was.run.oddities);
}

TEST(ExportRoundTrip, KeepsProcessesApart) {
  TraceBuilder a = varied_run(), b = small_run();
  b.meta = R"({"tool": "test", "clock": "measured", "pid": 78})";
  const ExportProcess first = process_of(a), second = process_of(b);
  const auto is = read_back(exported(chrome(true), {&first, &second}));
  ASSERT_EQ(is.size(), 2u);
  expect_same(first, is[0]);
  expect_same(second, is[1]);
  EXPECT_EQ(is[1].trace.meta.pid, 78);
}

// As torch.cuda.nvtx.mark makes them.
TEST(ExportRoundTrip, KeepsAStepWithoutAnEnd) {
  TraceBuilder t;
  t.meta = kMeasured;
  for (int n = 0; n < 4; ++n) {
    t.mark(format::MarkKind::instant, "step " + std::to_string(n));
    t.upload(64);
    t.item();
  }
  const ExportProcess was = process_of(t);
  ASSERT_EQ(was.run.unclosed[Counter::waits], 2);
  const auto is = read_back(exported(chrome(false), {&was}));
  ASSERT_EQ(is.size(), 1u);
  expect_same(was, is[0]);
  EXPECT_EQ(is[0].run.unclosed, was.run.unclosed);
}

// The same of each process, whether it has a file of its own or shares one, and whichever stands first in it.
TEST(ExportRoundTrip, SplittingAFileByProcessChangesNothing) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    TraceBuilder a = random_builder(seed, true, 77), b = random_builder(seed + 100, true, 78);
    const ExportProcess first = process_of(a), second = process_of(b);
    const auto apart_first = read_back(exported(chrome(false), {&first}));
    const auto apart_second = read_back(exported(chrome(false), {&second}));
    ASSERT_EQ(apart_first.size() + apart_second.size(), 2u);
    for (const bool turned : {false, true}) {
      const auto together = turned ? read_back(exported(chrome(true), {&second, &first}))
                                   : read_back(exported(chrome(true), {&first, &second}));
      ASSERT_EQ(together.size(), 2u) << seed;
      for (const ExportProcess& is : together)
        expect_same(is.trace.meta.pid == 77 ? apart_first[0] : apart_second[0], is);
    }
  }
}

}  // namespace
}  // namespace zerostall
