// The processes of a recording side by side, for a person.
#pragma once
#include <string>
#include <vector>

#include "reports/named_run.h"
#include "reports/text_style.h"

namespace zerostall {

// A line per process, as far as they fit a screen (else those that stand out, and one for all that are alike), what
// only some of them wait for, who is slow by its own doing, and which one is shown in detail below. `ranks`:
// compare_ranks of `runs`.
std::string render_processes(const std::string& path, const std::vector<NamedRun>& runs, std::size_t shown,
                             const Ranks& ranks, const TextStyle& style = {});

}  // namespace zerostall
