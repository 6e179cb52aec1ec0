// Public exports of Nsight Systems against figures that another program counted (expected.json; metrics.md says how).
// The folder is named by ZEROSTALL_TRACES; without it these tests are skipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "profiler/analyze/steps.h"
#include "profiler/trace/build_trace.h"
#include "profiler/trace/import/nsys.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Counts = std::map<std::string, std::int64_t>;

fs::path traces_folder() {
  const char* folder = std::getenv("ZEROSTALL_TRACES");
  return folder != nullptr && *folder != '\0' ? fs::path(folder)
                                              : fs::path(ZEROSTALL_SOURCE_DIR).parent_path() / "shared" / "traces";
}

Json expected() {
  std::ifstream file(traces_folder() / "expected.json");
  return file ? Json::parse(file) : Json();
}

bool is_sync(ApiKind kind) {
  return kind == ApiKind::stream_sync || kind == ApiKind::device_sync || kind == ApiKind::event_sync;
}

// The figures of one stretch of a trace, or of all.
struct Figures {
  Counts sync_calls, copies, blocking_copies;
  std::int64_t nested = 0, copy_calls = 0;
  Nanos sync_ns = 0, copy_ns = 0;
};

template <class Wanted>
void count(const Trace& trace, const Wanted& wanted, Figures& figures) {
  for (const Call& call : trace.calls) {
    if (!is_sync(call.kind) || !wanted(call.begin_ns)) continue;
    ++figures.sync_calls[std::string(trace.text(call.name))];
    figures.nested += !call.outermost;
    if (call.outermost) figures.sync_ns += call.end_ns - call.begin_ns;
  }
  std::set<CallIndex> calls, blocking;
  for (const GpuOp& op : trace.gpu_ops) {
    if (op.kind != GpuOpKind::copy || op.call == kNoIndex) continue;
    const Call& call = trace.calls[op.call];
    if (!wanted(call.begin_ns)) continue;
    ++figures.copies[std::string(trace.text(op.name))];
    calls.insert(op.call);
    const bool pageable = op.source == MemoryKind::pageable || op.target == MemoryKind::pageable;
    if (!crosses_host(op.direction) || (call.async && !pageable)) continue;
    ++figures.blocking_copies[std::string(trace.text(op.name)) + " by " + std::string(trace.text(call.name))];
    if (blocking.insert(op.call).second) figures.copy_ns += call.end_ns - call.begin_ns;
  }
  figures.copy_calls += static_cast<std::int64_t>(calls.size());
}

Counts counts_of(const Json& object, const char* key) { return object.value(key, Counts()); }

void compare(const Figures& figures, const Json& wanted) {
  EXPECT_EQ(figures.sync_calls, counts_of(wanted, "sync_calls"));
  EXPECT_EQ(figures.nested, wanted.value("sync_calls_nested", 0));
  EXPECT_EQ(figures.copies, counts_of(wanted, "copies"));
  EXPECT_EQ(figures.blocking_copies, counts_of(wanted, "blocking_copies"));
  EXPECT_EQ(figures.copy_calls, wanted.value("copy_calls", 0));
  EXPECT_NEAR(static_cast<double>(figures.sync_ns) / 1e3, wanted.value("sync_us", 0.0), 1e-6);
  EXPECT_NEAR(static_cast<double>(figures.copy_ns) / 1e3, wanted.value("copy_us", 0.0), 1e-6);
}

// Entries of `contents` that begin so, without that.
Counts contents(const std::vector<RawTrace>& traces, std::string_view prefix) {
  Counts found;
  for (const RawTrace& trace : traces)
    for (const auto& [name, number] : trace.contents)
      if (name.starts_with(prefix)) found[name.substr(prefix.size())] += number;
  return found;
}

void compare_as_read(const std::vector<RawTrace>& traces, const Json& wanted) {
  Counts calls, oddities;
  for (const RawTrace& trace : traces) {
    for (const RawCall& call : trace.calls) {
      const std::string name(trace.strings.text(call.name));
      const ApiKind kind = find_api(name).kind;
      if (is_sync(kind) || kind == ApiKind::copy) ++calls[name];
    }
    for (const auto& [name, number] : trace.oddities) oddities[name] += number;
  }
  EXPECT_EQ(calls, counts_of(wanted, "calls_by_name"));
  EXPECT_EQ(contents(traces, "cuda_sync: "), counts_of(wanted, "cuda_sync_records"));
  EXPECT_EQ(contents(traces, "device: "), counts_of(wanted, "devices"));
  const Counts all = contents(traces, "");
  for (const auto& [table, rows] : counts_of(wanted, "rows")) EXPECT_EQ(all.at(table), rows) << table;
  Counts known = counts_of(wanted, "oddities");
  known.erase("copy_without_host_call");  // build_trace's: unlinked_gpu_ops
  EXPECT_EQ(oddities, known);
  for (const RawTrace& trace : traces) {
    EXPECT_EQ(trace.meta.format, "nsys");
    const std::string version = wanted["meta"].value("EXPORT_PRODUCT_VERSION", "");
    EXPECT_THAT(trace.meta.tool, testing::HasSubstr("Nsight Systems" + (version.empty() ? "" : " " + version)));
    const Counts devices = counts_of(wanted, "devices");
    EXPECT_EQ(trace.meta.device_name, devices.empty() ? "" : devices.begin()->first);
  }
}

void compare_steps(const std::vector<Trace>& traces, const Json& wanted) {
  Figures outside;
  std::size_t seen = 0;
  for (const Trace& trace : traces) {
    const Steps steps = split_steps(trace, {wanted["step_regex"].get<std::string>().substr(4)});
    for (const Step& step : steps.steps) {
      ASSERT_LT(seen, wanted["steps"].size());
      const Json& one = wanted["steps"][seen++];
      SCOPED_TRACE(one["step"].get<std::string>());
      Figures figures;
      count(
          trace, [&](Nanos time) { return time >= step.begin_ns && time < step.end_ns; }, figures);
      compare(figures, one);
      EXPECT_NEAR(static_cast<double>(step.begin_ns) / 1e3, one["ts"].get<double>(), 1e-6);
      EXPECT_NEAR(static_cast<double>(step.end_ns - step.begin_ns) / 1e3, one["dur"].get<double>(), 1e-6);
    }
    count(
        trace, [&](Nanos time) { return !step_at(steps.steps, time); }, outside);
  }
  EXPECT_EQ(seen, wanted["n_steps"].get<std::size_t>());
  SCOPED_TRACE("outside");
  compare(outside, wanted["outside"]);
}

void compare_totals(const std::vector<Trace>& traces, const Json& wanted) {
  Figures total;
  Counts unmatched;
  for (const Trace& trace : traces) {
    count(
        trace, [](Nanos) { return true; }, total);
    for (const GpuOp& op : trace.gpu_ops)
      if (op.kind == GpuOpKind::copy && op.call == kNoIndex) ++unmatched[std::string(trace.text(op.name))];
  }
  for (const auto& [name, number] : unmatched) total.copies[name] += number;
  SCOPED_TRACE("total");
  compare(total, wanted["total"]);
  EXPECT_EQ(unmatched, wanted["unmatched"].value("copies", Counts()));
  EXPECT_EQ(total.copies, counts_of(wanted, "memcpy_kinds"));
}

// "Warm-up Step 12" -> "Warm-up Step N"
std::string digits_as_n(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit || !out.ends_with('N')) out += is_digit ? 'N' : c;
  }
  return out;
}

void compare_ranges(const std::vector<Trace>& traces, const Json& wanted) {
  std::int64_t ranges = 0, rows = 0;
  for (const Trace& trace : traces) {
    ranges += static_cast<std::int64_t>(trace.ranges.size());
    for (const Range& range : trace.ranges) EXPECT_FALSE(range.open);
    rows += static_cast<std::int64_t>(trace.calls.size() + trace.gpu_ops.size());
    if (const auto left = trace.contents.find("calls that never matter"); left != trace.contents.end())
      rows += left->second;
  }
  Counts names;
  for (const Trace& trace : traces)
    for (const Range& range : trace.ranges) ++names[digits_as_n(trace.text(range.text))];
  for (const auto& [name, number] : counts_of(wanted, "nvtx_ranges_top")) EXPECT_EQ(names[name], number) << name;
  const Json& table_rows = wanted["rows"];
  EXPECT_EQ(rows,
            table_rows.value("CUPTI_ACTIVITY_KIND_RUNTIME", 0) + table_rows.value("CUPTI_ACTIVITY_KIND_KERNEL", 0) +
                table_rows.value("CUPTI_ACTIVITY_KIND_MEMCPY", 0) + table_rows.value("CUPTI_ACTIVITY_KIND_MEMSET", 0));
  const std::int64_t domains = wanted["n_steps"] == 5 ? 1 : 0;  // one row of nsys-nvtx-steps names a domain
  EXPECT_EQ(ranges, table_rows.value("NVTX_EVENTS", 0) - domains);
}

class NsysCorpus : public testing::TestWithParam<const char*> {};

TEST_P(NsysCorpus, HasTheExpectedFigures) {
  const fs::path path = traces_folder() / GetParam();
  const Json all = expected();
  if (all.is_null() || !fs::exists(path)) GTEST_SKIP() << "skipped: no corpus";
  const Json& wanted = all.at(GetParam());
  for (const unsigned threads : {1u, 2u}) {
    SCOPED_TRACE(threads);
    ReadOptions options;
    options.threads = threads;
    auto raw = import_nsys(path, options);
    ASSERT_TRUE(raw) << raw.error().message;
    compare_as_read(*raw, wanted);
    std::vector<Trace> traces;
    for (RawTrace& trace : *raw) traces.push_back(build_trace(std::move(trace)));
    compare_totals(traces, wanted);
    compare_steps(traces, wanted);
    compare_ranges(traces, wanted);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, NsysCorpus,
                         testing::Values("nsys-2.7b-292syncs.sqlite", "nsys-2.7b-clean.sqlite", "nsys-fuser.sqlite",
                                         "nsys-mfu-after.sqlite", "nsys-mfu-before.sqlite",
                                         "nsys-nested-duplicate-calls.sqlite", "nsys-non-utf8-strings.sqlite",
                                         "nsys-nvtx-steps.sqlite", "nsys-unified-memory.sqlite"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

}  // namespace
}  // namespace zerostall
