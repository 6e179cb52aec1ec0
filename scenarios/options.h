// The command line of zerostall-scenario.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "scenarios/settings.h"

namespace zerostall::scenarios {

struct Sabotage {
  std::string fix;           // base name, "bn-pinning"
  std::int64_t from_update;  // undone from this update on
};

struct CommandLine {
  std::string scenario = "flux2";
  std::string size;         // empty: the scenario's default
  std::int64_t steps = 12;  // optimizer updates
  std::int64_t batch = 0;   // 0: the scenario's default
  std::int64_t accumulation = 1;
  Settings settings;               // --with KEY=VALUE
  std::vector<std::string> fixes;  // as in fixes/catalog.h, at most one variant of each
  std::vector<Sabotage> sabotage;  // of fixes that are in `fixes`
  std::string device = "cuda";     // or "cpu"
  std::uint64_t seed = 42;
  std::string dump_weights;  // file, or empty

  bool has_fix(const std::string& name) const;
  std::int64_t sabotaged_from(const std::string& base_name) const;  // -1: never
};

// Bad use; the message is one line that says what to do. main prints it and exits with 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// --help was given; the message is the help text.
struct HelpRequested : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Parsed and checked, defaults filled in. Throws UsageError or HelpRequested.
CommandLine parse_command_line(int argc, char** argv);

}  // namespace zerostall::scenarios
