// Reader of the native trace file (layout: profiler/trace/format.h).
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>

#include "profiler/base/result.h"
#include "profiler/trace/raw_trace.h"

namespace zerostall {

// Fails when the file cannot be read, is not a native trace, or is of a version this program does not know. A file that
// was cut off or damaged reads as far as each of its segments is sound and is marked truncated, with the place. Memory
// stays within a small multiple of the file's size whatever lengths it claims.
//
// Keys of the meta object that are understood: "tool" and "version" (texts), "clock" ("measured" or "modelled"),
// "host_clock", "device" (object, of which "name" is shown), "simulated_model" (text; stands for the device where that
// is absent), and of the process "pid", "program", "script", "arguments", "rank", "local_rank", "world_size",
// "host_number", "host"; of the tracer "gpu_records", "tells_queue_full", "unknown_apis", "own_cost". Absent: unknown
// tool, measured clock, no device.
Result<RawTrace> read_native(const std::filesystem::path& path);

// The same for bytes in memory; `name` is used in errors.
Result<RawTrace> parse_native(std::span<const std::byte> bytes, const std::string& name);

}  // namespace zerostall
