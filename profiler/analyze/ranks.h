// Several processes of one job side by side: what each of them waits, who is slow by its own doing, and what only some
// wait for. Clocks of processes are never compared: only counts and durations.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/analyze/statistics.h"
#include "profiler/analyze/summary.h"

namespace zerostall {

struct RankRun {
  std::string name;  // of the process, beside the others
  const RunSummary* run = nullptr;
};

// Positions are those in the runs that were given.
struct RankRow {
  bool compared = false;              // it has judged steps, and runs what most of the others run
  std::int64_t steady = 0;            // steps
  std::optional<std::int64_t> waits;  // median of its judged steps, as `blocked_ns`
  std::optional<Nanos> blocked_ns;
  std::optional<Nanos> step_ns;                 // median of its steady steps
  std::optional<TimeSpread> gpu_own, host_own;  // over its steady steps: OwnTimes
};

struct Straggler {
  std::size_t process = 0;
  Nanos own_ns = 0;     // its median
  Nanos others_ns = 0;  // the median of the others' medians
};

// With collectives every rank's step takes as long as the slowest's: so what is compared is the part of a step that a
// rank does not spend waiting.
struct OwnTimes {
  std::string why_not;                // why it is not compared; "" = it is
  std::optional<Spread> own_ns;       // of the medians of the ranks that were compared
  std::vector<Straggler> stragglers;  // by how much they are slower: by more than 5 %, and than steps vary
};

// A place where some of the compared ranks wait in judged steps, and others never do.
struct SiteOfSome {
  std::string id, place, what;  // as Site has them
  CauseKind cause = CauseKind::unknown;
  std::vector<std::size_t> processes;
  std::optional<Spread> per_step;  // least of these ranks, median of their medians, most of them
};

struct Ranks {
  std::vector<RankRow> rows;  // one per run, in their order
  std::size_t compared = 0;
  bool modelled = false;                             // times are
  std::optional<Spread> waits, blocked_ns, step_ns;  // of the medians of the compared ranks; nullopt: none is known
  OwnTimes gpu;                                      // GPU work launched in a step, without collectives
  OwnTimes host;                                     // of a step's time, what is no wait for the GPU
  std::vector<SiteOfSome> sites;                     // of fewest ranks first, then those with most waits
  std::vector<std::string> notes;                    // what to keep in mind: ranks that are cut off, or missing
};

// Total. Which run stands where changes nothing but positions. Fewer than two runs that can be compared give rows only.
Ranks compare_ranks(std::span<const RankRun> runs);

}  // namespace zerostall
