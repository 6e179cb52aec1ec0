// What `doctor` makes of what was found: one pure function for each line of it.
#pragma once
#include <string>
#include <vector>

#include "profiler/record/machine.h"
#include "reports/doctor_report.h"

namespace zerostall::cli {

// What the lines depend on beside the machine.
struct DoctorView {
  bool wants_gpu = false;  // --device gpu, or auto where there is one, working or not
  bool gpu_works = false;
  std::string gpu;       // its name, or why there is none
  std::string gpu_sign;  // of one that is there, working or not: "/dev/nvidia0"; "" = nothing
};

DoctorCheck check_gpu(const Machine& machine, const DoctorView& view);
DoctorCheck check_driver(const Machine& machine, const DoctorView& view);
DoctorCheck check_cupti(const Machine& machine, const DoctorView& view);
DoctorCheck check_profiling(const Machine& machine, const DoctorView& view);
DoctorCheck check_injection(const Machine& machine);
DoctorCheck check_nvtx(const Machine& machine);
DoctorCheck check_other_tools(const Machine& machine);
DoctorCheck check_torch(const Machine& machine);
DoctorCheck check_python_frames(const Machine& machine);
DoctorCheck check_files(const Machine& machine);
DoctorCheck check_system(const Machine& machine);

// All of them, in this order.
std::vector<DoctorCheck> check_machine(const Machine& machine, const DoctorView& view);

}  // namespace zerostall::cli
