// The baseline as it stands in a repository: JSON (schema zerostall/baseline/1), made to be read in a review. One place
// a line, one region a line; a count that is the same in each step is one number. Nothing in it changes from run to
// run of the same program: no times, no dates, no numbers of lines or steps, no absolute paths.
#pragma once
#include <string>
#include <string_view>

#include "profiler/base/result.h"
#include "profiler/gate/baseline.h"

namespace zerostall {

// `Baseline::file` and `doubt` are not part of it. Text that is not UTF-8 is repaired.
std::string render_baseline(const Baseline& baseline);

// Keys that are not known are ignored: within a schema number keys only get added. What is newer, damaged or makes no
// sense is refused in one line, with the file, the place and what to do.
Result<Baseline> parse_baseline(std::string_view json, const std::string& file);

// Whether a file that begins so is one, whatever it is called.
bool looks_like_baseline(std::string_view begin);

}  // namespace zerostall
