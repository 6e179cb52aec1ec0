// `zerostall check` as annotations of a GitHub job: workflow commands on its standard output, which GitHub shows at the
// lines of a pull request. Escaped as GitHub's own toolkit does it (@actions/core, command.ts).
#pragma once
#include <string>

#include "profiler/gate/check.h"

namespace zerostall {

// GitHub shows so many of a level and step, and drops the rest without a word.
inline constexpr std::size_t kMostAnnotations = 10;

// "::error file=train.py,line=31,title=zerostall scalar-read::2 waits per step, ...\n" for each finding: errors, then
// warnings, then notices; one notice or error with the verdict last. Of a level with too many the last says how many
// more there are. Nothing but such lines.
std::string render_check_github(const CheckReport& report);

}  // namespace zerostall
