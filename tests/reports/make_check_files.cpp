// Writes what each writer of `zerostall check` makes of many reports, hostile ones included, to a folder, and the JSON
// Schema of our own format: for check_writers.py, which has them read by validators of those formats.
//
//     make_check_files FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/reports/check_formats.h"
#include "tests/reports/check_reports.h"
#include "tests/reports/hostile_names.h"

int main(int argc, char** argv) {
  using namespace zerostall::testing;
  if (argc != 2) return std::fputs("make_check_files FOLDER\n", stderr), 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::vector<std::pair<std::string, zerostall::CheckReport>> reports = {{"pass", pass_report()},
                                                                         {"violation", violation_report()},
                                                                         {"cannot-tell", cannot_tell_report()},
                                                                         {"nothing", {}},
                                                                         {"large", large_report(1500)}};
  for (std::size_t i = 0; i < hostile_names().size(); ++i)
    reports.emplace_back("hostile" + std::to_string(i), report_with_names(hostile_names()[i]));
  for (const auto& [name, report] : reports)
    for (const CheckFormat& format : check_formats())
      std::ofstream(folder / (name + "." + format.file)) << format.render(report);
  std::ofstream(folder / "check.schema.json") << zerostall::check_schema();
}
