// The command line as plain structs.
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "profiler/base/result.h"

namespace zerostall::cli {

// --help, --version: print and be done.
struct ShowOptions {
  std::string text;
};

struct StatOptions {
  std::string file;
  std::int64_t warmup = 2;
  std::string step_pattern;  // "" = the default
  bool json = false;
};

struct VerifyOptions {
  std::string scenario;  // "" only with `list`
  std::string size;      // "" = the scenario's default
  std::int64_t steps = 12;
  std::int64_t warmup = 2;
  std::int64_t batch = 0;  // 0 = the scenario's default
  std::int64_t accum = 1;
  std::vector<std::string> fixes;
  std::string sabotage;  // FIX or FIX@STEP; "" = none
  std::string device = "auto";
  std::string keep;  // folder; "" = keep nothing
  bool json = false;
  bool list = false;
};

using Options = std::variant<ShowOptions, StatOptions, VerifyOptions>;

// As many as the scenario program takes, per micro-step and per update.
inline constexpr std::int64_t kMostSamples = 1024;

// An error is bad use: exit code 2.
Result<Options> parse_options(int argc, const char* const* argv);

}  // namespace zerostall::cli
