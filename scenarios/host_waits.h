// The host waits of a training step, one entry per place in the code that waits: how often per optimizer update, and
// which fix removes it. `zerostall verify` holds every judged step of every run against this. No torch.
// Source: reference-step.md section 0 (measured) and B.1.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/catalog.h"
#include "scenarios/settings.h"

namespace zerostall::scenarios {

struct HostWait {
  std::string_view region;  // "train" or "load"
  std::string_view fix;     // base name of the fix that removes it; "" = it stays
  int per_update = 0;       // always > 0 in a list
  bool upload = false;      // a copy to the device (counts as an H2D stall too), else a read or a bare sync
  std::string_view reason;  // "the loss is read for the log line and the NaN check"
};

// `micro_steps` of `batch` samples make an update. In the order of the step.
std::vector<HostWait> host_waits(const Size& size, const Settings& settings, int batch, int micro_steps);

// Fixes and variants that have something to remove, in the order of fixes/catalog.h; variants of the same fix behind
// it.
std::vector<std::string_view> applicable_fixes(const std::vector<HostWait>& waits);

// Trained tensors: two per adapted linear, or the blocks' own weights.
int trained_tensors(const Size& size, const Settings& settings);

inline constexpr const char* kEpochRegion = "epoch";

// Regions inside steps whose waits are no part of the training step: an epoch that ends between two micro-steps of an
// update.
std::vector<std::string> listed_regions(const Settings& settings);

}  // namespace zerostall::scenarios
