#include "profiler/analyze/cause_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiler/analyze/cause_names.h"

namespace zerostall {
namespace {

using enum CauseKind;
using enum Confidence;

constexpr Bytes kScalar = 8;              // a number, an index, a flag
constexpr Bytes kState = Bytes{1} << 20;  // statistics, tables, embeddings of a step; batches are larger, or come first
constexpr Bytes kBlock = Bytes{4} << 20;  // weights that are moved in blocks
constexpr std::size_t kNearKernels = 4;   // before a read: what they are called may be about it

std::string size_text(Bytes bytes) {
  if (bytes >= Bytes{1} << 20) return fmt::format("{:.1f} MiB", double(bytes) / double(Bytes{1} << 20));
  return fmt::format("{} B", bytes);
}

bool is_download(const Evidence& e) { return e.direction == CopyDirection::device_to_host; }
bool is_upload(const Evidence& e) { return e.direction == CopyDirection::host_to_device; }
bool has_pageable_side(const Evidence& e) { return e.copy && e.copy->host_memory == MemoryKind::pageable; }

std::string_view place_name(NamePlace place) {
  switch (place) {
    case NamePlace::op:
      return "operator ";
    case NamePlace::file:
    case NamePlace::function:
      return "called in ";
    case NamePlace::source:
      return "the line says ";
    case NamePlace::kernel:
    case NamePlace::last_kernel:
      break;
  }
  return "after kernel ";
}

// The first of the surest clues that frames and kernels show. What a kernel computed says something of a number read
// back, and nothing of anything else.
const NameClue* best_clue(const Evidence& e) {
  const auto clues = name_clues();
  std::optional<std::size_t> best;
  const auto look_at = [&](std::size_t at) {
    const NameClue& clue = clues[at];
    if (clue.direction != CopyDirection::unknown && clue.direction != e.direction) return;
    const auto order = [&](std::size_t i) { return std::pair(-static_cast<int>(clues[i].confidence), i); };
    if (!best || order(at) < order(*best)) best = at;
  };
  if (e.stack)
    for (const std::size_t at : e.stack->clues) look_at(at);
  if (is_download(e) && e.bytes <= kScalar)
    for (std::size_t k = 0; k < std::min(e.kernels.size(), kNearKernels); ++k)
      for (const std::size_t at : e.kernels[k]->clues)
        if (k == 0 || clues[at].place == NamePlace::kernel) look_at(at);
  return best ? &clues[*best] : nullptr;
}

std::optional<Cause> by_name(const Evidence& e) {
  const NameClue* clue = best_clue(e);
  if (clue == nullptr) return std::nullopt;
  const bool is_scalar = clue->kind == download && e.bytes <= kScalar;  // .cpu() and print() of one number
  return Cause{is_scalar ? scalar_read : clue->kind, clue->confidence,
               fmt::format("{}{}", place_name(clue->place), clue->text)};
}

// Whether a line takes something at a name: `table[t]`, and no `x[0]`, `x["loss"]`, `x[:, i]`.
bool subscripts_by_name(std::string_view line) {
  const auto is_name = [](char c) {
    return c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  for (std::size_t open = line.find('['); open != std::string_view::npos; open = line.find('[', open + 1)) {
    const std::size_t close = line.find(']', open);
    if (close == std::string_view::npos || open == 0 || !is_name(line[open - 1])) continue;
    const std::string_view inside = line.substr(open + 1, close - open - 1);
    const bool name = std::all_of(inside.begin(), inside.end(), is_name);
    if (name && !inside.empty() && !(inside[0] >= '0' && inside[0] <= '9')) return true;
  }
  return false;
}

bool says_any(std::string_view line, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return line.find(word) != std::string_view::npos; });
}

// A tensor on the host that is indexed by a number on the device: Python asks for the number. Where the line says
// something else that reads one, that may be it.
std::optional<Cause> by_subscript(const Evidence& e) {
  if (!is_download(e) || e.bytes != 8 || !e.stack || e.stack->frames.empty() || e.stack->frames.front().library)
    return std::nullopt;
  const std::string_view line = e.stack->own_source;
  if (!subscripts_by_name(line) || says_any(line, {"int(", "float(", "bool(", "len(", "range(", ".item(", "=="}))
    return std::nullopt;
  if (e.kernels.empty()) return std::nullopt;  // a mask is told by the kernel that counts what it selects
  return Cause{host_table_by_device_index, medium, "the line takes something at an index, and 8 B are read back"};
}

// cudaFree, cudaMalloc and their like, which may wait for the device.
std::optional<Cause> by_allocation(const Evidence& e) {
  if (e.wait->kind != WaitKind::implicit) return std::nullopt;
  return Cause{allocator, high, "memory is taken or given back, or registered"};
}

std::optional<Cause> by_pageable_async_copy(const Evidence& e) {
  const bool alone = e.copy && !e.sync && e.copy->async && has_pageable_side(e);
  if (!alone || !is_upload(e)) return std::nullopt;
  return Cause{pageable_async, high,
               fmt::format("{} uploaded asynchronously from pageable memory", size_text(e.bytes))};
}

std::optional<Cause> by_swapping(const Evidence& e) {
  if (!e.place || e.bytes < kBlock || !e.step_moves_much_down || !e.step_moves_much_up) return std::nullopt;
  return e.comes_back ? Cause{offload, high,
                              fmt::format("{} moved, and in the same step as much the other way", size_text(e.bytes))}
                      : Cause{offload, medium,
                              fmt::format("{} moved, and in the same step more the other way", size_text(e.bytes))};
}

// The labels of a small batch are a few numbers too; their line moves them and makes none.
std::optional<Cause> by_upload_beside_batch(const Evidence& e) {
  if (!e.beside_batch || e.bytes > kFewNumbers || !has_pageable_side(e) || !e.stack) return std::nullopt;
  const std::string_view line = e.stack->own_source;
  if (!says_any(line, {".cuda(", ".to("}) || says_any(line, {"tensor(", "full(", "arange(", "from_numpy(", "=["}))
    return std::nullopt;
  return Cause{pageable_batch, medium,
               fmt::format("{} from pageable memory beside the batch, by a line that only moves", size_text(e.bytes))};
}

// The first work of a step is its batch.
std::optional<Cause> by_first_upload(const Evidence& e) {
  if (!is_upload(e) || !has_pageable_side(e) || !e.place || e.bytes <= kFewNumbers) return std::nullopt;
  const bool first = e.place->launches_before == 0 && e.place->launches_after > 0;
  if (first)
    return Cause{pageable_batch, high,
                 fmt::format("{} from pageable memory before the first kernel of the step", size_text(e.bytes))};
  if (e.bytes <= kState) return std::nullopt;
  return Cause{pageable_batch, medium, fmt::format("{} from pageable memory", size_text(e.bytes))};
}

std::optional<Cause> by_repeated_upload(const Evidence& e) {
  if (!is_upload(e) || !e.place || e.bytes <= kFewNumbers || e.bytes > kState || e.place->launches_before == 0)
    return std::nullopt;
  if (!e.in_every_step) return std::nullopt;
  return Cause{state_on_wrong_device, medium,
               fmt::format("the same {} uploaded at the same place of every step", size_text(e.bytes))};
}

std::optional<Cause> by_tiny_upload(const Evidence& e) {
  if (!is_upload(e) || e.bytes > kFewNumbers || !e.sync) return std::nullopt;
  return Cause{tensor_from_host, medium,
               fmt::format("{} uploaded: a few numbers made on the host", size_text(e.bytes))};
}

// isfinite and isinf compare the absolute value with infinity, and nothing else is usually compared so: by == or !=.
std::optional<Cause> by_finite_kernels(const Evidence& e) {
  if (!is_download(e) || e.bytes != 1) return std::nullopt;
  const auto says = [&](std::size_t k, std::string_view word) {
    return e.kernels[k]->name.find(word) != std::string_view::npos;
  };
  for (std::size_t k = 0; k + 1 < e.kernels.size(); ++k)
    if (says(k, "CompareEqFunctor") && says(k + 1, "AbsFunctor"))
      return Cause{finite_check, medium, "one byte is read of what compares absolute values by == or !="};
  return std::nullopt;
}

std::optional<Cause> by_flag_read(const Evidence& e) {
  if (!is_download(e) || e.bytes != 1) return std::nullopt;
  if (!e.on_marking_thread)
    return Cause{finite_check, medium, "one byte read by a thread that is not the marking one: autograd"};
  return Cause{branch_on_device, low, "one byte is read: a condition"};
}

std::optional<Cause> by_scalar_read(const Evidence& e) {
  if (!is_download(e) || e.bytes > kScalar || e.bytes < 2) return std::nullopt;
  const std::string size = size_text(e.bytes);
  if (!e.place) return Cause{scalar_read, low, size + " read back"};
  const std::int64_t all = e.place->launches_before + e.place->launches_after;
  const bool at_end = all > 0 && e.place->launches_after * 10 <= all;
  if (at_end) return Cause{scalar_read, medium, size + " read back at the end of the step"};
  return Cause{branch_on_device, low, size + " read back in the middle of the step"};
}

std::optional<Cause> by_download(const Evidence& e) {
  if (!is_download(e) || e.bytes <= kScalar) return std::nullopt;
  return Cause{download, e.sync || has_pageable_side(e) ? medium : low, size_text(e.bytes) + " read back"};
}

std::string shown_frame(const EvidenceFrame& frame) {
  return frame.file.empty() ? std::string(frame.function) : fmt::format("{} in {}", frame.file, frame.function);
}

std::optional<Cause> by_sync_alone(const Evidence& e) {
  if (e.copy || !e.sync || !is_host_wait(e.wait->kind)) return std::nullopt;
  if (e.ends_profile && !e.place)
    return Cause{library_internal, medium, "the last call of the profile: the profiler's own, as it stops"};
  // What a user asks for is known by its name (synchronize, wait): by_name.
  // Of C++ the innermost frame always is LibTorch's, whoever asked.
  if (e.stack && !e.stack->is_native && !e.stack->frames.empty() && e.stack->frames.front().library)
    return Cause{library_internal, medium, "a library waits: " + shown_frame(e.stack->frames.front())};
  if (e.wait->kind == WaitKind::device_sync)
    return Cause{explicit_sync, high, "the whole device is waited for, and nothing copied"};
  return Cause{explicit_sync, medium, "a sync without a copy before it"};
}

constexpr std::array<CauseRule, 14> kRules = {
    by_name,         by_subscript,           by_allocation,      by_pageable_async_copy, by_swapping,
    by_first_upload, by_upload_beside_batch, by_repeated_upload, by_tiny_upload,         by_finite_kernels,
    by_flag_read,    by_scalar_read,         by_download,        by_sync_alone};

}  // namespace

std::span<const CauseRule> cause_rules() { return kRules; }

}  // namespace zerostall
