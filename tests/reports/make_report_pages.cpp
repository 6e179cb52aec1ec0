// Writes pages for report_pages.py: make_report_pages FOLDER.
#include <cstdio>
#include <fstream>

#include "tests/reports/check_reports.h"
#include "tests/reports/hostile_names.h"
#include "tests/reports/report_inputs.h"

namespace zerostall::testing {
namespace {

void write(const std::string& folder, const std::string& name, ReportCase made) {
  std::ofstream(folder + "/" + name, std::ios::binary) << render_html_report(made.input());
}

ReportCase hostile_case(const std::string& name) {
  ReportCase made{{called(report_run({}, true), name)}, {called(report_run({.loss = 0}, true), name)}};
  made.check = violation_report();
  made.check->notes = {name};
  made.check->baseline = made.check->policy = name;
  for (CheckedFacts& facts : made.check->checked) facts.name = facts.trace = facts.device = name;
  for (Finding& finding : made.check->findings) finding.text = finding.place = finding.run = name;
  for (Reason& reason : made.check->reasons) reason.text = name;
  return made;
}

void write_all(const std::string& folder) {
  write(folder, "verify.html", verify_case());
  write(folder, "one.html", {{}, {report_run({})}});
  write(folder, "two.html", {{report_run({}, true)}, {report_run({.bn = 0, .loss = 3}, true)}});
  write(folder, "zero.html", {{}, {report_run({.bn = 0, .loss = 0, .load = 0})}});
  std::size_t number = 0;
  for (const std::string& name : hostile_names())
    write(folder, "hostile-" + std::to_string(number++) + ".html", hostile_case(name));
}

}  // namespace
}  // namespace zerostall::testing

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("make_report_pages FOLDER\n", stderr), 2;
  zerostall::testing::write_all(argv[1]);
  return 0;
}
