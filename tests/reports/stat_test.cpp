#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/stat_json.h"
#include "reports/stat_text.h"
#include "tests/gate/verify_runs.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> list;
  for (const auto& [key, value] : object.items()) list.push_back(key);
  return list;
}

TEST(StatJson, HasTheKeysOfTheSchemaInOrder) {
  const Json json = Json::parse(render_stat_json(make_run({}, StepShape{}).summary));
  // clang-format off
  EXPECT_EQ(
      keys(json),
      (std::vector<std::string>{
          "schema",    "source",     "device",     "complete",         "windows",   "lost",     "times_repeatable",
          "corrected", "own_cost",   "steps_from", "steps_confidence", "steps_how", "warmup",   "region",
          "steps",     "background", "unclosed",   "outside",          "totals",    "per_step", "regions", "outside_regions",
          "waits",     "calls",      "copies",     "gpu_work",         "stacks",    "sites",    "implicit_sites",
          "causes",    "threads",    "streams",    "oddities",         "contents"}));
  // clang-format on
  EXPECT_EQ(json["schema"], "zerostall/stat/1");
  EXPECT_EQ(json["source"]["clock"], "modelled");
  EXPECT_EQ(json["device"]["name"], "simulated H200");
  EXPECT_EQ(json["steps_from"], "marks");
  EXPECT_EQ(json["steps"].size(), 6u);
  EXPECT_EQ(json["steps"][2]["index"], 2);
  EXPECT_EQ(json["steps"][2]["waits"], 13);
  EXPECT_EQ(json["steps"][2]["blocked_ns"], json["per_step"]["blocked_ns"]["min"]);
  EXPECT_EQ(json["regions"]["train"]["per_step"]["waits"]["median"], 3);
  EXPECT_EQ(json["calls"]["cudaStreamSynchronize"]["count"], 6 * 13);
  EXPECT_EQ(json["copies"][0]["per_step"]["max"], 10);
  EXPECT_TRUE(json["sites"].is_array());
  EXPECT_TRUE(json["stacks"].is_null());  // not asked for
  EXPECT_EQ(json["calls"]["cudaStreamSynchronize"]["failed"], 0);
  EXPECT_GT(json["gpu_work"]["kernels"], 0);
}

TEST(StatJson, HasStacksWhereAskedFor) {
  RunSummary run = make_run({}, StepShape{}).summary;
  WaitStack stack;
  stack.id = 4;
  stack.waits = {{"cudaStreamSynchronize", 6, 4, Spread{1, 1, 1, 1}}};
  stack.python_frames = PythonFrames::known;
  stack.python = {{"step", "train.py", 31, false}, {"<module>", "train.py", 0, false}};
  NativeLine frame;
  frame.module = "lib.so";
  frame.offset = 4096;
  frame.why_not = "no such file here";
  stack.native = {frame, NativeLine{}};
  run.stacks = {stack, WaitStack{}};
  const Json json = Json::parse(render_stat_json(run, {}, {}, true))["stacks"];
  EXPECT_EQ(keys(json[0]),
            (std::vector<std::string>{"id", "waits", "python_frames", "python", "python_cut", "native", "native_cut"}));
  EXPECT_EQ(json[0]["id"], 4);
  EXPECT_EQ(json[0]["waits"][0]["per_step"]["median"], 1);
  EXPECT_EQ(json[0]["python_frames"], "known");
  EXPECT_EQ(json[0]["python"][0], (Json{{"file", "train.py"}, {"line", 31}, {"function", "step"}, {"library", false}}));
  EXPECT_TRUE(json[0]["python"][1]["line"].is_null());
  EXPECT_EQ(json[0]["native"][0]["why_not"], "no such file here");
  EXPECT_EQ(json[0]["native"][0]["sources"], Json::array());
  EXPECT_TRUE(json[0]["native"][1]["module"].is_null());
  EXPECT_TRUE(json[1]["id"].is_null());
}

TEST(StatJson, NamesEachHostWaitOfAStep) {
  TraceBuilder t;
  t.step(0, [&] {
    t.launch();
    t.item();
    t.sync();
    t.launch();
  });
  const std::string file = t.bytes();
  const Json json =
      Json::parse(render_stat_json(analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t"})));
  EXPECT_EQ(json["steps"][0]["waits"], 2);
  EXPECT_EQ(json["steps"][0]["host_waits"],
            Json({"cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize", "cudaStreamSynchronize"}));
}

RunSummary run_with_bubbles(bool closed) {
  TraceBuilder t;
  t.closed = closed;
  for (int n = 0; n < 4; ++n)
    t.step(n, [&] {
      t.launch();
      t.item();
      t.now_ns += 5'000;
      t.launch();
    });
  const std::string file = t.bytes();
  return analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t"});
}

TEST(StatText, TellsWhyTheGpuWasIdle) {
  EXPECT_THAT(render_stat_text(run_with_bubbles(true)),
              HasSubstr("\nGPU idle per judged step (modelled): 0.005 ms after waits (0.005 ms avoidable), 0 ms "
                        "host-bound, 0 ms dependency\n"));
  EXPECT_THAT(render_stat_text(run_with_bubbles(false)), Not(HasSubstr("GPU idle")));
}

TEST(StatJson, TellsWhyTheGpuWasIdle) {
  const Json step = Json::parse(render_stat_json(run_with_bubbles(true)))["steps"][2];
  EXPECT_EQ(step["bubble_ns"], 5'100);
  EXPECT_EQ(step["avoidable_idle_ns"], 5'100);
  EXPECT_EQ(step["host_bound_idle_ns"], 0);
  EXPECT_EQ(step["dependency_idle_ns"], 0);
  EXPECT_EQ(step["unknown_idle_ns"], 0);
  EXPECT_EQ(step["effective_ns"], step["blocked_ns"]);
  const Json cut = Json::parse(render_stat_json(run_with_bubbles(false)))["steps"][2];
  for (const char* key : {"effective_ns", "bubble_ns", "avoidable_idle_ns", "host_bound_idle_ns", "dependency_idle_ns",
                          "unknown_idle_ns"})
    EXPECT_TRUE(cut.at(key).is_null()) << key;
}

TEST(StatJson, WritesUnknownAsNull) {
  const auto cut = make_run(
      {}, [](int) { return StepShape{}; }, 6, [](TraceBuilder& t) { t.closed = false; });
  const Json json = Json::parse(render_stat_json(cut.summary));
  EXPECT_EQ(json["complete"], false);
  EXPECT_TRUE(json["steps"][3]["drains"].is_null());
  EXPECT_TRUE(json["per_step"]["drains"].is_null());
  EXPECT_TRUE(json["steps"][3]["idle_waits"].is_null());
  EXPECT_EQ(json["oddities"]["truncated"], true);
  EXPECT_TRUE(json["oddities"]["stopped_at_byte"].is_null());
  EXPECT_EQ(json["oddities"]["stop_reason"], "its process was killed, left by _exit, or still runs");
  EXPECT_TRUE(json["oddities"]["damage"].is_null());
  RunSummary unread;
  unread.truncated = true;
  EXPECT_TRUE(Json::parse(render_stat_json(unread))["source"]["clock"].is_null());
  const Json empty = Json::parse(render_stat_json({}));
  EXPECT_TRUE(empty["device"].is_null());
  EXPECT_TRUE(empty["per_step"]["waits"].is_null());
  EXPECT_EQ(empty["steps_from"], "none");
  EXPECT_TRUE(empty["steps_confidence"].is_null());
  EXPECT_TRUE(empty["steps_how"].is_null());
}

// A newer CUPTI, a call of what is new in it, a graph recorded as a whole.
RunSummary with_unknowns() {
  RunSummary run = make_run({}, StepShape{}).summary;
  run.unknown["cudaNewWait"] = 3;
  run.meta.unknown_apis = {"cudaNewWait_v14000", "cuNewer"};
  run.gpu_work = {std::nullopt, std::nullopt, std::nullopt, 2};
  return run;
}

TEST(StatJson, NeverWritesZeroForWhatNobodyKnows) {
  const Json json = Json::parse(render_stat_json(with_unknowns()));
  EXPECT_EQ(json["oddities"]["unknown_calls"], Json({{"cudaNewWait", 3}}));
  EXPECT_EQ(json["oddities"]["unknown_api_ids"], Json({"cudaNewWait_v14000", "cuNewer"}));
  EXPECT_TRUE(json["gpu_work"]["kernels"].is_null());
  EXPECT_EQ(json["gpu_work"]["graphs"], 2);
  const Json known = Json::parse(render_stat_json(make_run({}, StepShape{}).summary));
  EXPECT_EQ(known["oddities"]["unknown_calls"], Json::object());
  EXPECT_EQ(known["oddities"]["unknown_api_ids"], Json::array());
  EXPECT_EQ(known["gpu_work"]["graphs"], 0);
}

TEST(StatText, SaysWhatNobodyKnows) {
  const std::string text = render_stat_text(with_unknowns());
  EXPECT_THAT(text, HasSubstr("does not know cudaNewWait: whether its 3 calls waited is unknown"));
  EXPECT_THAT(text, HasSubstr("this CUPTI has 2 functions that this version of zerostall does not know "
                              "(cudaNewWait_v14000, cuNewer)"));
  EXPECT_THAT(text, HasSubstr("graph launches recorded as a whole: 2;"));
}

TEST(StatJson, RepairsTextThatIsNotUtf8) {
  RunSummary run;
  run.path = "\xff\xfe";
  EXPECT_NO_THROW(Json::parse(render_stat_json(run)));
}

TEST(StatJson, ListsTheProcessesOfARecording) {
  NamedRun rank{"rank1.zstall", make_run({}, StepShape{}).summary};
  rank.summary.meta.rank = 1;
  rank.summary.meta.program = "python3.11";
  rank.summary.meta.script = "train.py";
  rank.summary.meta.arguments = 2;
  const Json json = Json::parse(render_stat_json(rank.summary, {rank, {"process-7.zstall", {}}}));
  ASSERT_EQ(json["processes"].size(), 2u);
  EXPECT_EQ(json["processes"][0]["rank"], 1);
  EXPECT_TRUE(json["processes"][0]["argv"].is_null());
  EXPECT_EQ(json["processes"][0]["script"], "train.py");
  EXPECT_EQ(json["processes"][0]["arguments"], 2);
  EXPECT_TRUE(json["processes"][0]["host"].is_null());
  EXPECT_EQ(json["processes"][0]["per_step"]["waits"]["max"], 13);
  EXPECT_TRUE(json["processes"][1]["rank"].is_null());
  EXPECT_TRUE(json["processes"][1]["per_step"]["waits"].is_null());
}

TEST(StatText, ShowsHowToMarkStepsAndWhenTimesWouldNotRepeat) {
  TraceBuilder t;
  t.launch();
  const std::int64_t before = t.now_ns;
  t.sync();
  t.on_thread(2).now_ns = before + 1;
  t.launch();
  const std::string file = t.bytes();
  const std::string text =
      render_stat_text(analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t"}));
  EXPECT_THAT(text, HasSubstr("call torch.cuda.nvtx.mark(f\"step {i}\") at the start of each step"));
  EXPECT_THAT(text, HasSubstr("times modelled, not repeatable"));
}

TEST(StatText, FoldsEqualStepsAndShowsRegionsCallsAndCopies) {
  const std::string text = render_stat_text(make_run({}, StepShape{}).summary, {.verbose = true});
  EXPECT_THAT(text, HasSubstr("t · simulated H200 · times modelled · 6 steps (from marks), first 2 not judged"));
  EXPECT_THAT(text, HasSubstr("\n0-1 warm-up"));
  EXPECT_THAT(text, HasSubstr("\n2-5 "));
  EXPECT_THAT(text, HasSubstr("\n  in train "));
  EXPECT_THAT(text, HasSubstr("cudaStreamSynchronize"));
  EXPECT_THAT(text, HasSubstr("cudaMemcpyAsync host to device"));
  EXPECT_THAT(text, Not(HasSubstr("oddity")));
  EXPECT_THAT(text, Not(HasSubstr("background")));
}

TEST(StatText, SaysHowStepsWithoutMarksWereFound) {
  TraceBuilder t;
  for (int n = 0; n < 5; ++n) t.launch(), t.item(), t.launch(7, "multi_tensor_apply_kernel");
  const std::string file = t.bytes();
  const RunSummary run = analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t"});
  EXPECT_THAT(render_stat_text(run),
              AllOf(HasSubstr("5 steps (inferred: each with multi_tensor_apply_kernel; 5 of 5 are the same 2 launches; "
                              "high confidence), first 2 not judged"),
                    HasSubstr("steps are inferred, not marked; to be certain, call torch.cuda.nvtx.mark")));
  const Json json = Json::parse(render_stat_json(run));
  EXPECT_EQ(json["steps_from"], "anchor");
  EXPECT_EQ(json["steps_confidence"], "high");
  EXPECT_EQ(json["steps_how"], "each with multi_tensor_apply_kernel; 5 of 5 are the same 2 launches");
}

TEST(StatText, RendersATraceWithoutStepsOrCalls) { EXPECT_THAT(render_stat_text({}), HasSubstr("no steps marked")); }

RunSummary summary_of(TraceBuilder& t, std::int64_t warmup = 2) {
  const std::string file = t.bytes();
  return analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t", warmup});
}

TEST(StatText, FoldsOnlyConsecutiveStepsAndSaysHowManyALineStandsFor) {
  TraceBuilder epochs, uncounted, sparse;
  for (int epoch = 0; epoch < 2; ++epoch)
    for (int n = 0; n < 4; ++n)
      epochs.range(
          "batch " + std::to_string(n), [&] { epochs.item(); }, "");
  const std::string text = render_stat_text(summary_of(epochs));
  EXPECT_THAT(text, HasSubstr("8 steps (from NVTX)"));
  EXPECT_THAT(text, HasSubstr("\n0-1 warm-up "));
  EXPECT_THAT(text, HasSubstr("\n2-3 "));
  EXPECT_THAT(text, HasSubstr("\n0-3 "));
  for (int n = 0; n < 5; ++n) uncounted.step(7, [&] { uncounted.item(); });
  EXPECT_THAT(render_stat_text(summary_of(uncounted)), HasSubstr("\n7 (3 steps) "));
  for (int n = 0; n < 4; ++n) sparse.step(n * 10, [&] { sparse.item(); });
  EXPECT_THAT(render_stat_text(summary_of(sparse)), HasSubstr("\n20 "));
  EXPECT_THAT(render_stat_text(summary_of(sparse)), Not(HasSubstr("20-30")));
}

TEST(StatText, ShowsUnknownCopiesNextToBlockingOnes) {
  TraceBuilder t;
  for (int n = 0; n < 4; ++n)
    t.step(n, [&] {
      for (int i = 0; i < 3; ++i) t.copy("cudaMemcpyAsync_v3020", kHostToDevice, 5, kUnknownMemory);
      t.upload(64);
    });
  EXPECT_THAT(render_stat_text(summary_of(t)), HasSubstr(" 1 + 3 unknown "));
}

TEST(StatText, ShowsWhatOtherThreadsOfAStepWait) {
  TraceBuilder t;
  for (int n = 0; n < 4; ++n)
    t.step(n, [&] {
      t.on_thread(2).launch();
      t.item();
      t.on_thread(100);
    });
  EXPECT_THAT(render_stat_text(summary_of(t)), HasSubstr("0 ms + 0.020 ms on other threads"));
}

TEST(StatText, CountsIdleWaitsAndMarksModelledColumns) {
  TraceBuilder t;
  t.step(0, [&] { t.launch(), t.item(), t.item(); });
  const std::string text = render_stat_text(summary_of(t));
  EXPECT_THAT(text, HasSubstr("\nmodelled, not measured: GPU ran dry, blocked\nstep "));
  EXPECT_THAT(text, HasSubstr("\nnote: 1 of 2 waits in all found nothing queued before (modelled)"));
  TraceBuilder busy;
  busy.meta = R"({"tool": "test"})";
  busy.step(0, [&] { busy.launch(), busy.item(); });
  EXPECT_THAT(render_stat_text(summary_of(busy)), Not(HasSubstr("found nothing queued")));
  EXPECT_THAT(render_stat_text(summary_of(busy)), HasSubstr("GPU ran dry   "));
}

TEST(StatText, UsesOneWordForUnknown) {
  const auto cut = make_run(
      {}, [](int) { return StepShape{}; }, 6, [](TraceBuilder& t) { t.closed = false, t.item(); });
  const std::string text = render_stat_text(cut.summary);
  EXPECT_THAT(text, HasSubstr(" unknown "));
  EXPECT_THAT(text, Not(HasSubstr(" - ")));
}

TEST(StatText, ShowsAnUnclosedStepApartAndOdditiesInSentences) {
  TraceBuilder t;
  t.step(0, [&] { t.item(); });
  t.mark(format::MarkKind::push, "step 1", "zerostall");
  t.item();
  const std::string text = render_stat_text(summary_of(t));
  EXPECT_THAT(text, HasSubstr("\nunclosed step "));
  EXPECT_THAT(text, Not(HasSubstr("outside steps")));
  EXPECT_THAT(text, HasSubstr("1 step without an end: not judged"));
  EXPECT_THAT(text, Not(HasSubstr("unclosed_steps")));
}

TEST(StatText, SaysWhenNoStepIsJudged) {
  TraceBuilder t;
  for (int n = 0; n < 5; ++n) t.step(n, [&] { t.item(); });
  EXPECT_THAT(render_stat_text(summary_of(t, 5)),
              HasSubstr("5 steps (from marks), none is judged: the first 5 are warm-up"));
}

TEST(StatText, MakesNamesOfTheProgramPrintable) {
  TraceBuilder t;
  for (int n = 0; n < 4; ++n) t.step(n, [&] { t.range("evil\x1b[2J\nline\xff", [&] { t.item(); }); });
  const std::string text = render_stat_text(summary_of(t));
  EXPECT_THAT(text, HasSubstr("\n  in evil\\x1b[2J\\nline\\xff "));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(StatText, ShowsNoZerosOfATraceThatCouldNotBeRead) {
  RunSummary run;
  run.truncated = true;
  run.end = {32, "checksum"};
  EXPECT_THAT(render_stat_text(run), HasSubstr("the trace is damaged at byte 32 (checksum)"));
  EXPECT_THAT(render_stat_text(run), Not(HasSubstr("outside steps")));
}

}  // namespace
}  // namespace zerostall
