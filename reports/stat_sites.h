// Parts of `zerostall stat` that are about places and causes.
#pragma once
#include <string>

#include "reports/stat_view.h"

namespace zerostall {

// The places that wait, with what is known of why, and what to do about it. "" where nothing waits.
std::string sites_table(const RunSummary& run, const StatView& view);

// The causes, each with what to do about it. "" where nothing waits.
std::string causes_table(const RunSummary& run, const StatView& view);

// What to do about a cause, in a line; "" where nothing is to be done: the waits of the tool that recorded, and unknown
// causes where steps are marked and stacks known.
std::string advice_for(const RunSummary& run, CauseKind kind);

}  // namespace zerostall
