// What the device still had to do at a moment, from the records of GPU work.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "profiler/trace/trace.h"

namespace zerostall {

// Built once per trace, asked per wait in logarithmic time. GPU work with bad times is left out.
class DeviceLoad {
 public:
  explicit DeviceLoad(const Trace& trace);

  // Whether all work of this context that was launched before `time` had ended by then. A context without work of its
  // own (0, unknown) means all contexts. Unknown when GPU records are missing: lost, cut off, or never taken.
  std::optional<bool> idle_after(std::uint32_t context, Nanos time) const;

  // Pieces of work launched before `time` and not ended by then.
  std::int64_t queued_at(Nanos time) const;

 private:
  struct Work {
    std::vector<Nanos> launches;    // ascending
    std::vector<Nanos> latest_end;  // of the first i + 1 of them
  };
  static void append(Work& work, const GpuOp& op);

  bool complete_ = false;
  Nanos slack_ns_ = 0;
  Work all_;
  std::map<std::uint32_t, Work> by_context_;
  std::vector<Nanos> ends_;  // ascending
};

}  // namespace zerostall
