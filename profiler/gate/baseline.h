// What a program did when its waits were last agreed to: per process, per counter and per place. A JSON file that is
// read in reviews (baseline_file.h), or made from a trace. What is judged against it must not have more.
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

namespace zerostall {

// Of a count, over the judged steps.
struct BaselineCount {
  std::int64_t max = 0;  // per step
  std::int64_t sum = 0;  // over all
  bool operator==(const BaselineCount&) const = default;
};

struct BaselineSite {
  std::string id;     // Site::id
  std::string place;  // Site::place without the line's number, for people, and for places whose line was edited
  std::string cause;  // slug
  std::string what;   // kind of wait most seen there
  BaselineCount waits;
  bool operator==(const BaselineSite&) const = default;
};

struct BaselineProcess {
  std::optional<std::int64_t> rank;
  std::int64_t judged = 0;                      // steps
  std::optional<std::int64_t> kernels;          // per judged step, the median; nullopt = unknown
  std::map<std::string, BaselineCount> counts;  // by Metric::key; exact counters only, 0s too
  std::map<std::string, std::map<std::string, BaselineCount>> regions;  // by name: the same
  std::vector<BaselineSite> sites;  // with waits in judged steps; by place, cause, id
  bool operator==(const BaselineProcess&) const = default;
};

struct Baseline {
  std::string file;        // where it was read from; "" = made here
  std::string device;      // "simulated H200": part of what must be the same
  std::string steps_from;  // "marks"
  std::int64_t warmup = 2;
  std::optional<std::int64_t> world_size;
  std::map<std::string, std::string> versions;  // "zerostall", "tool", ...: not judged; told beside a changed count
  std::vector<BaselineProcess> processes;       // by rank
  bool operator==(const Baseline&) const = default;
};

// Of the processes of one recording. Waits that are allowed count here like the others: a policy may change.
Baseline make_baseline(std::span<const CheckedRun> runs);

// Adds what the baseline has to say to the report: findings (new place, more waits than before, more often: the sum
// over the judged steps is more than the baseline's rate allows, with one step's worth to spare for where a run ends),
// `improved` findings, rows of before and after, notes on versions. A baseline of another device, other sizes (kernels
// per step differ by more than a tenth), other steps or number of processes is "cannot tell", with the reason, and
// nothing else is compared. `allowed` is parallel to `runs`: waits let pass do not count on this side.
void judge_baseline(const Policy& policy, const Baseline& baseline, std::span<const CheckedRun> runs,
                    std::span<const AllowedWaits> allowed, CheckReport& report);

// The ratchet: what `zerostall baseline update` writes. What improved is taken over, what got worse is not, unless
// `accept_more`; without an old one, `now`.
Baseline tightened(const Baseline& old, const Baseline& now, bool accept_more);

}  // namespace zerostall
