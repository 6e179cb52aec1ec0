// Which waits found nothing to wait for: `idle` of metrics.md, "effective wait".
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "profiler/analyze/device_load.h"
#include "profiler/analyze/transfers.h"

namespace zerostall {

// Built once per trace, asked per wait in logarithmic time. Trace and load must outlive it.
class IdleCheck {
 public:
  IdleCheck(const Trace& trace, const DeviceLoad& load);

  // Whether all work that a wait had to wait for had ended when it began. A wait is a copy, a sync, or both; its own
  // copy is part of it and no such work. A stream sync waits for its stream, an event sync for what stands before the
  // last record of its event (of one that no record names, the whole context), a device sync for the whole context.
  // Unknown as DeviceLoad.
  std::optional<bool> idle(CallIndex copy, CallIndex sync) const;

  // What a wait waits for: the work of a stream (nullopt: of the whole context) that was launched before a moment.
  struct WaitedFor {
    std::optional<std::uint64_t> stream;
    DeviceLoad::Moment launched;
  };
  WaitedFor waited_for(CallIndex copy, CallIndex sync) const;

  // The latest end of the work that a wait which returned at `returned` had to wait for, its own copy or memset
  // included; nullopt: there is none, or it is unknown. By the GPU's record of that copy where there is one: it began
  // behind all else of its stream. Where nobody says what a sync waited for (an event whose record is not in the trace,
  // a stream without a handle), it is the last that ended before the sync returned.
  std::optional<Nanos> work_end(CallIndex copy, CallIndex sync, Nanos returned) const;
  const Transfers& transfers() const { return transfers_; }

 private:
  struct Record {
    DeviceLoad::Moment at;
    std::uint64_t stream = 0;
  };
  const Record* last_record(std::uint64_t event, DeviceLoad::Moment before) const;

  const Trace& trace_;
  const DeviceLoad& load_;
  Transfers transfers_;
  std::map<std::uint64_t, std::vector<Record>> records_;  // by event, in order
};

}  // namespace zerostall
