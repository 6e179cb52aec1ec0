// `zerostall doctor`: what is installed and works.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace zerostall {

enum class CheckStatus : std::uint8_t {
  ok,
  missing,  // needed for the device in question, and not there or not working
  note,     // not needed for it, or cannot be known
};

struct DoctorCheck {
  std::string name;  // "tracer"
  CheckStatus status = CheckStatus::ok;
  std::string text;    // what was found
  std::string advice;  // what to do; "" = nothing
};

struct LibraryRow {
  std::string name;
  std::int64_t modelled = 0, accepted = 0, unsupported = 0;  // functions
};

struct DoctorReport {
  std::string device;  // what was asked about: "sim:h200"
  std::vector<DoctorCheck> checks;
  std::vector<LibraryRow> libraries;  // of the simulated GPU; empty = not known

  bool works() const;
};

std::string render_doctor_text(const DoctorReport& report);
std::string render_doctor_json(const DoctorReport& report);

}  // namespace zerostall
