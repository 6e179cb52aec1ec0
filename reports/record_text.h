// What `zerostall record` says at the end, in lines for standard error.
#pragma once
#include <string>
#include <vector>

#include "reports/named_run.h"

namespace zerostall {

// Steps, waits per step and the calls that wait most, of the process that waits most; the next command to type.
// `trace` is the name the trace got, `worst` the position of that process.
std::vector<std::string> record_lines(const std::string& trace, const std::vector<NamedRun>& runs, std::size_t worst);

}  // namespace zerostall
