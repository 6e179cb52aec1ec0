// What a trace says about the process it comes from: one JSON object, the file's meta chunk.
#pragma once
#include <string>
#include <string_view>

namespace zerostall::tracer {

// Tool, clock, and of the process: pid, what it runs (command.h) and its place in a job (job.h), as far as they are
// known. Values of arguments, the environment, the user and, unless $ZEROSTALL_TRACE_KEEP_HOST is 1, the host's name do
// not get into it. `simulated_model` is null on a real GPU.
std::string meta_json(const char* simulated_model);

// A JSON string. What is no UTF-8 is replaced by '?', control characters are escaped.
std::string quoted(std::string_view text);

}  // namespace zerostall::tracer
