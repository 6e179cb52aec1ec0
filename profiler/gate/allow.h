// Which waits of the judged steps are let pass.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profiler/analyze/summary.h"
#include "profiler/gate/policy.h"

namespace zerostall {

// What became of one allowance in one run.
struct AllowanceUse {
  bool expired = false;           // it lets nothing pass any more
  std::int64_t waits = 0;         // that it let pass, in judged steps
  std::int64_t refused = 0;       // that match and were too many for it, or came too soon; of expired ones all
  std::int64_t expired_hits = 0;  // of an expired one: waits that it would have let pass
};

struct AllowedWaits {
  // By position in RunSummary::steps, then in StepRow::waits: the allowance that lets it pass (position in the list
  // given), or kNotAllowed. Steps that are not judged have empty lists.
  std::vector<std::vector<std::uint32_t>> by_step;
  std::vector<AllowanceUse> uses;  // one per allowance
};
inline constexpr std::uint32_t kNotAllowed = 0xffffffffu;

// Total. Each wait is let pass by the first allowance that matches and is not used up. Distances between steps are
// those of their numbers where these rise, else of their positions. Linear in waits, and in sites times allowances.
AllowedWaits apply_allowances(const RunSummary& run, std::span<const Allowance> allowances, const Date& today);

// "path:function" as site globs see it: "train.py:step"; of a place without a file what a person sees of it.
std::string site_key(const Site& site);

}  // namespace zerostall
