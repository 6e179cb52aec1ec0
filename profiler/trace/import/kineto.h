// Importer of Chrome trace JSON as PyTorch's profiler (Kineto) writes it, plain or compressed with gzip. Layout:
// libkineto's output_json.cpp and the files of shared/traces; files since 2021, of CUDA and ROCm.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/trace/read_trace.h"

namespace zerostall {

// One trace per process that made CUDA calls or marked profiler steps, in order of first appearance; without any, one
// trace. Memory is that of the result and of a few megabytes of text. Two threads, where there are two cores, parse
// and, in the same order as one would, merge.
//
// Kept are CUDA and HIP calls, GPU work, and annotations (which hold the steps, as `ProfilerStep#N`); operators and
// Python functions as the stacks of the calls that may wait (kineto_stacks.h). Arrows and the rest only count in
// RawTrace::contents. Times stay relative to what the file counts from.
//
// Oddities: bad_numbers (times that are none: the event is dropped; numbers that do not fit: taken as absent),
// text_not_utf8 (pieces of text that were mended), events_without_duration, events_not_objects (dropped),
// ambiguous_correlations (GPU work that calls of several processes may have started: linked to none).
//
// Text that ends early or is damaged yields the events before that, and RawTrace::truncated. Fails where there is no
// list of events, and beyond ReadOptions::most_expanded.
Result<std::vector<RawTrace>> import_kineto(const std::filesystem::path& path, const ReadOptions& options);

// The same for bytes in memory; `name` is used in errors.
Result<std::vector<RawTrace>> parse_kineto(std::span<const std::byte> bytes, const std::string& name,
                                           const ReadOptions& options);

}  // namespace zerostall
