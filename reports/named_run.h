// A process of a recording, beside others.
#pragma once
#include <string>

#include "profiler/analyze/summary.h"

namespace zerostall {

struct NamedRun {
  std::string name;  // "rank0", or the name of its file
  RunSummary summary;
};

// A file of a recording that is no trace, or none of this version.
struct UnreadableTrace {
  std::string name;
  std::string why;  // one line
};

}  // namespace zerostall
