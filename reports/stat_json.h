// `zerostall stat --json`: schema zerostall/stat/1 of metrics.md.
#pragma once
#include <string>
#include <vector>

#include "reports/named_run.h"

namespace zerostall {

// `processes`: all of the recording, where it has several, compared, and what of it cannot be read; `run` is the one
// shown in detail. `with_stacks`: with the call stacks of its waits.
std::string render_stat_json(const RunSummary& run, const std::vector<NamedRun>& processes = {},
                             const std::vector<UnreadableTrace>& unreadable = {}, bool with_stacks = false,
                             const Ranks& ranks = {});

}  // namespace zerostall
