// What a program did when its waits were last agreed to: per process, per counter and per place. A JSON file that is
// read in reviews (baseline_file.h), or made from a trace. What is judged against it must not have more.
//
// Nothing is compared that a deterministic program would not show again whatever the number of its steps: what happens
// once in K steps may be seen once more or less, and two such things may fall into the same step for the first time.
// Rules: baseline_count.h.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/analyze/summary.h"
#include "profiler/gate/allow.h"
#include "profiler/gate/check.h"
#include "profiler/gate/doubts.h"

namespace zerostall {

// Of a count, over the judged steps.
struct BaselineCount {
  std::int64_t max = 0;  // per step
  std::int64_t sum = 0;  // over all
  std::int64_t min = 0;  // per step
  bool operator==(const BaselineCount&) const = default;
};
using BaselineCounts = std::map<std::string, BaselineCount>;  // by Metric::key

// Places of one id are one.
struct BaselineSite {
  std::string id;     // Site::id
  std::string place;  // without line, offset and kernel: for people, and for lines that were edited
  std::string cause;  // slug
  std::string what;   // kind of wait most seen there
  BaselineCount waits;
  bool operator==(const BaselineSite&) const = default;
};

struct BaselineProcess {
  std::optional<std::int64_t> rank;
  std::int64_t judged = 0;                        // steps
  std::optional<std::int64_t> kernels;            // per judged step, the median; nullopt = unknown
  BaselineCounts counts;                          // exact counters only, 0s too; what is unknown is left out
  std::map<std::string, BaselineCounts> regions;  // by name: the same
  std::vector<BaselineSite> sites;                // with waits in judged steps; by place, cause, what, id
  bool operator==(const BaselineProcess&) const = default;
};

struct Baseline {
  std::string file;        // where it was read from; "" = made here
  std::string doubt;       // why a run that it was made from is no measure: "the trace is cut off"; "" = none
  std::string device;      // "simulated H200": part of what must be the same
  std::string steps_from;  // "marks"
  std::int64_t warmup = 2;
  std::optional<std::int64_t> world_size;
  std::map<std::string, std::string> versions;  // "tool", "program", ...: not judged; told beside a changed count
  std::vector<BaselineProcess> processes;       // by rank
  bool operator==(const Baseline&) const = default;
};

// Of the processes of one recording, in any order. Waits that are allowed count here like the others: a policy may
// change. What `doubts_of` finds in a run is the baseline's doubt.
Baseline make_baseline(std::span<const CheckedRun> runs, std::int64_t fewest_steps, StepsWanted wanted);

// Of several runs of one program, each a baseline: a count may be as large as in any of them. Without runs empty; where
// they do not fit together, that is its doubt.
Baseline merged(std::span<const Baseline> runs);

// Adds what the baseline has to say to the report: findings (new place, more waits than before, more often),
// `improved` findings (warnings, unless the policy makes them violations), rows of before and after, notes on versions
// and edited lines; sets CheckReport::baseline. A baseline of another device, other sizes (kernels per step differ by
// more than a tenth), other steps, less warm-up than it has, or other ranks is "cannot tell", with the reason, and that
// process is not compared. So is what happens only in steps later than any the baseline's run had. Of a run that is
// incomplete only what is more is certain. Runs that cannot be judged at all (`Doubts::hopeless`) are left to `check`.
// Where steps are inferred, and wanted, a wait may fall on either side of a step's edge: then places and sums are
// compared, and not the most of one step. `allowed` is parallel to `runs`: waits let pass are not too many here.
void judge_baseline(const Policy& policy, const Baseline& baseline, std::span<const CheckedRun> runs,
                    std::span<const AllowedWaits> allowed, CheckReport& report);

// Why two baselines cannot be compared, naming both values and what to do; "" = they can.
std::string why_not_comparable(const Baseline& before, const Baseline& now);

// A figure that differs between two baselines.
struct BaselineChange {
  std::string process;                       // "rank 1"; "" = there is but one
  std::string name;                          // "stream syncs in region train", "train.py in step (scalar-read)"
  std::optional<BaselineCount> before, now;  // nullopt: not there
  std::int64_t before_steps = 0, now_steps = 0;
  bool worse = false;
};
// Of comparable ones. Those that are worse first. What only a longer or shorter run differs by is no change.
std::vector<BaselineChange> changes_between(const Baseline& before, const Baseline& now);

// The ratchet: what `zerostall baseline update` writes. What improved is taken over, what got worse is not, unless
// `accept_more`. A process in which nothing changed stays as it is, to the byte. `now` itself where the two are not
// comparable.
Baseline tightened(const Baseline& old, const Baseline& now, bool accept_more);

}  // namespace zerostall
