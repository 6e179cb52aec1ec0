// The counters of metrics.md, as one record that can be added, compared and printed without naming each.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "profiler/base/units.h"

namespace zerostall {

// A number that may be unknown; unknown is never 0, and what is added to unknown stays unknown.
using Count = std::optional<std::int64_t>;

enum class Counter : std::uint8_t {
  waits,             // host waits
  drains,            // waits at whose return the device had no work left; unknown without complete GPU records
  stream_syncs,      // outermost calls
  event_syncs,       // outermost calls
  device_syncs,      // outermost calls
  blocking_copies,   // outermost calls
  blocking_memsets,  // outermost calls
  h2d_stalls,        // waits with a host-to-device copy
  blocked_ns,        // union of the waits; of a step: on its marking thread
  h2d_stall_ns,      // time of h2d_stalls
  // Reported apart, in no total above:
  implicit,                  // allocation and registration calls
  spins,                     // polling loops
  queue_full,                // launches that blocked on a full launch queue
  unknown_copies,            // outermost copies of which it is not known whether they block
  unknown_waits,             // those of them that no sync follows: each may be a wait or not
  failed,                    // waits of which a call returned an error; they count above too
  idle_waits,                // waits that found their GPU work done already; they count above too; unknown like drains
  blocked_other_threads_ns,  // of a step: waits of its threads but the marking one, summed over those threads
};
inline constexpr std::size_t kCounterCount = 18;

struct CounterInfo {
  Counter counter;
  std::string_view key;  // in JSON
  bool is_time = false;  // nanoseconds
};

// Every counter, in the order of output.
std::span<const CounterInfo> all_counters();

struct Counters {
  std::array<Count, kCounterCount> values;

  Counters() { values.fill(0); }
  Count& operator[](Counter counter) { return values[static_cast<std::size_t>(counter)]; }
  const Count& operator[](Counter counter) const { return values[static_cast<std::size_t>(counter)]; }
  void add(Counter counter, Count amount = 1);
  void add(const Counters& other);
  bool operator==(const Counters&) const = default;
};

// Distribution of whole numbers, by nearest rank: each figure is one of the samples.
struct Spread {
  std::int64_t min = 0, median = 0, p95 = 0, max = 0;
  bool operator==(const Spread&) const = default;
};

// Nullopt for no samples, or when one of them is unknown.
std::optional<Spread> spread_of(std::span<const Count> samples);

// The same for each counter of several records.
struct CounterSpreads {
  std::array<std::optional<Spread>, kCounterCount> values;
  const std::optional<Spread>& operator[](Counter counter) const { return values[static_cast<std::size_t>(counter)]; }
};
CounterSpreads spreads_of(std::span<const Counters> samples);

}  // namespace zerostall
