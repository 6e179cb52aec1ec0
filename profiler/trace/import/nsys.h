// Importer of Nsight Systems' SQLite exports (`nsys export --type sqlite`), schemas of 2021 to 2026.
#pragma once
#include <filesystem>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/trace/read_trace.h"

namespace zerostall {

// One trace per process that made CUDA calls, in order of their first call; without any, one trace without calls.
// Fails where the database cannot be opened read-only, is damaged, or holds none of Nsight Systems' tables.
Result<std::vector<RawTrace>> import_nsys(const std::filesystem::path& path, const ReadOptions& options);

}  // namespace zerostall
