// Which calls are behind a count that is not as claimed.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/gate/verify.h"

namespace zerostall {

// The waits in `region` of `step` that should not be there ("2 × cudaMemcpyAsync 512 B ..."), or, when `excess` is
// negative, those that are missing ("without cudaMemcpyAsync ..."). Region "" = all that lies in none of
// `claimed_regions`. What should be there is read off, in this order: a judged step of the same run with another number
// of waits in the right direction; the run with the most fixes, which shows what the fixes failed to remove; nothing
// (all waits are named).
// "" when there is nothing to name.
std::string calls_to_blame(const std::vector<VerifyRun>& runs, const VerifyRun& run, const StepRow& step,
                           const std::string& region, const std::vector<std::string>& claimed_regions,
                           std::int64_t excess);

}  // namespace zerostall
