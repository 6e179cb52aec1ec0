#include "reports/junit.h"

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

#include "reports/check_words.h"

namespace zerostall {
namespace {

// Of printable text XML 1.0 does not have U+FFFE and U+FFFF.
std::string xml_text(std::string_view raw) {
  std::string text = inert(raw);
  for (const std::string_view none : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
    for (std::size_t at = 0; (at = text.find(none, at)) != std::string::npos;) text.replace(at, none.size(), "?");
  return text;
}

void set(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name).set_value(xml_text(value).c_str());
}

const char* name_of(JunitResult result) {
  return result == JunitResult::failure ? "failure" : result == JunitResult::error ? "error" : "skipped";
}

void add_case(pugi::xml_node suite, const std::string& group, const JunitCase& one) {
  pugi::xml_node node = suite.append_child("testcase");
  set(node, "classname", one.group.empty() ? group : group + "." + one.group);
  set(node, "name", one.name);
  std::string text;
  for (const std::string& line : one.lines) text += (text.empty() ? "" : "\n") + xml_text(line);
  if (one.result == JunitResult::passed) {
    if (!text.empty()) node.append_child("system-out").text().set(text.c_str());
    return;
  }
  pugi::xml_node problem = node.append_child(name_of(one.result));
  if (one.result != JunitResult::skipped)
    set(problem, "type", one.result == JunitResult::failure ? "violation" : "cannot-tell");
  set(problem, "message", one.message);
  if (!text.empty()) problem.text().set(text.c_str());
}

}  // namespace

std::string render_junit(const JunitSuite& suite) {
  const auto count = [&](JunitResult result) {
    return static_cast<long long>(
        std::count_if(suite.cases.begin(), suite.cases.end(), [&](const JunitCase& c) { return c.result == result; }));
  };
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version").set_value("1.0");
  declaration.append_attribute("encoding").set_value("UTF-8");
  pugi::xml_node all = document.append_child("testsuites"), one = all.append_child("testsuite");
  for (pugi::xml_node node : {all, one}) {
    set(node, "name", suite.name);
    node.append_attribute("tests").set_value(static_cast<long long>(suite.cases.size()));
    node.append_attribute("failures").set_value(count(JunitResult::failure));
    node.append_attribute("errors").set_value(count(JunitResult::error));
  }
  one.append_attribute("skipped").set_value(count(JunitResult::skipped));
  pugi::xml_node properties = one.append_child("properties");
  for (const auto& [name, value] : suite.properties) {
    if (value.empty()) continue;
    pugi::xml_node property = properties.append_child("property");
    set(property, "name", name);
    set(property, "value", value);
  }
  for (const JunitCase& test : suite.cases) add_case(one, suite.group, test);
  std::ostringstream text;
  document.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
  return text.str();
}

}  // namespace zerostall
