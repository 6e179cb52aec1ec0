#include "profiler/analyze/device_load.h"

#include <algorithm>

namespace zerostall {
namespace {

// A GPU's clock is mapped to the host's with this uncertainty; a modelled clock is one and the same.
constexpr Nanos kClockSlackNs = 5'000;
constexpr std::uint64_t kLegacyStream = 0;
constexpr std::size_t kMostStreams = 64;  // that are looked at one by one

template <class T>
std::size_t count_before(const std::vector<T>& ascending, const T& limit) {
  return static_cast<std::size_t>(std::lower_bound(ascending.begin(), ascending.end(), limit) - ascending.begin());
}

bool starts_gpu_work(const Call& call) {
  return is_launch(call.kind) || call.kind == ApiKind::copy || call.kind == ApiKind::memset;
}

DeviceLoad::Moment moment_of(const GpuOp& op) { return {op.launch_ns, op.call}; }

}  // namespace

Nanos clock_slack(const TraceMeta& meta) { return meta.clock == Clock::measured ? kClockSlackNs : 0; }

bool has_all_gpu_work(const Trace& trace) {
  if (trace.truncated || trace.lost_records > 0) return false;
  return !trace.gpu_ops.empty() || std::none_of(trace.calls.begin(), trace.calls.end(), starts_gpu_work);
}

DeviceLoad::DeviceLoad(const Trace& trace) {
  complete_ = has_all_gpu_work(trace);
  slack_ns_ = clock_slack(trace.meta);
  std::vector<OpIndex> order;
  for (OpIndex i = 0; i < trace.gpu_ops.size(); ++i)
    if (!trace.gpu_ops[i].bad_time) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](OpIndex a, OpIndex b) { return moment_of(trace.gpu_ops[a]) < moment_of(trace.gpu_ops[b]); });
  for (const OpIndex i : order) {
    const GpuOp& op = trace.gpu_ops[i];
    append(all_, op);
    append(by_context_[op.context], op);
    append(by_stream_[{op.context, op.stream}], op);
    learn_stream(trace, op);
    ends_.push_back(op.end_ns);
  }
  std::sort(ends_.begin(), ends_.end());
}

void DeviceLoad::append(Work& work, const GpuOp& op) {
  work.launches.push_back(moment_of(op));
  work.latest_end.push_back(work.latest_end.empty() ? op.end_ns : std::max(work.latest_end.back(), op.end_ns));
}

void DeviceLoad::learn_stream(const Trace& trace, const GpuOp& op) {
  if (op.call == kNoIndex) return;
  const auto [known, is_new] = stream_ids_.try_emplace({op.context, trace.calls[op.call].stream}, op.stream);
  if (!is_new && known->second != op.stream) known->second = std::nullopt;
}

const DeviceLoad::Work& DeviceLoad::of_context(std::uint32_t context) const {
  const auto own = by_context_.find(context);
  return own == by_context_.end() ? all_ : own->second;
}

const DeviceLoad::Work* DeviceLoad::of_stream(std::uint32_t context, std::uint64_t stream) const {
  const auto id = stream_ids_.find({context, stream});
  if (stream == kLegacyStream || id == stream_ids_.end() || !id->second) return nullptr;
  const auto work = by_stream_.find({context, *id->second});
  return work == by_stream_.end() ? nullptr : &work->second;
}

std::optional<Nanos> DeviceLoad::end_before(const Work& work, Moment launched) {
  const std::size_t before = count_before(work.launches, launched);
  return before == 0 ? std::nullopt : std::optional(work.latest_end[before - 1]);
}

bool DeviceLoad::done(const Work& work, Moment launched, Nanos time) const {
  return end_before(work, launched).value_or(time) <= time + slack_ns_;
}

std::optional<bool> DeviceLoad::idle_after(std::uint32_t context, Nanos time) const {
  if (!complete_) return std::nullopt;
  return done(of_context(context), {time, 0}, time);
}

std::optional<bool> DeviceLoad::done_by(std::uint32_t context, std::optional<std::uint64_t> stream, Moment launched,
                                        Nanos time) const {
  if (!complete_) return std::nullopt;
  const Work* work = stream ? of_stream(context, *stream) : nullptr;
  return done(work != nullptr ? *work : of_context(context), launched, time);
}

std::optional<Nanos> DeviceLoad::work_end(std::uint32_t context, std::optional<std::uint64_t> stream, Moment launched,
                                          Nanos returned) const {
  if (const Work* work = stream ? of_stream(context, *stream) : nullptr) return end_before(*work, launched);
  if (by_stream_.size() > kMostStreams) {
    const auto end = end_before(of_context(context), launched);
    return end ? std::optional(std::min(*end, returned)) : std::nullopt;
  }
  const bool has_own = by_context_.contains(context);
  std::optional<Nanos> latest;
  auto it = has_own ? by_stream_.lower_bound({context, 0}) : by_stream_.begin();
  for (; it != by_stream_.end() && (!has_own || it->first.first == context); ++it) {
    const auto end = end_before(it->second, launched);
    if (end && *end <= returned + slack_ns_) latest = std::max(latest.value_or(*end), *end);
  }
  return latest;
}

std::optional<Nanos> DeviceLoad::last_end(Nanos returned) const {
  const auto behind = std::upper_bound(ends_.begin(), ends_.end(), returned + slack_ns_);
  return behind == ends_.begin() ? std::nullopt : std::optional(*(behind - 1));
}

std::int64_t DeviceLoad::queued_at(Nanos time) const {
  const auto ended = static_cast<std::int64_t>(std::upper_bound(ends_.begin(), ends_.end(), time) - ends_.begin());
  return static_cast<std::int64_t>(count_before(all_.launches, Moment{time, 0})) - ended;
}

}  // namespace zerostall
