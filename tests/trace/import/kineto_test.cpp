// Traits of Kineto files, one small file each (tests/data/kineto), and what damaged or foreign text does.
#include "profiler/trace/import/kineto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <sstream>

#include "profiler/analyze/summary.h"
#include "profiler/trace/build_trace.h"
#include "tests/faults/fault_count.h"

namespace zerostall {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::string data(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(std::string(ZEROSTALL_SOURCE_DIR) + "/tests/data/kineto/" + name).rdbuf();
  return text.str();
}

Result<std::vector<RawTrace>> parse(const std::string& text, const ReadOptions& options = {}) {
  return parse_kineto(std::as_bytes(std::span(text)), "t.json", options);
}

// Of text that is a trace; the test fails otherwise.
RawTrace parse_one(const std::string& text) {
  auto traces = parse(text);
  EXPECT_TRUE(traces) << (traces ? "" : traces.error().message);
  if (!traces) return {};
  EXPECT_EQ(traces->size(), 1u);
  return std::move(traces->front());
}

std::string error(const std::string& text, const ReadOptions& options = {}) {
  const auto traces = parse(text, options);
  return traces ? "(no error)" : traces.error().message;
}

std::string gzip(const std::string& text) {
  std::string out(text.size() + 1024, '\0');
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

SummaryOptions no_warmup() {
  SummaryOptions options;
  options.warmup = 0;
  return options;
}

// Waits, stream syncs and blocking copies of each step.
std::vector<std::array<Count, 3>> per_step(const std::string& text) {
  std::vector<std::array<Count, 3>> counts;
  for (const StepRow& step : analyze(parse_one(text), no_warmup()).steps)
    counts.push_back({step.counters[Counter::waits].value_or(-1), step.counters[Counter::stream_syncs].value_or(-1),
                      step.counters[Counter::blocking_copies].value_or(-1)});
  return counts;
}

const std::array<Count, 3> kTwoWaits = {2, 2, 1};  // an upload from pageable memory, and an .item()

TEST(Kineto, StepsHoldTheirWaits) {
  EXPECT_THAT(per_step(data("steps.json")), ElementsAre(kTwoWaits, kTwoWaits, kTwoWaits));
  const RunSummary run = analyze(parse_one(data("steps.json")), no_warmup());
  EXPECT_EQ(run.steps[0].number, 5);
  EXPECT_EQ(run.steps[0].end_ns - run.steps[0].begin_ns, 90'500);
  EXPECT_EQ(run.outside[Counter::device_syncs], 1);
  EXPECT_EQ(run.meta.device_name, "NVIDIA A100");
  EXPECT_EQ(run.meta.tool, "PyTorch profiler, CUPTI 18");
  EXPECT_EQ(run.meta.format, "kineto");
  EXPECT_THAT(run.meta.rank, 1);
  EXPECT_THAT(run.meta.world_size, 2);
  EXPECT_THAT(run.meta.pid, 10);
  EXPECT_FALSE(run.truncated);
  EXPECT_THAT(run.oddities, IsEmpty());
}

TEST(Kineto, ReadsTheLayoutsOfAllYears) {
  for (const char* name : {"steps-indented.json", "steps-list-2021.json", "steps-text-times-other-order.json"})
    EXPECT_THAT(per_step(data(name)), ElementsAre(kTwoWaits, kTwoWaits, kTwoWaits)) << name;
}

TEST(Kineto, ReadsGzipOfOneAndOfSeveralMembers) {
  const std::string text = data("steps.json"), padded = gzip(text) + std::string(100, '\0');
  EXPECT_EQ(per_step(gzip(text)).size(), 3u);
  EXPECT_EQ(per_step(gzip(text.substr(0, 1000)) + gzip(text.substr(1000))).size(), 3u);
  EXPECT_EQ(per_step(padded).size(), 3u);
}

TEST(Kineto, TimesAreExactWhereDoublesAreNot) {
  const RawTrace trace = parse_one(R"([{"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","pid":1,"tid":1,
    "ts":1700000000123456.789,"dur":0.001},{"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":1,"tid":1,
    "ts":1.7e15,"dur":"2.0005"}])");
  ASSERT_EQ(trace.calls.size(), 2u);
  EXPECT_EQ(trace.calls[1].begin_ns, 1'700'000'000'123'456'789);
  EXPECT_EQ(trace.calls[1].end_ns, 1'700'000'000'123'456'790);
  EXPECT_EQ(trace.calls[0].begin_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(trace.calls[0].end_ns - trace.calls[0].begin_ns, 2'001);  // rounded to the nanosecond
}

TEST(Kineto, RocmDoesNotSayWhatHostMemoryIs) {
  const RunSummary run = analyze(parse_one(data("rocm.json")), no_warmup());
  ASSERT_EQ(run.steps.size(), 1u);
  EXPECT_EQ(run.steps[0].counters[Counter::blocking_copies], 1);  // hipMemcpyWithStream waits by itself
  EXPECT_EQ(run.steps[0].counters[Counter::device_syncs], 1);
  EXPECT_THAT(run.unknown, IsEmpty());
}

TEST(Kineto, AnAsyncCopyOfUnknownMemoryOnItsOwnIsUnknown) {
  const RunSummary run = analyze(parse_one(R"x([
      {"ph":"X","cat":"cuda_runtime","name":"hipMemcpyAsync","pid":1,"tid":1,"ts":1,"dur":1,"args":{"correlation":1}},
      {"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoH (Device -> Host)","pid":0,"tid":0,"ts":2,"dur":1,"args":{"correlation":1}}])x"),
                                 no_warmup());
  EXPECT_EQ(run.totals[Counter::unknown_copies], 1);
}

TEST(Kineto, ProcessesAreKeptApart) {
  const auto traces = parse(data("processes.json"));
  ASSERT_TRUE(traces);
  ASSERT_EQ(traces->size(), 3u);
  const auto& [a, b, steps] = std::tie((*traces)[0], (*traces)[1], (*traces)[2]);
  EXPECT_THAT(a.meta.pid, 10);
  EXPECT_THAT(b.meta.pid, 20);
  EXPECT_THAT(steps.meta.pid, 30);
  EXPECT_EQ(a.calls.size(), 3u);
  EXPECT_EQ(b.calls.size(), 3u);
  EXPECT_EQ(b.gpu_ops.size(), 1u);                                          // correlation 7 is of process 20 alone
  EXPECT_THAT(a.oddities, ElementsAre(Pair("ambiguous_correlations", 1)));  // 50 is of both
  EXPECT_TRUE(steps.calls.empty());
  EXPECT_EQ(steps.marks.size(), 2u);
}

TEST(Kineto, WholeMicrosecondsDoNotMakeNeighboursNested) {
  const Trace trace = build_trace(parse_one(data("nested-whole-microseconds.json")));
  std::vector<std::pair<std::string, bool>> outermost;
  for (const Call& call : trace.calls) outermost.emplace_back(trace.text(call.name), call.outermost);
  EXPECT_THAT(outermost, ElementsAre(Pair("cudaMemcpy", true), Pair("cuMemcpyHtoD_v2", false),
                                     Pair("cudaEventQuery", true), Pair("cudaStreamSynchronize", true),
                                     Pair("cudaLaunchKernel", true), Pair("cudaDeviceSynchronize", true)));
}

TEST(Kineto, GraphsAndWhatIsNotUsed) {
  const RawTrace raw = parse_one(data("graphs.json"));
  EXPECT_EQ(raw.gpu_ops[0].from_graph, true);
  EXPECT_THAT(raw.contents,
              UnorderedElementsAre(Pair("cuda_runtime", 2), Pair("kernel", 1), Pair("gpu_memcpy", 2),
                                   Pair("overhead", 1), Pair("cuda_sync", 1), Pair("cuda_sync: Stream Sync", 1)));
}

// "step aten::item": functions of the call's stack, outermost first.
std::string stack_of(const RawTrace& trace, const RawCall& call) {
  if (call.stack == 0) return "-";
  std::string text;
  const Stack& stack = trace.stacks.stacks.at(call.stack);
  for (auto frame = stack.python.rbegin(); frame != stack.python.rend(); ++frame)
    text += (text.empty() ? "" : " > ") + std::string(trace.strings.text(frame->file)) + " " +
            std::string(trace.strings.text(frame->function));
  return text;
}

TEST(Kineto, CallsThatMayWaitHaveTheFramesAroundThem) {
  const RawTrace trace = parse_one(data("stacks.json"));
  std::vector<std::string> stacks;
  for (const RawCall& call : trace.calls) stacks.push_back(stack_of(trace, call));
  const std::string step = "train.py step (from line 31)",
                    item = step + " >  <built-in method item of Tensor object> >  aten::item";
  EXPECT_THAT(stacks, ElementsAre(item, item, step, "-", "-"));
  EXPECT_EQ(trace.calls[0].stack, trace.calls[1].stack);  // two objects, one place
  EXPECT_EQ(trace.stacks.stacks.at(trace.calls[0].stack).python_frames, PythonFrames::known);
}

TEST(Kineto, WithoutPythonTheOperatorsAreAllThatIsKnown) {
  const RawTrace trace = parse_one(data("steps.json"));
  ASSERT_EQ(trace.stacks.stacks.size(), 1u);
  EXPECT_EQ(trace.stacks.stacks.begin()->second.python_frames, PythonFrames::operators_only);
}

TEST(Kineto, BadNumbersAreCountedAndNothingElseIsLost) {
  const std::string good =
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","pid":1,"tid":1,"ts":5,"dur":2})";
  testing::FaultCount faults("text_hostile");
  for (const char* bad : {"NaN", "Infinity", "-Infinity", "9223372036854775808", "1e300", "true", "null", "\"\"", "[1]",
                          "{}", "\"12 us\"", "1.2.3", "-", "0x10"}) {
    faults.next();
    const std::string event = R"({"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":1,"tid":1,"ts":)" +
                              std::string(bad) + R"(,"dur":1})";
    const RawTrace trace = parse_one("[" + event + "," + good + "]");
    EXPECT_EQ(trace.calls.size(), 1u) << bad;
    EXPECT_THAT(trace.oddities, ElementsAre(Pair("bad_numbers", 1))) << bad;
    EXPECT_FALSE(trace.truncated) << bad;
  }
}

TEST(Kineto, OddTextIsReadAllTheSame) {
  const auto with_name = [](const std::string& name) {
    return R"([{"ph":"X","cat":"user_annotation","name":")" + name + R"(","pid":1,"tid":1,"ts":5,"dur":2}])";
  };
  const auto name_in = [&](const std::string& name) {
    const RawTrace trace = parse_one(with_name(name));
    return trace.marks.empty() ? "(none)" : std::string(trace.strings.text(trace.marks[0].text));
  };
  EXPECT_EQ(name_in(R"(a \"quoted\" \u00e9)"), "a \"quoted\" \xc3\xa9");
  EXPECT_EQ(name_in("bad \xff utf-8"), "bad ? utf-8");
  EXPECT_EQ(name_in("tab\tand \x01"), "tab and  ");
  EXPECT_EQ(name_in(R"(},{\"ph\": in a name)"), R"(},{"ph": in a name)") << "looks like the border of two events";
  EXPECT_NE(name_in(R"(unpaired \ud800 surrogate)"), "(none)");
  EXPECT_THAT(parse_one(with_name("\xff")).oddities, ElementsAre(Pair("text_not_utf8", 1)));
}

TEST(Kineto, TheLastOfEqualKeysCounts) {
  const RawTrace trace = parse_one(
      R"([{"ph":"X","cat":"cuda_runtime","name":"a","name":"cudaDeviceSynchronize","pid":1,"tid":1,"ts":5,"ts":7,"dur":2}])");
  EXPECT_EQ(trace.calls.at(0).begin_ns, 7'000);
}

TEST(Kineto, DeepNestingIsSkipped) {
  const std::string deep(100'000, '['), back(100'000, ']');
  const RawTrace trace = parse_one(
      R"([{"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":1,"tid":1,"ts":5,"dur":2,"args":{"x":)" +
      deep + back + "}}]");
  EXPECT_EQ(trace.calls.size(), 1u);
}

// A trace that somebody cuts off, byte by byte: each prefix yields whole events only, never fewer than a shorter one.
TEST(Kineto, EveryPrefixReadsUpToTheLastWholeEvent) {
  const std::string text = data("steps.json");
  const std::size_t whole = parse_one(text).calls.size(), header = text.find("[\n{\"ph\"") + 1;
  std::size_t before = 0;
  testing::FaultCount faults("file_cut_inside");
  for (std::size_t n = header; n < text.size(); ++n) {
    faults.next();
    const auto traces = parse(text.substr(0, n));
    ASSERT_TRUE(traces) << n << ": " << traces.error().message;
    const RawTrace& trace = traces->front();
    EXPECT_GE(trace.calls.size(), before) << n;
    EXPECT_TRUE(trace.truncated || n > text.rfind(']')) << n;
    EXPECT_LE(trace.end.byte, n);
    before = trace.calls.size();
  }
  EXPECT_EQ(before, whole);
}

TEST(Kineto, EveryPrefixOfAGzipFileReadsToo) {
  const std::string packed = gzip(data("steps.json"));
  testing::FaultCount faults("file_cut_inside");
  for (std::size_t n = 20; n < packed.size(); n += 7) {
    faults.next();
    const auto traces = parse(packed.substr(0, n));
    if (!traces) continue;  // not even the first event
    EXPECT_TRUE(traces->front().truncated) << n;
  }
  const auto most = parse(packed.substr(0, packed.size() - 9));
  ASSERT_TRUE(most);
  EXPECT_EQ(most->front().calls.size(), parse_one(data("steps.json")).calls.size());
  EXPECT_EQ(most->front().end.byte, packed.size() - 9);
}

TEST(Kineto, DamageInTheMiddleEndsIt) {
  std::string text = data("steps.json");
  const std::size_t at = text.find("\"ts\": 1120");
  text.replace(at, 4, "\"\" :");
  const RawTrace trace = parse_one(text);
  EXPECT_TRUE(trace.truncated);
  EXPECT_GT(trace.calls.size(), 3u);
  EXPECT_LT(trace.end.byte, at);
  EXPECT_GT(trace.end.byte, at - 200);
}

TEST(Kineto, WhatIsNoTraceIsRefusedWithItsReason) {
  EXPECT_THAT(error(R"({"schema": "1.0", "pid": 3, "nodes": []})"), HasSubstr("execution trace"));
  EXPECT_THAT(error(R"({"a": {"traceEvents": []}, "b": 1})"), HasSubstr("without a list \"traceEvents\" (keys: a, b)"));
  EXPECT_THAT(error("{\"a\nb\xff\": 1}"), HasSubstr("(keys: a?b?)")) << "an error is one line of text";
  EXPECT_THAT(error("{}"), HasSubstr("the JSON object is empty"));
  EXPECT_THAT(error("[1, 2, 3]"), HasSubstr("no events"));
  EXPECT_THAT(error("hello"), HasSubstr("neither a JSON object nor a list"));
  EXPECT_THAT(error(gzip("hello")), HasSubstr("neither a JSON object nor a list"));
  EXPECT_THAT(error("\x1f\x8b broken"), HasSubstr("damaged from its beginning on: gzip"));
}

TEST(Kineto, EmptyListsAreTracesOfNothing) {
  EXPECT_TRUE(parse_one("[]").calls.empty());
  EXPECT_FALSE(parse_one(R"({"traceEvents": [], "x": [{}, {}]})").truncated);
}

TEST(Kineto, ListsWithoutAnEndAreSaidToBeCutOff) {
  const std::string event =
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":1,"tid":1,"ts":5,"dur":2})";
  for (const char* end : {"", ",", ",\n", "\n"}) {
    const RawTrace trace = parse_one("[" + event + end);
    EXPECT_EQ(trace.calls.size(), 1u);
    EXPECT_TRUE(trace.truncated);
  }
}

TEST(Kineto, ABombIsStopped) {
  const std::string bomb = gzip("[" + std::string(4 << 20, ' '));
  EXPECT_THAT(error(bomb, {.most_expanded = 1 << 20}),
              HasSubstr("more than 1 MiB: if that is what it should do, raise the limit with --max-expanded"));
}

// More than one chunk; with borders of events that are none in names and arguments, at every alignment.
TEST(Kineto, ChunksAreCutWhereEventsEnd) {
  for (const bool hostile : {false, true}) {
    std::string text = R"({"traceEvents": [)";
    const std::string fill = hostile ? R"(x\"},{\"y)" : "plain";
    const int n = 40'000;
    for (int i = 0; i < n; ++i)
      text +=
          (i ? "," : "") + (R"({"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","pid":1,"tid":1,"ts":)" +
                            std::to_string(i * 10) + R"(,"dur":2,"args":{"list":[{"a":1},{"b":")" + fill +
                            R"("}],"correlation":)" + std::to_string(i) + "}}");
    text += R"(], "more": [{"a":1},{"b":2}], "distributedInfo": {"rank": 4}})";
    for (const unsigned threads : {1u, 2u, 3u}) {
      const auto traces = parse(text, {.threads = threads});
      ASSERT_TRUE(traces);
      EXPECT_EQ(traces->front().calls.size(), static_cast<std::size_t>(n));
      EXPECT_EQ(traces->front().calls.back().correlation, static_cast<std::uint32_t>(n - 1));
      EXPECT_FALSE(traces->front().truncated);
      EXPECT_THAT(traces->front().meta.rank, 4);
    }
  }
}

// A single event longer than a chunk, cut in places that look like borders.
TEST(Kineto, AnEventMayBeLongerThanAChunk) {
  std::string list;
  for (int i = 0; i < 200'000; ++i) list += std::string(i ? "," : "") + R"({"n":)" + std::to_string(i) + "}";
  const std::string event =
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":1,"tid":1,"ts":5,"dur":2,"args":{"x":[)" +
      list + "]}}";
  for (const unsigned threads : {1u, 2u}) {
    const auto traces = parse("[" + event + "," + event + "]", {.threads = threads});
    ASSERT_TRUE(traces);
    EXPECT_EQ(traces->front().calls.size(), 2u);
    EXPECT_FALSE(traces->front().truncated);
  }
}

}  // namespace
}  // namespace zerostall
