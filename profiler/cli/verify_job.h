// Which job `verify` is asked to run: a scenario or preset, its size, its settings.
#pragma once
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/cli/options.h"
#include "scenarios/catalog.h"
#include "scenarios/host_waits.h"
#include "scenarios/settings.h"

namespace zerostall::cli {

struct VerifyJob {
  scenarios::Scenario scenario;
  scenarios::Size size;
  scenarios::Settings settings;
  int batch = 0, accum = 1;
  std::vector<scenarios::HostWait> waits;  // of its step, without fixes
};

// The word of the command line names a scenario, or a preset that names one. An error is bad use: one line.
Result<VerifyJob> find_job(const VerifyOptions& options);

// "FLUX.2 klein-9B, W8A8 LoRA r16, batch 2, 512 px, ema=cpu".
std::string title_of(const VerifyJob& job);

// Text of `verify --list`.
std::string list_jobs(const std::vector<std::string>& device_models);

}  // namespace zerostall::cli
