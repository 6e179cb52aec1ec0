// Stage 1 of the route for any file: finds out what it is and reads it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/base/units.h"
#include "profiler/trace/raw_trace.h"

namespace zerostall {

struct ReadOptions {
  Bytes most_expanded = Bytes{1} << 36;  // compressed text may not grow beyond this: a bomb would go on for ever
  unsigned threads = 0;                  // 0 = one per core, two at most
};

// What a file holds, by its first bytes, never by its name. One row of a table in read_trace.cpp: a new format is one
// function and one row.
//
// The result has at least one trace, and one per process that used CUDA where the file holds several (in order of first
// appearance; native files hold one). Fails with one line where the file cannot be read, is of no known format, or is
// of a known one and holds no trace; cut off or damaged files read as far as they are sound, and say so
// (RawTrace::truncated). What an importer had to repair, drop or guess it counts in RawTrace::oddities.
Result<std::vector<RawTrace>> read_trace(const std::filesystem::path& path, const ReadOptions& options = {});

// The formats, for error texts and help: "zerostall (.zstall), ...".
std::string known_formats();

}  // namespace zerostall
