// The policy as people write it: TOML. Its keys: policy_keys().
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/gate/policy.h"

namespace zerostall {

// Errors are one line: "zerostall.toml:12:9: unknown key `wait`, did you mean `waits`?"; of several problems the first,
// with how many more there are. Everything is checked: types,
// ranges, globs, dates, slugs, metrics, statistics that make no sense for a metric or scope, measured and modelled
// times mixed, the same limit given twice.
Result<Policy> parse_policy(std::string_view toml, const std::string& file);

// "waits=0", "train.h2d_stalls=4" (a region), "blocked_time=2ms", "waits.p95=1", as `check --max` takes it.
Result<Budget> parse_max(std::string_view text);

// Every key with its meaning, default and an example: the one source of what is known, of --help and documentation. In
// keys METRIC, NAME, SLUG, GLOB and N stand for what the user writes.
struct PolicyKey {
  std::string_view key;      // "run.command", "budget.region.NAME.METRIC", "allow.reason"
  std::string_view type;     // "list of texts"
  std::string_view meaning;  // one line
  std::string_view example;  // a value, as it stands in the file
};
std::vector<PolicyKey> policy_keys();

}  // namespace zerostall
