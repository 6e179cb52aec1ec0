// The traces of one recording: one file, or a folder with one file per process.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "reports/named_run.h"

namespace zerostall::cli {

// Files of a trace: the file itself, or what lies in the folder, ranks in order and then the others by name; of a
// folder what is called *.zstall or begins like a trace. Fails for a folder without traces; a file that is no trace is
// found out by reading it.
Result<std::vector<std::filesystem::path>> trace_files(const std::filesystem::path& path);

// The newest run*.zstall of a folder: what `record` leaves there. Fails when there is none.
Result<std::filesystem::path> newest_trace(const std::filesystem::path& folder);

// "rank0", "host1-rank0" (a local rank), else "process-4711": how a trace's file is called beside others.
std::string process_name(const TraceMeta& meta);

// Position of the process that waits most per judged step (in all, where no step is judged); the first of equals.
std::size_t worst_process(const std::vector<NamedRun>& runs);

}  // namespace zerostall::cli
