// Stage 8 of the route, for `zerostall diff`: what differs between two sides of one or more runs each. Counts exactly,
// times as distributions. Definitions: metrics.md, "Runs". Judges nothing.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/analyze/statistics.h"
#include "profiler/analyze/summary.h"

namespace zerostall {

// What one sample of a count is.
enum class Basis : std::uint8_t {
  step,  // a judged step of any run of the side
  run,   // a whole run: where a side has no judged step
};
std::string_view name_of(Basis basis);  // "step"

struct CountFigure {
  std::int64_t samples = 0;
  std::int64_t sum = 0;
  std::optional<Spread> spread;  // nullopt: only the sum is known
};

// Nullopt = unknown.
struct CounterChange {
  Counter counter = Counter::waits;
  std::optional<CountFigure> a, b;
  std::optional<bool> same;
};

// Something that is counted, on both sides. `sizes` > 1: rows that differ in their size alone, which were too many.
struct ItemChange {
  std::string place;  // where in the program, for a person; "" = not known
  std::string cause;  // slug, where it is one; "" = not told. Not part of what rows are matched by
  std::string what;   // "cudaMemcpyAsync 512 B host to device + cudaStreamSynchronize"
  std::int64_t sizes = 1;
  CountFigure a, b;
};

// Those that change most first.
struct Changes {
  std::vector<ItemChange> gone, added, changed;
  std::vector<ItemChange> resized;  // as often, of another size: "cudaMemcpyAsync 984 → 3920 B device to host"
  std::vector<ItemChange> same;
};

// What places waits were matched by, besides what they are.
enum class Places : std::uint8_t {
  none,
  operators,  // the outermost operator
  functions,  // file and function of the innermost frame that is no library's, never its line number
  lines,      // and the text of that line, where it is known of every wait on both sides
};
std::string_view name_of(Places places);  // "functions"

enum class TimeVerdict : std::uint8_t { cannot_tell, no_difference, shorter, longer };
std::string_view name_of(TimeVerdict verdict);  // "shorter": b than a

struct TimeChange {
  std::string_view key;            // "step_ns", "blocked_ns", "avoidable_idle_ns"
  std::optional<TimeSpread> a, b;  // over steady steps
  std::optional<Nanos> difference;
  std::optional<Interval> interval;
  std::optional<RankTest> test;
  TimeVerdict verdict = TimeVerdict::cannot_tell;
};

struct Times {
  std::string why_not;  // why times are not compared; "" = they are
  bool modelled = false;
  std::vector<TimeChange> rows;  // step first; empty: not even shown side by side
};

enum class CountsVerdict : std::uint8_t {
  equal,  // every count of the judged steps, and every kind of wait but for its size
  differ,
  cannot_tell,  // what is known is equal, and some of it is not known
};
std::string_view name_of(CountsVerdict verdict);  // "cannot-tell"

struct Comparison {
  Basis basis = Basis::step;
  bool simulated_against_measured = false;
  std::vector<std::string> reasons;  // why the sides are not comparable; none = they are
  std::vector<std::string> notes;    // what to keep in mind all the same
  CountsVerdict verdict = CountsVerdict::equal;
  std::vector<CounterChange> counters;                                       // every counter, in the order of output
  CounterChange kernels;                                                     // on the GPU; `counter` means nothing
  std::optional<double> waits_per_1000_kernels_a, waits_per_1000_kernels_b;  // as a longer run has more of both
  CounterChange outside, background;  // waits of whole runs: in no step; in steps, of other threads
  Places places = Places::none;
  Changes waits;   // host waits
  Changes copies;  // calls
  Times times;
};

// How reasons and notes call the sides. `losses`: notes say that traces are cut off and records lost; else the caller
// does.
struct SideWords {
  std::string_view a = "A", b = "B", both = "A and B", runs_of_a = "the runs of A", runs_of_b = "the runs of B";
  bool losses = true;
};
inline constexpr SideWords kBeforeAndAfter = {"the run before",  "the run after",  "both runs",
                                              "the runs before", "the runs after", false};

// Total, and the order of runs on a side changes nothing. An empty side compares as a run without CUDA calls.
Comparison compare_runs(std::span<const RunSummary> a, std::span<const RunSummary> b, const SideWords& words = {});

// What the GPU would not have idled, had no wait of the step blocked; nullopt where it is not known of one of them.
Count avoidable_idle(const StepRow& step);

// Whether equality of counts asks for this counter: it follows from the calls alone, not from times, and is in totals.
bool is_exact(Counter counter);

}  // namespace zerostall
