// Importer of Chrome trace JSON as PyTorch's profiler (Kineto) writes it, plain or compressed with gzip.
#pragma once
#include <filesystem>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/trace/read_trace.h"

namespace zerostall {

Result<std::vector<RawTrace>> import_kineto(const std::filesystem::path& path, const ReadOptions& options);

}  // namespace zerostall
