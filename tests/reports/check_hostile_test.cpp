// Names that a program under test can have, in every place of a report and in every format: what comes out is read
// again by a reader of that format, and holds nothing that a terminal, a log, a page or a spreadsheet would act on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "profiler/base/printable.h"
#include "profiler/gate/policy_file_toml.h"
#include "reports/check_words.h"
#include "tests/faults/fault_count.h"
#include "tests/reports/check_formats.h"
#include "tests/reports/check_reports.h"
#include "tests/reports/hostile_names.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

class HostileNames : public ::testing::TestWithParam<std::size_t> {
 protected:
  const std::string& name() const { return hostile_names()[GetParam()]; }
  std::string rendered(std::string_view format) const {
    for (const CheckFormat& one : check_formats())
      if (one.name == format) return one.render(report_with_names(name()));
    return {};
  }

 private:
  const FaultCount fault_{"text_hostile", 1};
};

// No byte of it is a control character but ends of lines, all is UTF-8, and nothing turns the direction of text.
void expect_clean(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    ASSERT_EQ(printable(line), line) << "a terminal would act on this line";
}

TEST_P(HostileNames, DoNothingToATerminalOrALog) {
  const std::string text = rendered("text");
  expect_clean(text);
  EXPECT_THAT(text, Not(HasSubstr("##[")));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_THAT(line, Not(StartsWith("::")));
    EXPECT_LT(line.size(), 10'000u);
  }
}

TEST_P(HostileNames, LeaveTheAllowBlockValidToml) {
  const std::string& n = name();
  const Allowance allow{n, n, n, n, 1, 50};
  const auto toml = read_toml(allow_toml({&allow, 1}), "zerostall.toml");
  ASSERT_TRUE(toml) << toml.error().message;
  ASSERT_EQ(toml->entries.size(), 1u);
  ASSERT_EQ(toml->entries[0].value.items.size(), 1u);
  for (const TomlEntry& entry : toml->entries[0].value.items[0].entries) {
    if (entry.key == "reason") {
      EXPECT_EQ(entry.value.text, "");
    } else if (entry.value.kind == TomlKind::text) {
      EXPECT_TRUE(glob_matches(entry.value.text, n)) << entry.value.text;
    }
  }
}

TEST_P(HostileNames, AreNoMarkdownOfTheirOwn) {
  const std::string text = rendered("md");
  expect_clean(text);
  EXPECT_LT(text.size(), 65'000u);
  EXPECT_THAT(text, ::testing::EndsWith("\n<!-- zerostall:check -->\n"));
  // Outside of code no character of theirs stands without a backslash that could begin something.
  std::istringstream lines(text);
  bool fenced = false;
  for (std::string line; std::getline(lines, line);) {
    const bool fence = line.starts_with("```");
    if (fence) fenced = !fenced;
    if (fence || fenced) continue;
    std::string bare;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
      } else if (line[i] == '`') {  // a code span: to the same run of backticks
        const std::size_t length = std::min(line.find_first_not_of('`', i), line.size()) - i;
        std::size_t end = i + length;
        for (;; ++end) {
          end = line.find(std::string(length, '`'), end);
          ASSERT_NE(end, std::string::npos) << line;
          if (line[end - 1] != '`' && (end + length == line.size() || line[end + length] != '`')) break;
          end = line.find_first_not_of('`', end);
          ASSERT_NE(end, std::string::npos) << line;
        }
        i = end + length - 1;
      } else {
        bare += line[i];
      }
    }
    for (const std::string_view ours :
         {"<!-- zerostall:check -->", "<!-- -->", "<details>", "</details>", "<summary>", "</summary>"})
      for (std::size_t at = 0; (at = bare.find(ours)) != std::string::npos;) bare.replace(at, ours.size(), " ");
    EXPECT_THAT(bare, Not(AnyOf(HasSubstr("<"), HasSubstr("]("), HasSubstr("@everyone")))) << line;
  }
  EXPECT_FALSE(fenced);
}

TEST_P(HostileNames, AreNoCommandsToGitHub) {
  const std::string text = rendered("github");
  expect_clean(text);
  std::istringstream lines(text);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_THAT(line, AnyOf(StartsWith("::error "), StartsWith("::warning "), StartsWith("::notice ")));
    const std::size_t end = line.find("::", 2);
    ASSERT_NE(end, std::string::npos);
    const std::string properties = line.substr(0, end).substr(line.find(' ') + 1);
    std::istringstream all(properties);
    for (std::string property; std::getline(all, property, ',');)
      EXPECT_THAT(property, AnyOf(StartsWith("file="), StartsWith("line="), StartsWith("title=")));
  }
  EXPECT_EQ(count, 4u);  // three findings and the verdict
  EXPECT_THAT(text, Not(HasSubstr("##[")));
}

TEST_P(HostileNames, AreTextsOfGitLab) {
  const Json json = Json::parse(rendered("gitlab"));
  ASSERT_EQ(json.size(), 3u);
  std::set<std::string> prints;
  for (const Json& issue : json) {
    const std::string path = issue["location"]["path"];
    EXPECT_FALSE(path.empty());
    EXPECT_NE(path.front(), '/');
    EXPECT_THAT(path, Not(HasSubstr("..")));
    EXPECT_TRUE(prints.insert(issue["fingerprint"]).second);
    expect_clean(issue["description"]);
    EXPECT_LE(issue["description"].get<std::string>().size(), 8'000u);
  }
}

TEST_P(HostileNames, AreTextsOfXml) {
  const std::string text = rendered("junit");
  expect_clean(text);
  for (const char* none : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) EXPECT_THAT(text, Not(HasSubstr(none)));
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(text.c_str()));
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  EXPECT_EQ(std::distance(suite.children("testcase").begin(), suite.children("testcase").end()),
            suite.attribute("tests").as_int());
  for (const pugi::xml_node& one : suite.children())
    EXPECT_THAT(one.name(), AnyOf(std::string("testcase"), std::string("properties")));
}

TEST_P(HostileNames, AreTextsOfSarif) {
  const Json json = Json::parse(rendered("sarif"));
  for (const Json& result : json["runs"][0]["results"]) {
    expect_clean(result["message"]["text"]);
    if (!result.contains("locations") || !result["locations"][0].contains("physicalLocation")) continue;
    const std::string uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    EXPECT_EQ(uri.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/%"),
              std::string::npos)
        << uri;
    EXPECT_NE(uri.front(), '/');
  }
}

TEST_P(HostileNames, AreTextsOfJson) {
  const Json json = Json::parse(rendered("json"));
  EXPECT_EQ(json["schema"], "zerostall/check/1");
  const std::string back = json["findings"][0]["text"];
  if (printable(name()) == name()) {
    EXPECT_EQ(back, name());  // whole: it is data
  }
  const Json bencher = Json::parse(rendered("bencher"));
  ASSERT_EQ(bencher.size(), 1u);
  EXPECT_LE(bencher.begin().key().size(), 1024u);
  EXPECT_EQ(bencher.begin().value()["waits-per-step"]["value"], 1);
}

INSTANTIATE_TEST_SUITE_P(All, HostileNames, ::testing::Range(std::size_t{0}, hostile_names().size()));

}  // namespace
}  // namespace zerostall
