// A process of a recording, beside others.
#pragma once
#include <string>
#include <vector>

#include "profiler/analyze/ranks.h"
#include "reports/timeline_blob.h"

namespace zerostall {

struct NamedRun {
  std::string name;  // "rank0", or the name of its file
  RunSummary summary;
  TimelineBlob timeline{};  // for a page; empty where none was asked for
};

// As compare_ranks takes them; refers to `runs`.
inline std::vector<RankRun> rank_runs(const std::vector<NamedRun>& runs) {
  std::vector<RankRun> ranks;
  for (const NamedRun& run : runs) ranks.push_back({run.name, &run.summary});
  return ranks;
}

// A file of a recording that is no trace, or none of this version.
struct UnreadableTrace {
  std::string name;
  std::string why;  // one line
};

}  // namespace zerostall
