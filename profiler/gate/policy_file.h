// The policy as people write it: TOML. Its keys: policy_keys().
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/gate/policy.h"

namespace zerostall {

// Errors are one line: "zerostall.toml:12:9: unknown key `wait`, did you mean `waits`?". Everything is checked: types,
// ranges, globs, dates, slugs, metrics, statistics that make no sense for a metric or scope, measured and modelled
// times mixed, the same limit given twice.
Result<Policy> parse_policy(std::string_view toml, const std::string& file);

// "waits=0", "train.h2d_stalls=4" (a region), "blocked_time=2ms", "waits.p95=1", as `check --max` takes it.
Result<Budget> parse_max(std::string_view text);

// Every key with its meaning, default and an example, for --help and the documentation: one source.
struct PolicyKey {
  std::string_view key;      // "run.command", "budget.region.NAME.METRIC", "allow.reason"
  std::string_view type;     // "list of texts"
  std::string_view meaning;  // one line
};
std::vector<PolicyKey> policy_keys();

}  // namespace zerostall
