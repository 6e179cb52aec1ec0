#include "reports/doctor_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/base/printable.h"
#include "reports/json_parts.h"
#include "reports/table.h"

namespace zerostall {
namespace {

std::string_view name_of(CheckStatus status) {
  return status == CheckStatus::ok ? "ok" : status == CheckStatus::missing ? "missing" : "note";
}

}  // namespace

bool DoctorReport::works() const {
  return std::none_of(checks.begin(), checks.end(),
                      [](const DoctorCheck& check) { return check.status == CheckStatus::missing; });
}

std::string render_doctor_text(const DoctorReport& report) {
  std::string text;
  for (const DoctorCheck& check : report.checks)
    text += printable(fmt::format("{:<8} {:<17} {}{}{}", name_of(check.status), check.name, check.text,
                                  check.advice.empty() ? "" : ": ", check.advice)) +
            "\n";
  Table table{{"simulated library", "modelled", "accepted", "unsupported"}, {}};
  for (const LibraryRow& row : report.libraries)
    table.rows.push_back({row.name, fmt::format("{}", row.modelled), fmt::format("{}", row.accepted),
                          fmt::format("{}", row.unsupported)});
  if (!report.libraries.empty()) text += "\n" + render_table(table);
  return text + fmt::format("\n--device {} {}\n", report.device, report.works() ? "works" : "does not work");
}

std::string render_doctor_json(const DoctorReport& report) {
  Json checks = Json::array(), libraries = Json::array();
  for (const DoctorCheck& check : report.checks)
    checks.push_back({{"name", check.name},
                      {"status", name_of(check.status)},
                      {"text", check.text},
                      {"advice", check.advice.empty() ? Json(nullptr) : Json(check.advice)}});
  for (const LibraryRow& row : report.libraries)
    libraries.push_back(
        {{"name", row.name}, {"modelled", row.modelled}, {"accepted", row.accepted}, {"unsupported", row.unsupported}});
  return to_text({{"schema", "zerostall/doctor/1"},
                  {"device", report.device},
                  {"works", report.works()},
                  {"checks", checks},
                  {"libraries", report.libraries.empty() ? Json(nullptr) : libraries}});
}

}  // namespace zerostall
