// What every fuzz target does with what a reader made of its bytes: the whole route, to the last line of output.
#pragma once
#include <vector>

#include "profiler/base/result.h"
#include "profiler/trace/raw_trace.h"

namespace zerostall::fuzz {

// An Error must have a text of one line. Traces are analysed and rendered in each form. Stops the program where a
// promise that holds for every trace is broken: calls are counted in one place each, steps are in order and apart.
void follow(Result<std::vector<RawTrace>> traces);

}  // namespace zerostall::fuzz
