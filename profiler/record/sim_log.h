// The logs the simulated GPU leaves, one per process (schema zerostall/simlog/1).
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/units.h"

namespace zerostall {

// A place of the program that read back values no kernel had computed.
struct UnrealSite {
  std::string at;     // for people: "train.py:31 in step"
  std::string match;  // what --sim-values takes for it: "train.py:31"
  std::string range;  // the NVTX range around it; "" = none
  Bytes bytes = 0;    // of one read-back
  std::int64_t count = 0;
};

struct SimLog {
  bool found = false;                               // at least one log was read
  std::map<std::string, std::int64_t> calls;        // by function
  std::map<std::string, std::int64_t> unsupported;  // by function
  std::string last_unsupported;                     // "" = there was none, or the log does not say
  std::int64_t unreal_readbacks = 0;                // read-backs of values no kernel had computed
  std::int64_t supplied_readbacks = 0;              // such read-backs that got a value of --sim-values
  std::vector<UnrealSite> unreal_sites;             // where, as far as the simulator knows
  std::optional<std::int64_t> missing_device;       // the highest device the program asked for and did not get
};

// All logs of a folder in one: counts added, equal sites joined, the most frequent site first. What cannot be read, or
// is not there, counts as empty.
SimLog read_sim_logs(const std::filesystem::path& folder);

}  // namespace zerostall
