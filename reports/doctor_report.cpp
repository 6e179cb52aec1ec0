#include "reports/doctor_report.h"

#include <fmt/format.h>

#include "profiler/base/printable.h"
#include "reports/json_parts.h"
#include "reports/table.h"

namespace zerostall {
namespace {

constexpr std::size_t kTextColumn = 27;

std::string_view name_of(CheckStatus status) {
  return status == CheckStatus::ok ? "ok" : status == CheckStatus::problem ? "problem" : "note";
}

std::string libraries_text(const DoctorReport& report) {
  if (report.libraries.empty()) return {};
  if (report.verbose) {
    Table table{{"simulated library", "modelled", "accepted", "unsupported"}, {}};
    for (const LibraryRow& row : report.libraries)
      table.rows.push_back({row.name, fmt::format("{}", row.modelled), fmt::format("{}", row.accepted),
                            fmt::format("{}", row.unsupported)});
    return "\n" + render_table(table);
  }
  LibraryRow all;
  for (const LibraryRow& row : report.libraries)
    all.modelled += row.modelled, all.accepted += row.accepted, all.unsupported += row.unsupported;
  return fmt::format("{:<8} {:<17} {} functions of {} libraries modelled, {} accepted, {} unsupported (--verbose)\n",
                     "ok", "simulated calls", all.modelled, report.libraries.size(), all.accepted, all.unsupported);
}

std::string verdict(const DoctorReport& report) {
  if (report.device != "auto")
    return fmt::format("recording with --device {} {}", report.device, report.works() ? "works" : "does not work here");
  if (report.records_gpu && report.simulates) return "recording works here, on the GPU and on the simulated GPU";
  if (report.records_gpu) return "recording works here on the GPU";
  if (report.simulates) return "recording works here on the simulated GPU (--device sim)";
  return "recording does not work here: see the problems above";
}

}  // namespace

bool DoctorReport::works() const {
  if (device == "auto") return records_gpu || simulates;
  return device == "gpu" ? records_gpu : simulates;
}

std::string render_doctor_text(const DoctorReport& report) {
  std::string text;
  for (const DoctorCheck& check : report.checks) {
    text += printable(fmt::format("{:<8} {:<17} {}", name_of(check.status), check.name, check.text)) + "\n";
    if (!check.advice.empty()) text += printable(fmt::format("{:{}}to do: {}", "", kTextColumn, check.advice)) + "\n";
  }
  return text + libraries_text(report) + "\n" + verdict(report) + "\n";
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
  return to_text({{"schema", "zerostall/doctor/2"},
                  {"device", report.device},
                  {"works", report.works()},
                  {"records_gpu", report.records_gpu},
                  {"simulates", report.simulates},
                  {"checks", checks},
                  {"libraries", report.libraries.empty() ? Json(nullptr) : libraries}});
}

}  // namespace zerostall
