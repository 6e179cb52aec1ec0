// Lines of source that a trace's stacks name, from files at hand.
#pragma once
#include <filesystem>

#include "profiler/analyze/causes.h"

namespace zerostall::cli {

// Of the user's own files, by their path from the working folder, or from the trace's. A file that was changed after
// the trace was written says nothing of it, and is left out; so is what is missing, large or no regular file.
SourceTexts read_sources(const RawTrace& trace, const std::filesystem::path& trace_file);

}  // namespace zerostall::cli
