#include "profiler/analyze/counters.h"

#include <algorithm>

namespace zerostall {
namespace {

constexpr auto kCounters = std::to_array<CounterInfo>({
    {Counter::waits, "waits"},
    {Counter::drains, "drains"},
    {Counter::stream_syncs, "stream_syncs"},
    {Counter::event_syncs, "event_syncs"},
    {Counter::device_syncs, "device_syncs"},
    {Counter::blocking_copies, "blocking_copies"},
    {Counter::blocking_memsets, "blocking_memsets"},
    {Counter::h2d_stalls, "h2d_stalls"},
    {Counter::blocked_ns, "blocked_ns", true},
    {Counter::h2d_stall_ns, "h2d_stall_ns", true},
    {Counter::implicit, "implicit"},
    {Counter::spins, "spins"},
    {Counter::queue_full, "queue_full"},
    {Counter::unknown_copies, "unknown_copies"},
    {Counter::unknown_waits, "unknown_waits"},
    {Counter::failed, "failed"},
    {Counter::idle_waits, "idle_waits"},
    {Counter::blocked_other_threads_ns, "blocked_other_threads_ns", true},
});
static_assert(kCounters.size() == kCounterCount);

}  // namespace

std::span<const CounterInfo> all_counters() { return kCounters; }

void Counters::add(Counter counter, Count amount) {
  Count& value = (*this)[counter];
  value = value && amount ? Count(add_up(*value, *amount)) : std::nullopt;
}

void Counters::add(const Counters& other) {
  for (const CounterInfo& info : kCounters) add(info.counter, other[info.counter]);
}

std::optional<Spread> spread_of(std::span<const Count> samples) {
  std::vector<std::int64_t> sorted;
  for (const Count& sample : samples) {
    if (!sample) return std::nullopt;
    sorted.push_back(*sample);
  }
  if (sorted.empty()) return std::nullopt;
  std::sort(sorted.begin(), sorted.end());
  // Nearest rank of p per cent: the ceil(p/100 * n)-th sample, in whole numbers so that no rounding creeps in.
  const auto rank = [&](std::size_t per_cent) { return sorted[(per_cent * sorted.size() + 99) / 100 - 1]; };
  return Spread{sorted.front(), rank(50), rank(95), sorted.back()};
}

CounterSpreads spreads_of(std::span<const Counters> samples) {
  CounterSpreads spreads;
  for (std::size_t i = 0; i < kCounterCount; ++i) {
    std::vector<Count> column;
    for (const Counters& sample : samples) column.push_back(sample.values[i]);
    spreads.values[i] = spread_of(column);
  }
  return spreads;
}

}  // namespace zerostall
