// Names that a program under test can have, in every place of a report and in every format: what comes out is read
// again by a reader of that format, and holds nothing that a terminal, a log, a page or a spreadsheet would act on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "profiler/base/printable.h"
#include "reports/check_words.h"
#include "tests/reports/check_formats.h"
#include "tests/reports/check_reports.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

const std::vector<std::string>& names() {
  using namespace std::string_literals;
  static const std::vector<std::string> all = {
      "line\nbreak\r\nand\ttab",
      "\n::error::injected",
      "::error file=x,line=1::injected",
      "a\n::add-mask::secret\n##[error]injected",
      "##[add-path]/tmp",
      "quote\" 'single' back\\slash \\\" \\u0022",
      "]]> <![CDATA[ --> <!-- ?>",
      "</script><script>alert(1)</script>",
      "<img src=x onerror=alert(1)>",
      "</details></summary><b>",
      "%0A::error::injected%0D%25",
      "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J",
      "\x9b"s + "31m",
      "bad utf-8 \xff\xfe\xc0\xaf\xed\xa0\x80 end",
      "\xe2\x80\xae reversed \xe2\x81\xa6 isolated \xef\xbb\xbf",
      "\xef\xbf\xbe\xef\xbf\xbf not in XML",
      "nul\0inside"s,
      "\x01\x02\x0b\x0c\x1f\x7f",
      "` `` ``` ```` ``code``",
      "| table | cell \\| *bold* _it_ ~~gone~~ [link](http://evil.example) ![image](x) @everyone #1 www.evil.example",
      "[[allow]]\nsite = \"*\"\n\"\"\" '''",
      "=cmd|' /C calc'!A0",
      "../../etc/passwd",
      "/home/alice/secret/train.py",
      "C:\\Users\\alice\\train.py",
      "file with space?query#fragment%41.py",
      std::string(10'000, 'x'),
      std::string(5'000, '`'),
      std::string(3'000, '\xff'),
      "",
      " ",
  };
  return all;
}

class HostileNames : public ::testing::TestWithParam<std::size_t> {
 protected:
  const std::string& name() const { return names()[GetParam()]; }
  std::string rendered(std::string_view format) const {
    for (const CheckFormat& one : check_formats())
      if (one.name == format) return one.render(report_with_names(name()));
    return {};
  }
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
  const toml::table table = toml::parse(allow_toml({&allow, 1}));
  ASSERT_EQ(table.size(), 1u);
  const toml::array& allowed = *table["allow"].as_array();
  ASSERT_EQ(allowed.size(), 1u);
  EXPECT_EQ(allowed[0].as_table()->get("reason")->value_or(std::string("?")), "");
  if (n.empty()) return;
  const std::string site = allowed[0].as_table()->get("site")->value_or(std::string());
  EXPECT_TRUE(glob_matches(site, n)) << site;
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
    if (line.starts_with("```")) fenced = !fenced;
    if (fenced) continue;
    std::string bare;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
      } else if (line[i] == '`') {  // a code span: to the same run of backticks
        const std::size_t length = line.find_first_not_of('`', i) - i;
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
      for (std::size_t at = 0; (at = bare.find(ours)) != std::string::npos;) bare.erase(at, ours.size());
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

INSTANTIATE_TEST_SUITE_P(All, HostileNames, ::testing::Range(std::size_t{0}, names().size()));

}  // namespace
}  // namespace zerostall
