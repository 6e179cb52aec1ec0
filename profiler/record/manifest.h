// Which functions of the CUDA libraries the simulated GPU has: a summary that is made when it is built.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace zerostall {

struct SimulatedLibrary {
  std::string name;              // "libcudart"
  std::int64_t modelled = 0;     // functions that do what they do on a GPU
  std::int64_t accepted = 0;     // that need no visible effect
  std::int64_t unsupported = 0;  // that answer "not supported"
};

// In the order of the file; empty when it is not there or cannot be read.
std::vector<SimulatedLibrary> read_manifest(const std::filesystem::path& file);

}  // namespace zerostall
