// What `zerostall stat` shows of a run: widths, colours, the tables of --by, CSV.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "profiler/analyze/region.h"
#include "reports/stat_csv.h"
#include "reports/stat_json.h"
#include "reports/stat_text.h"
#include "tests/gate/verify_runs.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

RunSummary summary_of(TraceBuilder& t, std::int64_t warmup = 2) {
  const std::string file = t.bytes();
  return analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t", warmup});
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::size_t widest(const std::string& text) {
  std::size_t width = 0;
  for (const std::string& line : lines_of(text)) width = std::max(width, characters(line));
  return width;
}

// Places of every kind, with long names.
RunSummary with_long_names() {
  TraceBuilder t;
  for (int n = 0; n < 5; ++n)
    t.step(n, [&] {
      t.range("load", [&] { t.upload(4096); });
      t.launch(7, "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >"), t.item();
      t.launch(7, "größe_größe_größe_größe_größe_größe_größe_größe_größe_größe_größe_größe_größe"), t.item(8);
    });
  RunSummary run = summary_of(t);
  Site site = run.sites.front();
  site.from = SiteFrom::own_line;
  site.place = "a/very/long/path/to/the/place/where/the/training/loop/of/this/program/stands/train.py:31 in step";
  site.cause.evidence = "the line says loss.item(), and a lot more that nobody would want to read in one go, on and on";
  run.sites.push_back(site);
  return run;
}

TEST(StatWidth, EveryLineFitsAndNoneIsBrokenWithinATableRow) {
  const RunSummary run = with_long_names();
  for (const std::size_t width : {40u, 60u, 80u, 100u, 120u, 160u})
    for (const auto& by :
         {std::vector<StatBy>{}, {StatBy::step}, {StatBy::site}, {StatBy::cause}, {StatBy::thread}, {StatBy::stream}}) {
      const std::string text = render_stat_text(run, {.by = by, .style = {.width = width}});
      EXPECT_LE(widest(text), width) << text;
    }
}

TEST(StatWidth, APathLosesItsFrontAndAKernelItsEnd) {
  const std::string text = render_stat_text(with_long_names(), {.style = {.width = 100}});
  EXPECT_THAT(text, HasSubstr("train.py:31 in step "));
  EXPECT_THAT(text, Not(HasSubstr("a/very/long")));
  EXPECT_THAT(text, HasSubstr("\nafter void at::native::"));
  EXPECT_THAT(text, HasSubstr("\n    the line says loss.item()"));  // on a line of its own
}

TEST(StatWidth, WithoutATerminalRowsAreWholeAndLongCellsCut) {
  const std::string text = render_stat_text(with_long_names());
  EXPECT_THAT(text, HasSubstr("...ining/loop/of/this/program/stands/train.py:31 in step"));
  EXPECT_THAT(text, HasSubstr("the line says loss.item(), and a lot more that nobody would want to read in o...\n"));
  EXPECT_THAT(text, Not(HasSubstr("no room for")));
}

TEST(StatWidth, NamesTheColumnsThatGo) {
  EXPECT_THAT(render_stat_text(with_long_names(), {.style = {.width = 60}}), HasSubstr("\nno room for: "));
}

TEST(StatModelled, EveryTableWithTimesSaysSoOnce) {
  const RunSummary run = with_long_names();
  for (const StatBy by : {StatBy::step, StatBy::site, StatBy::cause, StatBy::thread, StatBy::stream}) {
    const std::string text = render_stat_text(run, {.by = {by}});
    EXPECT_THAT(text, HasSubstr("modelled, not measured: "));
    EXPECT_THAT(text, Not(HasSubstr("blocked (modelled)")));
  }
  const std::string steps = render_stat_text(run, {.by = {StatBy::step}});
  EXPECT_THAT(steps, HasSubstr("modelled, not measured: step time, GPU ran dry, blocked, H2D stall, idle after waits, "
                               "avoidable, host-bound, dependency\n"));
  TraceBuilder t;
  t.meta = R"({"tool": "test"})";
  t.step(0, [&] { t.launch(), t.item(); });
  for (const StatBy by : {StatBy::step, StatBy::site, StatBy::cause, StatBy::thread, StatBy::stream})
    EXPECT_THAT(render_stat_text(summary_of(t), {.by = {by}}), Not(HasSubstr("modelled")));
}

TEST(StatColour, MarksWaitsOfJudgedStepsAndNothingWhereItIsOff) {
  TraceBuilder t;
  for (int n = 0; n < 5; ++n)
    t.step(n, [&] {
      t.launch();
      if (n != 3) t.item();
    });
  const RunSummary run = summary_of(t, 1);
  const std::string text = render_stat_text(run, {.by = {StatBy::step}, .style = {.colour = true}});
  EXPECT_THAT(text, HasSubstr("\x1b[1mstep"));
  const auto lines = lines_of(text);
  const auto line_of = [&](const std::string& step) {
    for (const std::string& line : lines)
      if (line.starts_with(step)) return line;
    return std::string();
  };
  EXPECT_THAT(line_of("2 "), HasSubstr("\x1b[31m1\x1b[0m"));  // the GPU ran dry
  EXPECT_THAT(line_of("3 "), HasSubstr("\x1b[32m0\x1b[0m"));
  EXPECT_THAT(line_of("0 warm-up"), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(render_stat_text(run), Not(HasSubstr("\x1b")));
  std::string plain = text;  // alignment is that of the text without codes
  for (std::size_t at; (at = plain.find('\x1b')) != std::string::npos;) plain.erase(at, plain.find('m', at) - at + 1);
  EXPECT_EQ(plain, render_stat_text(run, {.by = {StatBy::step}}));
}

TEST(StatBySteps, ShowsEachWithItsTimeAndIdleParts) {
  const std::string text = render_stat_text(with_long_names(), {.by = {StatBy::step}});
  EXPECT_THAT(text, HasSubstr("idle after waits   avoidable   host-bound   dependency\n"));
  for (const char* step : {"\n0 warm-up ", "\n1 warm-up ", "\n2 ", "\n3 ", "\n4 "}) EXPECT_THAT(text, HasSubstr(step));
  const std::string two = render_stat_text(with_long_names(), {.by = {StatBy::step}, .top = 2});
  EXPECT_THAT(two, HasSubstr("... and 3 more steps: --top 0 shows all\n"));
  EXPECT_THAT(two, Not(HasSubstr("\n2 ")));
}

TEST(StatByOthers, ShowWhatTheyAreAndSeveralStandOneBehindTheOther) {
  const std::string text = render_stat_text(with_long_names(), {.by = {StatBy::cause, StatBy::thread, StatBy::stream}});
  EXPECT_THAT(text, HasSubstr("\ncause "));
  EXPECT_THAT(text, HasSubstr("what to do\n"));
  EXPECT_THAT(text, HasSubstr("the steps are its own\n"));
  EXPECT_THAT(text, HasSubstr("\ndevice 0, stream "));
  EXPECT_LT(text.find("\ncause "), text.find("\nthread "));
  EXPECT_LT(text.find("\nthread "), text.find("\nwaited for "));
}

TEST(StatFirstScreen, CapsStepsOfDifferentCountsAndSaysHowManyAreLeftOut) {
  TraceBuilder t;
  for (int n = 0; n < 40; ++n)
    t.step(n, [&] {
      for (int i = 0; i <= n % 2; ++i) t.item();
    });
  const std::string text = render_stat_text(summary_of(t));
  EXPECT_THAT(text, AllOf(HasSubstr("\n... 28 more lines\n"), HasSubstr("\nper judged step "),
                          HasSubstr("\nevery step: --by step\n")));
  EXPECT_LE(lines_of(text).size(), 30u);
}

RunSummary run_without_waits() {
  TraceBuilder t;
  for (int n = 0; n < 12; ++n)
    t.on_thread(1).step(n, [&] {
      t.launch();
      if (n == 0) t.item();
      t.on_thread(3).item();
      t.on_thread(1);
    });
  t.sync();
  return summary_of(t);
}

TEST(StatZeroWaits, SaysWhatWasWatchedAndWhatWaitsElsewhere) {
  const std::string text = render_stat_text(run_without_waits());
  EXPECT_THAT(text,
              HasSubstr("\n0 host waits in 10 judged steps; watched: 39 CUDA calls of 3 functions on 2 threads, 12 "
                        "kernels on the GPU\n"
                        "waits elsewhere: 12 on other threads (background), 1 outside the steps, 1 in warm-up "
                        "steps\n"));
  EXPECT_THAT(text, HasSubstr("\nGPU idle per judged step (modelled): "));
  EXPECT_THAT(render_stat_text(with_long_names()), Not(HasSubstr("watched")));
}

TEST(StatZeroWaits, SaysWhereIdleTimesAreNotKnown) {
  TraceBuilder t;
  t.closed = false;
  for (int n = 0; n < 4; ++n) t.step(n, [&] { t.launch(); });
  EXPECT_THAT(render_stat_text(summary_of(t)),
              AllOf(HasSubstr("\n0 host waits in 2 judged steps; "), HasSubstr("\nGPU idle: unknown, for records")));
}

TEST(StatZeroWaits, IsNotCertainBesideCopiesOfUnknownKind) {
  TraceBuilder t;
  for (int n = 0; n < 4; ++n)
    t.step(n, [&] { t.copy("cudaMemcpyAsync_v3020", kHostToDevice, 5, kUnknownMemory), t.launch(); });
  EXPECT_THAT(render_stat_text(summary_of(t)), HasSubstr("\nnot certain: 1 copy of unknown kind in a step may wait\n"));
}

TEST(StatImplicit, TellsItsTimeWhereItIsNoticed) {
  const auto text_with = [](std::int64_t cost) {
    TraceBuilder t;
    for (int n = 0; n < 4; ++n)
      t.step(n, [&] {
        t.call("cudaFree_v3020");
        t.now_ns += cost;
        t.launch();
      });
    RunSummary run = summary_of(t);
    return render_stat_text(run);
  };
  EXPECT_THAT(text_with(0),
              HasSubstr("implicit 4 (allocating and freeing memory: 0.000 ms per judged step (modelled))"));
  EXPECT_THAT(text_with(100'000), HasSubstr("not in the totals: implicit 4\n"));
}

TEST(StatAdvice, IsNotGivenForTheProfilersOwnWait) {
  RunSummary run;
  Site site;
  site.place = "after k";
  site.cause = {CauseKind::library_internal, Confidence::medium, "the last call of the profile"};
  site.of_the_tool = true;
  site.count = 1;
  run.sites = {site};
  run.has_cuda_calls = true;
  EXPECT_THAT(render_stat_text(run), AllOf(HasSubstr("the profiler's own"), Not(HasSubstr("call it less often"))));
  EXPECT_TRUE(nlohmann::json::parse(render_stat_json(run))["sites"][0]["advice"].is_null());
  run.sites.push_back(site);
  run.sites.back().of_the_tool = false;
  EXPECT_THAT(render_stat_text(run), HasSubstr("library-internal: call it less often"));
}

TEST(StatAdvice, IsGivenForWhatWaitsInJudgedStepsWhereThereAreAny) {
  TraceBuilder t;
  t.sync("cudaDeviceSynchronize_v3020", 0);
  for (int n = 0; n < 4; ++n) t.step(n, [&] { t.upload(4096), t.launch(); });
  const std::string text = render_stat_text(summary_of(t));
  EXPECT_THAT(text, AllOf(HasSubstr("explicit-sync (high)"), Not(HasSubstr("explicit-sync: ")),
                          HasSubstr("\npageable-batch: ")));
  EXPECT_THAT(render_stat_text(summary_of(t), {.by = {StatBy::cause}}), HasSubstr("remove it; torch.cuda.Event"));
}

std::vector<std::string> cells(const std::string& line) {  // of lines without quotes
  std::vector<std::string> all;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) all.push_back(cell);
  return all;
}

TEST(StatCsv, HasOneRowEachAndAsManyCellsAsNames) {
  const RunSummary run = make_run({}, StepShape{}).summary;
  for (const StatBy by : {StatBy::step, StatBy::site, StatBy::cause, StatBy::thread, StatBy::stream}) {
    const std::string text = render_stat_csv(run, {.by = {by}});
    const auto lines = lines_of(text);
    EXPECT_EQ(lines.size(), 1 + rows_by(run, by));
    EXPECT_THAT(text, StartsWith("clock,"));
    EXPECT_TRUE(text.ends_with("\r\n"));
    for (const std::string& line : lines)
      if (line.find('"') == std::string::npos) {
        EXPECT_EQ(std::count(line.begin(), line.end(), ','), std::count(lines[0].begin(), lines[0].end(), ',')) << line;
      }
  }
  const auto names = cells(lines_of(render_stat_csv(run, {}))[0]), row = cells(lines_of(render_stat_csv(run, {}))[3]);
  const auto at = [&](const std::string& name) {
    return row.at(static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
  };
  EXPECT_EQ(at("clock"), "modelled");
  EXPECT_EQ(at("step"), "2");
  EXPECT_EQ(at("waits"), "13");
  EXPECT_EQ(at("judged"), "true");
  EXPECT_EQ(at("blocked_ns"), std::to_string(*run.steps[2].counters[Counter::blocked_ns]));
  EXPECT_EQ(lines_of(render_stat_csv(run, {.by = {StatBy::step}, .top = 2})).size(), 3u);
}

TEST(StatCsv, WritesNothingForWhatIsUnknownAndQuotesCommas) {
  RunSummary run = make_run(
                       {}, [](int) { return StepShape{}; }, 6, [](TraceBuilder& t) { t.closed = false; })
                       .summary;
  run.sites.front().place = "a, \"b\"";
  EXPECT_THAT(render_stat_csv(run, {.by = {StatBy::site}}), HasSubstr("modelled,\"a, \"\"b\"\"\","));
  EXPECT_THAT(render_stat_csv(run, {.by = {StatBy::stream}}), HasSubstr(",,,\r\n"));
}

TEST(StatRegion, IsNamedAndLeavesOutWhatIsNotKnownOfIt) {
  const auto train = in_region(make_run({}, StepShape{}).summary, "train");
  ASSERT_TRUE(train);
  const std::string text = render_stat_text(*train);
  EXPECT_THAT(text, HasSubstr(" · region `train` only · "));
  EXPECT_THAT(text, Not(HasSubstr("in load")));
  const auto json = nlohmann::json::parse(render_stat_json(*train));
  EXPECT_EQ(json["region"], "train");
  EXPECT_EQ(json["per_step"]["waits"]["max"], 3);
  for (const char* key : {"calls", "copies", "gpu_work", "threads", "streams", "stacks"})
    EXPECT_TRUE(json.at(key).is_null()) << key;
  EXPECT_TRUE(json["steps"][2]["implicit_ns"].is_null());
}

TEST(StatJson, HasCausesThreadsAndStreams) {
  const RunSummary run = make_run({}, StepShape{}).summary;
  const auto json = nlohmann::json::parse(render_stat_json(run));
  EXPECT_TRUE(json["region"].is_null());
  std::int64_t of_causes = 0, of_streams = 0;
  for (const auto& cause : json["causes"]) of_causes += cause["waits"].get<std::int64_t>();
  for (const auto& stream : json["streams"]) of_streams += stream["waits"].get<std::int64_t>();
  EXPECT_EQ(json["totals"]["waits"], of_causes);
  EXPECT_EQ(json["totals"]["waits"], of_streams);
  EXPECT_EQ(json["threads"][0]["role"], "marks");
  EXPECT_EQ(json["threads"][0]["waits"], json["totals"]["waits"]);
  EXPECT_EQ(json["threads"][0]["waits_per_step"]["max"], 13);
  EXPECT_FALSE(json["threads"][0].contains("blocked_other_threads_ns"));
  EXPECT_EQ(json["streams"][0]["scope"], "device");
  EXPECT_TRUE(json["streams"][0]["stream"].is_null());
  EXPECT_GT(json["streams"][1]["busy_ns"], 0);
}

}  // namespace
}  // namespace zerostall
