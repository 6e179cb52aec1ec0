// `zerostall check` for a terminal and the log of a CI job.
#pragma once
#include <string>

#include "profiler/gate/check.h"
#include "reports/text_style.h"

namespace zerostall {

struct CheckTextOptions {
  TextStyle style{};    // lines are not broken: what they name is to be copied
  bool command = true;  // show CheckReport::command; false for files, which travel further than the user's terminal
};

// First line: the verdict with what was checked. Then what breaks it, each with its place, cause and what to do; the
// figures before and after; what was looked at; notes; of a violation an [[allow]] block to copy; the command that
// does it again. Names are made printable; long lists are cut and say so. Ends in a newline.
std::string render_check_text(const CheckReport& report, const CheckTextOptions& options = {});

}  // namespace zerostall
