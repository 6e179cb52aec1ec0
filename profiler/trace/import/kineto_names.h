// What names and categories mean in the Chrome traces of PyTorch's profiler, from its first version (2021) on.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "profiler/trace/raw_trace.h"

namespace zerostall::kineto {

enum class EventKind : std::uint8_t { other, call, kernel, copy, memset, annotation, sync, op, python };

// By the event's category ("cat"): "cuda_runtime", or "Runtime" in files before 2022.
EventKind kind_of(std::string_view category);

// Steps of the oldest files have the category of operators.
bool is_profiler_step(std::string_view name);

struct CopyKind {
  CopyDirection direction = CopyDirection::unknown;
  MemoryKind source = MemoryKind::unknown, target = MemoryKind::unknown;
};

// "Memcpy HtoD (Pageable -> Device)". ROCm says just "Host": memory of unknown kind.
CopyKind parse_copy_name(std::string_view name);
// "Memset (Device)".
MemoryKind parse_memset_name(std::string_view name);

// What HIP's argument `kind` of a copy call says.
CopyDirection direction_of_hip_kind(std::int64_t kind);

// Microseconds as the file writes them, digit by digit: a double cannot hold today's date in nanoseconds. nullopt: not
// a finite number, or beyond what 64 bits hold.
struct Stamp {
  Nanos ns = 0;
  bool fractional = false;
};
std::optional<Stamp> parse_microseconds(std::string_view text);

// A whole number, decimal or 0x..., negative ones included; nullopt: it is none, or does not fit.
std::optional<std::int64_t> parse_whole(std::string_view text);

}  // namespace zerostall::kineto
