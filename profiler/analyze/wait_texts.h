// describe() of waits, written once for all that look alike: there may be a million waits, of twenty kinds.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "profiler/analyze/waits.h"

namespace zerostall {

class WaitTexts {
 public:
  explicit WaitTexts(const Trace& trace) : trace_(trace) {}
  std::uint32_t id_of(const Wait& wait);  // equal for waits that describe() alike, and only for those
  const std::string& text(std::uint32_t id) const { return texts_[id]; }

 private:
  using Look = std::tuple<StringId, Bytes, CopyDirection, MemoryKind, StringId, bool>;
  const Trace& trace_;
  std::map<Look, std::uint32_t> looks_;
  std::map<std::string, std::uint32_t> ids_;
  std::vector<std::string> texts_;
};

}  // namespace zerostall
