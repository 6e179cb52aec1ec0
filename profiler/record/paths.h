// Where an installation keeps its parts: bin/zerostall beside lib/zerostall/, in the build folder as anywhere else.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "profiler/base/result.h"

namespace zerostall {

struct InstallPaths {
  std::filesystem::path tracer;            // the library injected into the program under test
  std::filesystem::path scenario_program;  // runs the training steps of scenarios/
  std::filesystem::path simulator;         // preloaded to simulate the GPU
  std::filesystem::path models;            // folder of the simulated GPU's device models, one JSON file each
  std::filesystem::path mpi;               // what `stat --mpi` opens; there where MPI was when it was built
};

// The parts that belong to a program in `bin`; they need not exist.
InstallPaths paths_beside(const std::filesystem::path& bin);

// Those of the running program (links resolved). Fails only where /proc is not mounted.
Result<InstallPaths> own_paths();

// Names of the device models that can be simulated, sorted; empty when the simulated GPU is not part of this
// installation.
std::vector<std::string> model_names(const InstallPaths& paths);

}  // namespace zerostall
