#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/reports/export_runs.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr ExportOptions kChrome{ExportFormat::chrome};

Json chrome_of(TraceBuilder& t) {
  const ExportProcess process = process_of(t);
  return Json::parse(exported(kChrome, {&process}));
}

std::vector<Json> events(const Json& json, const std::string& category, const std::string& phase = "X") {
  std::vector<Json> list;
  for (const Json& event : json["traceEvents"])
    if (event["ph"] == phase && event.value("cat", "") == category) list.push_back(event);
  return list;
}

TEST(ExportChrome, HasTheShapeThatPyTorchsProfilerWrites) {
  TraceBuilder t = small_run();
  t.meta = R"({"tool": "test", "clock": "measured", "device": {"name": "NVIDIA H200"}, "pid": 77, "rank": 3,
               "world_size": 8})";
  const Json json = chrome_of(t);
  EXPECT_EQ(json["schemaVersion"], 1);
  EXPECT_EQ(json["deviceProperties"], Json::parse(R"([{"id": 0, "name": "NVIDIA H200"}])"));
  EXPECT_EQ(json["distributedInfo"], Json::parse(R"({"rank": 3, "world_size": 8})"));
  EXPECT_EQ(json["clock"], "measured");
  EXPECT_EQ(json["baseTimeNanoseconds"], t.trace().ranges.front().begin_ns);
  const auto calls = events(json, "cuda_runtime");
  ASSERT_EQ(calls.size(), 3u * 5 + 2);
  EXPECT_EQ(calls[0]["name"], "cudaMemcpyAsync");
  EXPECT_EQ(calls[0]["pid"], 77);
  EXPECT_EQ(calls[0]["tid"], 100);
  const auto copies = events(json, "gpu_memcpy");
  EXPECT_EQ(copies[0]["name"], "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(copies[0]["args"]["correlation"], calls[0]["args"]["correlation"]);
  EXPECT_EQ(copies[0]["args"]["bytes"], 512);
  EXPECT_EQ(copies[0]["args"]["stream"], 13);
  EXPECT_EQ(copies[0]["args"]["device"], 0);
  EXPECT_EQ(copies[0]["tid"], 13);
  EXPECT_EQ(events(json, "kernel").size(), 3u);
  std::vector<std::string> annotations;
  for (const Json& event : events(json, "user_annotation")) annotations.push_back(event["name"]);
  EXPECT_THAT(annotations,
              ::testing::ElementsAre("ProfilerStep#0", "train", "ProfilerStep#1", "train", "ProfilerStep#2", "train"));
}

TEST(ExportChrome, KeepsNanoseconds) {
  TraceBuilder t;
  t.now_ns = 1'700'000'000'123'456'789;
  t.cost_ns = 1'234'567;
  t.launch();
  t.launch();
  const ExportProcess process = process_of(t);
  const std::string text = exported(kChrome, {&process});
  EXPECT_THAT(text, HasSubstr("\"baseTimeNanoseconds\": 1700000000123456789,"));
  EXPECT_THAT(text, HasSubstr("\"ts\": 1234.567, \"dur\": 1234.567,"));
}

TEST(ExportChrome, DrawsAnArrowFromEachLaunchToItsWork) {
  TraceBuilder t = small_run();
  const Json json = chrome_of(t);
  std::map<std::int64_t, Json> starts;
  for (const Json& event : events(json, "ac2g", "s")) starts[event["id"]] = event;
  const auto ends = events(json, "ac2g", "f");
  EXPECT_EQ(starts.size(), 10u);
  ASSERT_EQ(ends.size(), 10u);
  for (const Json& end : ends) {
    EXPECT_TRUE(starts.contains(end["id"]));
    EXPECT_EQ(end["bp"], "e");
    EXPECT_LE(starts[end["id"]]["ts"], end["ts"]);
  }
}

TEST(ExportChrome, PutsItsOwnRowsWhereNoThreadIs) {
  TraceBuilder t = small_run();
  t.on_thread(101).item();
  const Json json = chrome_of(t);
  std::map<std::int64_t, std::string> names;
  for (const Json& event : json["traceEvents"])
    if (event["name"] == "thread_name") {
      EXPECT_TRUE(names.emplace(event["tid"].get<std::int64_t>(), event["args"]["name"]).second);
    }
  EXPECT_EQ(names[100], "thread 100");
  EXPECT_EQ(names[101], "thread 101");
  std::multiset<std::string> rows;
  for (const Json& event : events(json, "zerostall")) rows.insert(names[event["tid"].get<std::int64_t>()]);
  EXPECT_EQ(rows.count("waits (thread 100)"), 7u);
  EXPECT_EQ(rows.count("waits (thread 101)"), 1u);
  EXPECT_GT(rows.count("GPU 0 idle"), 0u);
}

TEST(ExportChrome, KeepsProcessesApart) {
  TraceBuilder a = small_run(), b = small_run();
  a.meta = b.meta = R"({"tool": "test", "clock": "measured", "pid": 1})";  // two containers
  b.now_ns = a.now_ns - 60'000'000'000;
  const ExportProcess first = process_of(a, "rank0"), second = process_of(b, "rank1");
  const Json json = Json::parse(exported({ExportFormat::chrome, CsvTable::steps, true}, {&first, &second}));
  std::map<std::int64_t, std::string> names;
  std::set<std::int64_t> correlations;
  for (const Json& event : json["traceEvents"]) {
    if (event["name"] == "process_name") {
      EXPECT_TRUE(names.emplace(event["pid"].get<std::int64_t>(), event["args"]["name"]).second);
    }
    if (event["ph"] != "X") continue;
    EXPECT_TRUE(names.contains(event["pid"].get<std::int64_t>()));
    EXPECT_GE(event["ts"], 0.0);
    if (event["cat"] == "cuda_runtime") {
      EXPECT_TRUE(correlations.insert(event["args"]["correlation"].get<std::int64_t>()).second);
    }
  }
  EXPECT_EQ(names.size(), 4u);  // two processes, two GPUs
  EXPECT_EQ(correlations.size(), 2u * 17);
}

TEST(ExportChrome, IsValidWhateverTheNames) {
  TraceBuilder t;
  t.range(
      "\xff \"quoted\" \\ \x01\n\t\x7f \xe2\x82\xac", [&] { t.launch(); }, "");
  const Json json = chrome_of(t);
  EXPECT_EQ(events(json, "user_annotation")[0]["name"], "\xef\xbf\xbd \"quoted\" \\ \x01\n\t\x7f \xe2\x82\xac");
}

TEST(ExportChrome, OfNoProcessIsStillWhole) {
  TraceBuilder t;
  const Json json = chrome_of(t);
  EXPECT_EQ(events(json, "cuda_runtime").size(), 0u);
  EXPECT_TRUE(json["traceEvents"].is_array());
}

}  // namespace
}  // namespace zerostall
