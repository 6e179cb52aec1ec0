// Numbers of processes in a file that holds several, which viewers tell apart by nothing else.
#pragma once
#include <cstdint>
#include <optional>
#include <set>

namespace zerostall {

class ProcessNumbers {
 public:
  // The process's own, where it is known, fits and is free; else the lowest free one.
  std::int64_t take(const std::optional<std::int64_t>& pid) {
    constexpr std::int64_t kMost = 0x3fffffff;
    std::int64_t number = pid.value_or(0);
    if (number < 1 || number > kMost || taken_.contains(number))
      for (number = 1; taken_.contains(number);) ++number;
    taken_.insert(number);
    return number;
  }

 private:
  std::set<std::int64_t> taken_;
};

}  // namespace zerostall
