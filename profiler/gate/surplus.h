// Which calls are behind a count that is not as claimed.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/gate/verify.h"

namespace zerostall {

// The same step in a run that has all fixes of the run in question, and more.
struct OtherStep {
  const StepRow& step;
  bool as_claimed = false;  // it shows as many waits as claimed: all of them are meant to stay
};

struct Blame {
  const VerifyRun& run;
  const StepRow& step;
  std::string region;  // "" = all that lies in none of `claimed_regions`
  std::vector<std::string> claimed_regions;
  Shares excess;  // what the step shows beyond what is claimed; negative = it lacks
  std::vector<OtherStep> others;
};

// The waits in `region` of `step` that should not be there ("2 × cudaMemcpyAsync 512 B ..."), or those that are missing
// ("without cudaMemcpyAsync ..."). What should be there is read off a judged step of the same run with the right number
// of waits. Without one the waits are narrowed down by what the excess says (without an H2D stall too many no upload
// can be to blame) and by the other runs: what stays where more fixes work as claimed is meant to stay, and what goes
// where more fixes are on is theirs to remove. Where several are left, "one of: A, B".
// "" when there is nothing to name.
std::string calls_to_blame(const Blame& blame);

}  // namespace zerostall
