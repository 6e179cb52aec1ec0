// Waits grouped by the place in the program that they come from, and why.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/analyze/causes.h"
#include "profiler/analyze/measure.h"
#include "profiler/analyze/wait_costs.h"

namespace zerostall {

// How much is known of the place, most first.
enum class SiteFrom : std::uint8_t {
  own_line,      // a line or function of the user's own
  library_line,  // of a library: nothing of the user's own is in the stack
  op,            // an operator of the framework: no Python was recorded
  native,        // a native library
  region,        // the NVTX regions around it
  position,      // what ran before it
};

std::string_view name_of(SiteFrom from);  // "own_line"

struct Site {
  std::string id;  // of file, function, cause and text of the line: the line's number may change
  SiteFrom from = SiteFrom::position;
  std::string place;               // what a person sees: "train.py:31 in step", "aten::nonzero", "after kernel gemm"
  std::string file;                // "" = not known
  std::string function;            // "" = not known
  std::uint32_t line = 0;          // 0 = not known
  std::string source;              // text of the line, stripped; "" = not known
  std::string via;                 // the outermost library frame inside it: "torch/nn/utils/clip_grad.py:93"; "" = none
  std::string during;              // of a thread without Python frames, what the marking thread was doing then:
                                   // "during train.py:91 in step"; no part of what makes two runs' sites the same
  std::string kernel;              // of places by region or position: launched last before the wait; "" = none
  std::string what;                // the kind of wait most seen there: "cudaMemcpyAsync 4 B device to host + ..."
  std::int64_t kinds = 1;          // of waits seen there
  Cause cause;                     // of the waits there the surest
  bool of_the_tool = false;        // what recorded the trace waits there, not the program
  std::int64_t count = 0;          // host waits in the whole trace
  std::int64_t judged = 0;         // in judged steps
  std::optional<Spread> per_step;  // over judged steps; nullopt without any
  std::optional<std::int64_t> drains;  // of all; nullopt = not known
  Nanos blocked_ns = 0;                // in all of them
  std::optional<Nanos> avoidable_ns;   // idle time of the GPU, of all of them; nullopt = not known
};

struct FoundSites {
  std::vector<Site> sites;
  std::vector<std::uint32_t> of_wait;  // one per wait: position in `sites`; kNoSite of those that are no host waits
};
inline constexpr std::uint32_t kNoSite = 0xffffffffu;

// Of host waits; `costs`: of the same waits, null = not known. What to look at first comes first: where times are
// measured the places whose waits cost most avoidable idle time, then those with most waits in judged steps, that drain
// most, with most in all.
FoundSites find_sites(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits,
                      const std::vector<Cause>& causes, const Measured& measured, std::size_t warmup,
                      const SourceTexts& sources = {}, const WaitCosts* costs = nullptr);

// The same of calls that take and give back memory: they may wait for the device, nobody can tell from outside, and
// they are in no total. `judged` and `per_step`: of all threads.
std::vector<Site> find_implicit_sites(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits,
                                      const std::vector<Cause>& causes, std::size_t warmup,
                                      const SourceTexts& sources = {});

// The place and what is known of the moment, for a person: "aten::item, during train.py:91 in step".
std::string shown_place(const Site& site);
// That order: whether `a` comes before `b`; neither where they are equal.
bool comes_before(const Site& a, const Site& b, Clock clock);

}  // namespace zerostall
