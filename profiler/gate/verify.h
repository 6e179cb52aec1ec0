// Does each fix remove exactly what it claims? A pure function over the summaries of the runs; metrics.md, "Verdicts".
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/analyze/summary.h"
#include "profiler/gate/doubts.h"
#include "profiler/gate/verdict.h"

namespace zerostall {

// Counts per step that a claim is about.
struct Shares {
  std::int64_t waits = 0, stream_syncs = 0, event_syncs = 0, h2d_stalls = 0;
};

struct FixClaim {
  std::string name;
  Shares removes;  // per step, from `region`; negative = it adds
  bool in_baseline =
      true;  // the run without fixes shows what it removes (false: a variant of a fix that is listed too)
  std::string region = "train";
};

// Waits that stay whatever fixes are on.
struct RestClaim {
  std::string region;
  Shares stays;
  std::string reason;
};

// What was promised, and how the promise is put to the test.
struct VerifyPlan {
  std::string scenario, size, device;  // as on the command line: "flux2", "klein-9b", "sim:h200"
  std::string title;                   // "FLUX.2 klein-9B, W8A8 LoRA r16, batch 2, 512 px"
  std::string device_title;            // "simulated H200"
  std::vector<std::string> settings;   // of the run, beside the plain step: {"ema=cpu"}
  std::int64_t batch = 0, accum = 1, steps = 0, warmup = 0;
  std::string region = "train";     // where the wanted work is; the first to be shown
  std::vector<std::string> listed;  // regions whose waits are listed, not judged: what happens between updates
  std::vector<FixClaim> claims;
  std::vector<RestClaim> rest;
};

struct VerifyRun {
  std::vector<std::string> fixes;  // empty = without fixes
  RunSummary summary;
};

struct VerifyReport {
  VerifyPlan plan;
  std::vector<VerifyRun> runs;
  Judgement judgement;
};

// Passes only if in every judged step of every run each counter of Shares is exactly as claimed: in the plan's region,
// in each region of the rest, and outside of those. More than claimed is a violation even where records were lost;
// every other difference in an incomplete run is "cannot tell".
Judgement judge_verify(const VerifyPlan& plan, const std::vector<VerifyRun>& runs);

// "no fix", "bn-pinning + async-loss".
std::string setting_name(const std::vector<std::string>& fixes);

}  // namespace zerostall
