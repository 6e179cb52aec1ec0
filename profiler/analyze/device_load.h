// What the device still had to do at a moment, from the records of GPU work.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "profiler/trace/trace.h"

namespace zerostall {

// Within this much the clocks of host and GPU are equal.
Nanos clock_slack(const TraceMeta& meta);

// Whether the trace holds a record of every piece of GPU work: none lost, cut off, or never taken.
bool has_all_gpu_work(const Trace& trace);

// Built once per trace, asked per wait in logarithmic time. GPU work with bad times is left out.
class DeviceLoad {
 public:
  explicit DeviceLoad(const Trace& trace);

  // Whether all work of this context that was launched before `time` had ended by then. A context without work of its
  // own (0, unknown) means all contexts. Unknown when GPU records are missing: lost, cut off, or never taken.
  std::optional<bool> idle_after(std::uint32_t context, Nanos time) const;

  // A place in the order of launches. Equal stamps are told apart by the calls, which stand in order within a thread.
  struct Moment {
    Nanos time_ns = 0;
    CallIndex call = kNoIndex;
    auto operator<=>(const Moment&) const = default;
  };
  // Whether all work of a stream (a handle) that was launched before `launched` had ended by `time`. Asks the whole
  // context where the stream cannot be told: no handle, one without known work, one that stood for several streams. So
  // does the legacy default stream, which waits for other streams too. Unknown as above.
  std::optional<bool> done_by(std::uint32_t context, std::optional<std::uint64_t> stream, Moment launched,
                              Nanos time) const;

  // The latest end of that work, for a call that waited for it and returned at `returned`; nullopt: there is none.
  // Where the stream cannot be told, of the context's streams those count whose work had ended by then: the call
  // evidently did not wait for the others.
  std::optional<Nanos> work_end(std::uint32_t context, std::optional<std::uint64_t> stream, Moment launched,
                                Nanos returned) const;
  // The last end of any work before `returned`.
  std::optional<Nanos> last_end(Nanos returned) const;

  bool complete() const { return complete_; }

  // Pieces of work launched before `time` and not ended by then.
  std::int64_t queued_at(Nanos time) const;

 private:
  struct Work {
    std::vector<Moment> launches;   // ascending
    std::vector<Nanos> latest_end;  // of the first i + 1 of them
  };
  using StreamKey = std::pair<std::uint32_t, std::uint64_t>;  // context, and a handle or the tool's id
  static void append(Work& work, const GpuOp& op);
  const Work& of_context(std::uint32_t context) const;
  const Work* of_stream(std::uint32_t context, std::uint64_t stream) const;
  void learn_stream(const Trace& trace, const GpuOp& op);
  bool done(const Work& work, Moment launched, Nanos time) const;
  static std::optional<Nanos> end_before(const Work& work, Moment launched);

  bool complete_ = false;
  Nanos slack_ns_ = 0;
  Work all_;
  std::map<std::uint32_t, Work> by_context_;
  std::map<StreamKey, Work> by_stream_;                           // by the tool's id
  std::map<StreamKey, std::optional<std::uint32_t>> stream_ids_;  // of handles; nullopt = several
  std::vector<Nanos> ends_;                                       // ascending
};

}  // namespace zerostall
