// From the words of a user to what `verify` runs and expects. Reads the catalogs; runs nothing.
#pragma once
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/cli/options.h"
#include "profiler/gate/verify.h"

namespace zerostall::cli {

struct Setting {
  std::vector<std::string> fixes;  // empty = without fixes
  bool sabotaged = false;          // --sabotage goes to this run
};

struct VerifyRequest {
  VerifyPlan plan;                // device and device_title still empty
  std::vector<Setting> settings;  // without fixes first, most fixes last
  std::vector<std::string> with;  // settings of the job, as the scenario program takes them
  std::string sabotage;           // FIX or FIX@STEP, without the variant: what the scenario program takes
};

// Checks every name and number. An error is bad use: one line, with the nearest name and all known ones.
Result<VerifyRequest> plan_verify(const VerifyOptions& options);

// The arguments of the scenario program for one setting, without the program itself.
std::vector<std::string> scenario_arguments(const VerifyRequest& request, const Setting& setting);

// "none", "bn-pinning+async-loss": name of the setting's trace file, without extension.
std::string file_stem(const Setting& setting);

}  // namespace zerostall::cli
