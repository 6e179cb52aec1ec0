#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/reports/export_runs.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Json = nlohmann::ordered_json;

constexpr ExportOptions kJson{ExportFormat::json};

Json json_of(const ExportProcess& process) { return Json::parse(exported(kJson, {&process})); }

// The part of JSON Schema that our schema uses. Problems, each with its place.
class SchemaCheck {
 public:
  explicit SchemaCheck(const Json& schema) : schema_(schema) {}

  std::vector<std::string> problems(const Json& value) {
    problems_.clear();
    check(value, schema_, "$");
    return problems_;
  }

 private:
  static bool is_of(const Json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "null") return value.is_null();
    throw std::runtime_error("the schema uses a type that this check does not know: " + type);
  }

  bool fits(const Json& value, const Json& schema) {
    const auto before = problems_.size();
    check(value, schema, "");
    const bool good = problems_.size() == before;
    problems_.resize(before);
    return good;
  }

  void check(const Json& value, const Json& schema, const std::string& at) {
    for (const auto& [keyword, wanted] : schema.items()) {
      if (keyword == "$ref") {
        const std::string name = wanted.get<std::string>().substr(std::string("#/definitions/").size());
        check(value, schema_["definitions"].at(name), at);
      } else if (keyword == "type") {
        bool good = false;
        for (const Json& type : wanted.is_array() ? wanted : Json::array({wanted})) good |= is_of(value, type);
        if (!good) problems_.push_back(at + ": not of type " + wanted.dump());
      } else if (keyword == "const" || keyword == "enum") {
        bool good = false;
        for (const Json& one : keyword == "enum" ? wanted : Json::array({wanted})) good |= one == value;
        if (!good) problems_.push_back(at + ": not one of " + wanted.dump());
      } else if (keyword == "minimum") {
        if (value.is_number() && value < wanted) problems_.push_back(at + ": too small");
      } else if (keyword == "required") {
        for (const Json& key : wanted)
          if (value.is_object() && !value.contains(key)) problems_.push_back(at + ": no " + key.get<std::string>());
      } else if (keyword == "properties") {
        if (!value.is_object()) continue;
        for (const auto& [key, inner] : value.items()) {
          if (wanted.contains(key))
            check(inner, wanted[key], at + "." + key);
          else  // what a release writes, its schema describes
            problems_.push_back(at + ": " + key + " is not in the schema");
        }
      } else if (keyword == "additionalProperties") {
        for (const auto& [key, inner] : value.items()) check(inner, wanted, at + "." + key);
      } else if (keyword == "items") {
        for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
          check(value[i], wanted, at + "[" + std::to_string(i) + "]");
      } else if (keyword == "oneOf") {
        int good = 0;
        for (const Json& one : wanted) good += fits(value, one);
        if (good != 1) problems_.push_back(at + ": fits " + std::to_string(good) + " of oneOf");
      } else if (keyword != "description" && keyword != "title" && keyword != "$schema" && keyword != "definitions") {
        throw std::runtime_error("the schema uses a keyword that this check does not know: " + keyword);
      }
    }
  }

  const Json& schema_;
  std::vector<std::string> problems_;
};

std::vector<std::string> schema_problems(const Json& document) {
  const Json schema = Json::parse(export_schema());
  return SchemaCheck(schema).problems(document);
}

ExportProcess process_with_stacks() {
  TraceBuilder t = small_run();
  t.call("cudaMalloc_v3020").result = 2;
  t.note(format::NoteKind::warning, "a warning");
  RawTrace raw = raw_of(t);
  Stack stack;
  stack.python_frames = PythonFrames::known;
  stack.python = {{raw.strings.intern("train.py"), raw.strings.intern("step"), 31}};
  stack.native = {{2, 0x1234}, {9, 1}};
  raw.stacks.modules = {{2, {"torch/lib/libtorch_cuda.so", "ab"}}};
  raw.stacks.stacks = {{5, stack}};
  for (RawCall& call : raw.calls) call.stack = 5;
  return process_of(std::move(raw));
}

TEST(ExportJson, FollowsItsSchema) {
  const ExportProcess process = process_with_stacks();
  EXPECT_THAT(schema_problems(json_of(process)), IsEmpty());

  TraceBuilder lost = small_run();
  lost.note(format::NoteKind::lost_records, "", 3);
  const ExportProcess incomplete = process_of(lost, "rank1");
  EXPECT_THAT(schema_problems(Json::parse(exported(kJson, {&process, &incomplete}, {{"x.zstall", "is empty"}}))),
              IsEmpty());
  TraceBuilder nothing;
  EXPECT_THAT(schema_problems(json_of(process_of(nothing))), IsEmpty());
}

TEST(ExportJson, SchemaRefusesWhatIsWrong) {
  const Json good = json_of(process_with_stacks());
  Json bad = good;
  bad["schema"] = "zerostall/export/2";
  EXPECT_THAT(schema_problems(bad), ElementsAre("$.schema: not one of \"zerostall/export/1\""));
  bad = good;
  bad["processes"][0]["steps"][1].erase("waits");
  bad["processes"][0]["waits"][0]["kind"] = "nap";
  bad["processes"][0]["more"] = 1;
  EXPECT_EQ(schema_problems(bad).size(), 3u);
}

TEST(ExportJson, TellsStepsAndWaits) {
  const ExportProcess process = process_with_stacks();
  const Json json = json_of(process)["processes"][0];
  EXPECT_EQ(json["name"], "rank0");
  EXPECT_EQ(json["file"], "rank0.zstall");
  EXPECT_EQ(json["clock"], "modelled");
  EXPECT_EQ(json["steps"].size(), 3u);
  EXPECT_EQ(json["steps"][2]["waits"], 2);
  EXPECT_EQ(json["steps"][2]["judged"], true);
  EXPECT_EQ(json["steps"][2]["regions"][0]["name"], "train");
  ASSERT_EQ(json["waits"].size(), 8u);
  const Json& wait = json["waits"][3];
  EXPECT_EQ(wait["what"], "cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize");
  EXPECT_EQ(wait["step"], 1);
  EXPECT_EQ(wait["regions"], Json::array({"train"}));
  EXPECT_EQ(wait["calls"].size(), 2u);
  EXPECT_EQ(wait["calls"][1]["name"], "cudaStreamSynchronize");
  EXPECT_EQ(wait["copy"]["host_memory"], "pinned");
  EXPECT_EQ(wait["stack"], 5);
  EXPECT_EQ(json["waits"][6]["place"], "outside");
  EXPECT_TRUE(json["waits"][6]["step"].is_null());
  EXPECT_EQ(json["waits"][7]["kind"], "implicit");
  EXPECT_EQ(json["waits"][7]["failed"], true);
  EXPECT_EQ(json["stacks"][0]["python"][0]["line"], 31);
  EXPECT_TRUE(json["stacks"][0]["native"][1]["module"].is_null());
  EXPECT_EQ(json["calls"]["cudaStreamSynchronize"]["count"], 7);
  EXPECT_EQ(json["totals"]["waits"], 7);
  EXPECT_EQ(json["outside"]["waits"], 1);
  EXPECT_EQ(json["warnings"][0], "a warning");
  EXPECT_EQ(json["gpu_gaps"][1]["cause"], "after_wait");
  EXPECT_EQ(json["gpu_gaps"][1]["wait"], 0);
}

TEST(ExportJson, UnknownIsNull) {
  TraceBuilder t = small_run();
  t.note(format::NoteKind::lost_records, "", 3);
  const Json json = json_of(process_of(t))["processes"][0];
  EXPECT_TRUE(json["gpu_gaps"].is_null());
  EXPECT_TRUE(json["waits"][0]["drains"].is_null());
  EXPECT_TRUE(json["steps"][0]["drains"].is_null());
  EXPECT_TRUE(json["rank"].is_null());
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["lost"], 3);
}

TEST(ExportJson, IsValidWhateverTheNames) {
  TraceBuilder t;
  t.step(0, [&] { t.range("\xff\"\\\n\x1b", [&] { t.item(); }); });
  EXPECT_EQ(json_of(process_of(t))["processes"][0]["waits"][0]["regions"][0], "\xef\xbf\xbd\"\\\n\x1b");
}

}  // namespace
}  // namespace zerostall
