// JUnit XML in the form that Jenkins' xUnit plugin describes (junit-10.xsd), which GitLab, GitHub actions and Buildkite
// read.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace zerostall {

enum class JunitResult : std::uint8_t { passed, failure, error, skipped };

// Texts are made printable here; characters that XML 1.0 cannot hold are written as escapes ("\x1b").
struct JunitCase {
  std::string group, name;  // group: "" or below the suite's, "rank0"
  JunitResult result = JunitResult::passed;
  std::string message;             // in one line; of a case that passed not shown
  std::vector<std::string> lines;  // more of it; of a case that passed: its output
};

struct JunitSuite {
  std::string name;                                             // "zerostall check"
  std::string group;                                            // of class names: "zerostall"
  std::vector<std::pair<std::string, std::string>> properties;  // those without a value are left out
  std::vector<JunitCase> cases;
};

// No times: a check has none. Ends in a newline.
std::string render_junit(const JunitSuite& suite);

}  // namespace zerostall
