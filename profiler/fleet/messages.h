// What processes of one `stat --mpi` tell each other, as bytes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/analyze/summary.h"
#include "profiler/base/result.h"
#include "profiler/fleet/share_out.h"

namespace zerostall::fleet {

// Where a process runs, and which files it sees.
struct Presence {
  std::string place;  // equal for processes that can look at each other's pid
  std::int64_t pid = 0;
  std::vector<SeenFile> files;
};

struct NamedSummary {
  std::string name;  // of the process whose trace it is, beside the others
  RunSummary summary;
};

struct Unreadable {
  std::string name, why;
};

// What one file gave: summaries of its processes, or why it cannot be read.
struct FileFound {
  std::uint64_t file = 0;  // position in SharedOut::files
  std::vector<NamedSummary> runs;
  std::vector<Unreadable> unreadable;
};

struct Findings {
  std::string failure;  // why this process could not do its part; "" = it did
  std::vector<FileFound> files;
};

// Complete: what `decode_...` gives is equal, field by field. It fails for what was cut off, has something behind it,
// or was written by another build of the program: one line.
std::string encode(const Presence& presence);
std::string encode(const Findings& findings);
Result<Presence> decode_presence(std::string_view bytes);
Result<Findings> decode_findings(std::string_view bytes);

}  // namespace zerostall::fleet
