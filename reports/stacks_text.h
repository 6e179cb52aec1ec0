// Where waits come from, for a person: `zerostall stat --stacks`.
#pragma once
#include <string>
#include <vector>

#include "profiler/analyze/wait_stacks.h"

namespace zerostall {

// Each stack with its waits: lines of Python, innermost first, one's own before those of libraries, then native frames
// without those of CUDA, the tracer and the interpreter. Long lists are cut, and say so. Ends in a newline.
std::string render_stacks_text(const std::vector<WaitStack>& stacks);

}  // namespace zerostall
