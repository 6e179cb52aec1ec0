// Baselines for people.
#pragma once
#include <span>
#include <string>

#include "profiler/gate/baseline.h"

namespace zerostall {

// "simulated H200 · 18 steps judged, first 2 not · 3 waits per step at 2 places".
std::string baseline_headline(const Baseline& baseline);

// Tables of the places that wait, and of the counters that are not 0, for each process.
std::string render_baseline_text(const Baseline& baseline);

// What changed, worse first; "" = nothing did.
std::string render_baseline_changes(std::span<const BaselineChange> changes);

}  // namespace zerostall
