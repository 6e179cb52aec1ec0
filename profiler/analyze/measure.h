// Stage 5 of the route: what happened in each step, in each of its regions, beside it, in unclosed steps, and outside.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/analyze/counters.h"
#include "profiler/analyze/steps.h"
#include "profiler/analyze/waits.h"

namespace zerostall {

struct RegionStats {
  std::string_view name;
  Counters counters;
};

struct StepStats {
  Counters counters;                 // marking thread, and threads that launched kernels during the step
  std::vector<RegionStats> regions;  // every region name of the trace, by first appearance; sums of equal names
  std::vector<std::uint32_t> waits;  // host waits counted in `counters`, as positions in the list of waits
  Counters background;               // during the step, on threads that do not work for it
  std::int64_t launches = 0;         // calls that give the GPU work, by any thread
  bool grew = false;                 // a module was loaded or device memory taken
  Nanos implicit_ns = 0;             // time in the calls of Counter::implicit
};

struct Measured {
  std::vector<StepStats> steps;      // one per step
  Counters background;               // during steps, on threads that did not work for them
  Counters unclosed;                 // in a step that was never closed
  Counters outside;                  // in no step
  std::vector<RegionStats> between;  // of `outside`, what lies in a region of Steps::between, by first appearance
  std::vector<Counters> threads;     // all of each thread, in order of Trace::threads; blocked_ns is its own
};

// A call belongs to the step in which it begins, a wait to that of the call that blocks (Wait::blocks_ns), each with
// its whole duration. Total; no steps = all is outside.
Measured measure_steps(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits);

// Which threads work for a step: the marking thread, and those that launch kernels in it (autograd). Threads that only
// copy or wait (loaders, loggers) do not.
class Workers {
 public:
  Workers(const Trace& trace, const Steps& steps);
  bool works(ThreadIndex thread, std::size_t step) const { return working_[thread * steps_ + step]; }

 private:
  std::size_t steps_ = 0;
  std::vector<bool> working_;
};

// Where a moment on a thread is counted.
enum class Where : std::uint8_t {
  step,
  background,  // in a step, on a thread that does not work for it
  unclosed,
  outside
};
std::string_view name_of(Where where);

struct StepPlace {
  Where where = Where::outside;
  std::optional<std::size_t> step;  // position of the step that holds the moment; of background too
};
StepPlace step_place_of(const Steps& steps, const Workers& workers, ThreadIndex thread, Nanos time);

// Names of the regions of the step that hold this moment, outer first.
std::vector<std::string> regions_at(const Step& step, Nanos time);

}  // namespace zerostall
