// `ranks` of `zerostall stat --json`.
#pragma once
#include "reports/json_parts.h"
#include "reports/named_run.h"

namespace zerostall {

// `processes`: the runs that were compared; `ranks` is of them, or empty.
Json ranks_json(const Ranks& ranks, const std::vector<NamedRun>& processes);

}  // namespace zerostall
