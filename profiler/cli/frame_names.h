// Names for the native frames of a trace's waits, from the files on this machine.
#pragma once
#include <filesystem>
#include <vector>

#include "profiler/analyze/causes.h"
#include "profiler/analyze/wait_stacks.h"
#include "profiler/trace/symbolize.h"

namespace zerostall::cli {

// Fills `sources` and `why_not` of every native frame. `symbols`: folders and files to look into first.
void name_frames(std::vector<WaitStack>& stacks, const std::vector<std::filesystem::path>& symbols);

// Names for what tells causes, in traces of programs without Python (others tell by their lines): their native stacks'
// functions. One object for many traces opens each file once.
class NamesForCauses {
 public:
  // `symbols` as above.
  explicit NamesForCauses(const std::vector<std::filesystem::path>& symbols = {});
  FrameNames of(const RawTrace& trace);

 private:
  Symbolizer symbolizer_;
};

}  // namespace zerostall::cli
