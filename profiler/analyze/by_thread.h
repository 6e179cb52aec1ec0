// The same waits by the thread that waits.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profiler/analyze/measure.h"
#include "profiler/analyze/wait_costs.h"

namespace zerostall {

// What a thread is for the steps, first that holds.
enum class ThreadRole : std::uint8_t {
  marks,       // the steps are its own
  works,       // launches work for a step (autograd)
  background,  // makes calls during steps (loaders, loggers)
  outside,     // none during a step; all threads, where there are no steps
};
std::string_view name_of(ThreadRole role);  // "marks"

struct ThreadRow {
  std::uint32_t id = 0;  // the system's
  ThreadRole role = ThreadRole::outside;
  std::int64_t calls = 0;             // of CUDA, all that were recorded
  Counters counters;                  // of the whole trace; blocked_ns: of its own waits, whatever the thread is
  std::optional<Spread> per_step;     // host waits in judged steps; nullopt without any
  std::optional<Nanos> avoidable_ns;  // idle time of the GPU, of all its waits; nullopt = not known
};

// Every thread that made calls, by role, then those with most waits, then by id. `warmup`: steps that are not judged.
std::vector<ThreadRow> find_threads(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits,
                                    const Measured& measured, std::size_t warmup, const WaitCosts* costs = nullptr);

}  // namespace zerostall
