// What is known of where standard output goes.
#pragma once
#include "profiler/cli/options.h"
#include "reports/text_style.h"

namespace zerostall::cli {

// Width: COLUMNS where that is set, else that of the terminal, else no limit. Colour, unless it is asked for or
// forbidden: on a terminal that is not dumb, where NO_COLOR is unset or empty.
TextStyle style_of_output(Colour colour);

}  // namespace zerostall::cli
