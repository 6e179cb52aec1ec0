#include "profiler/analyze/device_load.h"

#include <algorithm>

namespace zerostall {
namespace {

// A GPU's clock is mapped to the host's with this uncertainty; a modelled clock is one and the same.
constexpr Nanos kClockSlackNs = 5'000;

std::size_t count_before(const std::vector<Nanos>& ascending, Nanos time) {
  return static_cast<std::size_t>(std::lower_bound(ascending.begin(), ascending.end(), time) - ascending.begin());
}

bool starts_gpu_work(const Call& call) {
  return call.kind == ApiKind::launch || call.kind == ApiKind::copy || call.kind == ApiKind::memset;
}

}  // namespace

DeviceLoad::DeviceLoad(const Trace& trace) {
  const bool has_work = std::any_of(trace.calls.begin(), trace.calls.end(), starts_gpu_work);
  complete_ = !trace.truncated && trace.lost_records == 0 && (!trace.gpu_ops.empty() || !has_work);
  slack_ns_ = trace.meta.clock == Clock::measured ? kClockSlackNs : 0;
  for (const GpuOp& op : trace.gpu_ops) {  // by launch already
    if (op.bad_time) continue;
    append(all_, op);
    append(by_context_[op.context], op);
    ends_.push_back(op.end_ns);
  }
  std::sort(ends_.begin(), ends_.end());
}

void DeviceLoad::append(Work& work, const GpuOp& op) {
  work.launches.push_back(op.launch_ns);
  work.latest_end.push_back(work.latest_end.empty() ? op.end_ns : std::max(work.latest_end.back(), op.end_ns));
}

std::optional<bool> DeviceLoad::idle_after(std::uint32_t context, Nanos time) const {
  if (!complete_) return std::nullopt;
  const auto own = by_context_.find(context);
  const Work& work = own == by_context_.end() ? all_ : own->second;
  const std::size_t launched = count_before(work.launches, time);
  return launched == 0 || work.latest_end[launched - 1] <= time + slack_ns_;
}

std::int64_t DeviceLoad::queued_at(Nanos time) const {
  const auto ended = static_cast<std::int64_t>(std::upper_bound(ends_.begin(), ends_.end(), time) - ends_.begin());
  return static_cast<std::int64_t>(count_before(all_.launches, time)) - ended;
}

}  // namespace zerostall
