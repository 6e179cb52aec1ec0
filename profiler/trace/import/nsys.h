// Importer of Nsight Systems' SQLite exports (`nsys export --type sqlite`), schemas of 2021 to 2026.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/trace/read_trace.h"

namespace zerostall {

// One trace per process that made CUDA calls, in order of their first call; without any, one trace without calls.
// Fails where the database cannot be opened read-only, is damaged, or holds none of Nsight Systems' tables: one line
// that names the file and, where there is one, the table.
//
// Stamps are those of the file: they count from the start of the session (TraceMeta::start_utc_ns).
// RawTrace::contents of the first trace has the rows of each table of CUDA or NVTX events; that of each its own
//   "cuda_sync: TYPE LABEL by CALL"            records of synchronization, by the call they belong to
//   "unified_memory: Host-to-Device, CAUSE"    pages that the driver moved: no copies of the program
//   "device: NAME"                             (first trace) GPUs of the machine
// RawTrace::oddities that are made here, besides those of build_trace.h:
//   duplicate_call_correlation  calls with the correlation of an earlier call of their process (one of its layers)
//   no_runtime_table            no calls were recorded
//   text_not_utf8               texts, kept as they are
//   missing_strings             names that the file refers to and does not hold
//   calls_without_end           given length 0
//   unreadable_rows             with text or nothing where a time must be, or an impossible time: left out, and counted
//                               as lost
//   unreadable_values           with text, or a number out of range, where another number must be: taken for unknown
//   gpu_ops_without_process     GPU work of a process without calls: left out
//   marks_without_process       NVTX events of a process without CUDA calls: left out
Result<std::vector<RawTrace>> import_nsys(const std::filesystem::path& path, const ReadOptions& options);

// The same from the bytes of such a file; `name` stands for it in errors.
Result<std::vector<RawTrace>> parse_nsys(std::span<const std::byte> bytes, const std::string& name,
                                         const ReadOptions& options);

}  // namespace zerostall
