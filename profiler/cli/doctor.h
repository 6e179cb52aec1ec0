// `zerostall doctor`, and the probe it starts as a child.
#pragma once
#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"

namespace zerostall::cli {

// Looks at each part of the installation and at the machine. Code 4 when something that --device needs does not work.
Outcome run_doctor(const DoctorOptions& options);

// "COUNT\tNAME\n": the devices that a CUDA program started like this one sees. Code 4 when it sees none.
Outcome run_probe();

}  // namespace zerostall::cli
