// Names for the native frames of a trace's waits, from the files on this machine.
#pragma once
#include <filesystem>
#include <vector>

#include "profiler/analyze/wait_stacks.h"

namespace zerostall::cli {

// Fills `sources` and `why_not` of every native frame. `symbols`: folders and files to look into first.
void name_frames(std::vector<WaitStack>& stacks, const std::vector<std::filesystem::path>& symbols);

}  // namespace zerostall::cli
