// What a trace says about the process it comes from: one JSON object, the file's meta chunk.
#pragma once
#include <string>
#include <string_view>

namespace zerostall::tracer {

// Tool, clock, and of the process: pid, program, argv (cut to 4 KB), and RANK, LOCAL_RANK, WORLD_SIZE where its
// environment has them as numbers. `simulated_model` is null on a real GPU.
std::string meta_json(const char* simulated_model);

// A JSON string. What is no UTF-8 is replaced by '?', control characters are escaped.
std::string quoted(std::string_view text);

}  // namespace zerostall::tracer
