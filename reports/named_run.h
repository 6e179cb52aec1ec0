// A process of a recording, beside others.
#pragma once
#include <string>

#include "profiler/analyze/summary.h"

namespace zerostall {

struct NamedRun {
  std::string name;  // "rank0", or the name of its file
  RunSummary summary;
};

}  // namespace zerostall
