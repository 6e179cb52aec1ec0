// `zerostall doctor`: what is installed and works, what does not, and what to do about it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace zerostall {

enum class CheckStatus : std::uint8_t {
  ok,
  note,     // in nobody's way, but may explain a surprise
  problem,  // stands in the way of recording on the device in question
};

struct DoctorCheck {
  std::string name;  // "tracer"
  CheckStatus status = CheckStatus::ok;
  std::string text;    // what was found
  std::string advice;  // what to do, one line; never empty but for what is ok
};

struct LibraryRow {
  std::string name;
  std::int64_t modelled = 0, accepted = 0, unsupported = 0;  // functions
};

struct DoctorReport {
  std::string device;                           // what was asked about: "auto", "gpu", "sim:h200"
  bool records_gpu = false, simulates = false;  // recording works on a GPU here; on the simulated one
  std::vector<DoctorCheck> checks;
  std::vector<LibraryRow> libraries;  // of the simulated GPU; empty = not known
  bool verbose = false;               // the text shows them one by one

  // Recording works: on the device that was asked about, for auto on any.
  bool works() const;
};

std::string render_doctor_text(const DoctorReport& report);
std::string render_doctor_json(const DoctorReport& report);

}  // namespace zerostall
