// Parts of the page as the template takes them (assets/page.mustache).
#pragma once
#include <kainjow/mustache.hpp>
#include <string>
#include <utility>
#include <vector>

#include "reports/html_report.h"

namespace zerostall {

using Data = kainjow::mustache::data;

inline Data flag(bool value) { return Data(value ? Data::type::bool_true : Data::type::bool_false); }

// An empty text is one that is not there: a section of its name is left out.
inline Data text(const std::string& value) { return value.empty() ? flag(false) : Data(value); }

// Every key that the template asks for in an object is set there: one that is missing would be taken from around it.
inline Data object(const std::vector<std::pair<std::string, std::string>>& fields) {
  Data data{Data::type::object};
  for (const auto& [key, value] : fields) data.set(key, text(value));
  return data;
}

// What stands between backticks is code: `parts` of the partial "prose".
Data prose(const std::string& text);

inline Data texts(const std::vector<std::string>& lines) {
  Data list{Data::type::list};
  for (const std::string& line : lines) {
    Data entry = prose(line);
    entry.set("text", text(line));
    list.push_back(entry);
  }
  return list;
}

// What `check` and `verify` found: findings, budgets, settings.
void add_gate(const ReportInput& input, Data& page);
// Charts of steps, and the table of steps.
void add_charts(const ReportInput& input, Data& page);
// Places that wait.
void add_sites(const ReportInput& input, Data& page);
// Causes that were found, and fixes.
void add_explanations(const ReportInput& input, Data& page);

}  // namespace zerostall
