#include "profiler/analyze/wait_texts.h"

namespace zerostall {

std::uint32_t WaitTexts::id_of(const Wait& wait) {
  Look look{0, 0, CopyDirection::none, MemoryKind::unknown, 0, wait.failed};
  if (wait.copy != kNoIndex) {
    const Call& copy = trace_.calls[wait.copy];
    std::get<0>(look) = copy.name + 1;  // 0 = there is none
    std::get<1>(look) = copy.bytes;
    std::get<2>(look) = copy.direction;
    if (copy.async && wait.sync == kNoIndex) std::get<3>(look) = copy.host_memory;
  }
  if (wait.sync != kNoIndex) std::get<4>(look) = trace_.calls[wait.sync].name + 1;
  const auto [entry, is_new] = looks_.try_emplace(look, 0);
  if (!is_new) return entry->second;
  const auto [id, is_new_text] = ids_.try_emplace(describe(trace_, wait), static_cast<std::uint32_t>(texts_.size()));
  if (is_new_text) texts_.push_back(id->first);
  return entry->second = id->second;
}

}  // namespace zerostall
