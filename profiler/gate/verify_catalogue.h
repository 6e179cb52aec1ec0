// Does each scenario of the catalogue wait as often, and for the cause, that it is made for; do its fixed twin and its
// near miss not? A pure function over the summaries of the runs.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/analyze/summary.h"
#include "profiler/gate/verdict.h"

namespace zerostall {

// What one variant of a class must show in each judged step.
struct CatalogueClaim {
  std::string scenario, variant;  // "scalar-read", "near-miss"
  std::int64_t waits = 0;         // host waits
  std::int64_t memory_calls = 0;  // calls that take or give back memory, in no total of waits
  std::string cause;              // slug that the analysis must name for all of them; "" = there are none
  std::string why;                // of a near miss: why it is none, or is of another class
};

struct CatalogueRun {
  CatalogueClaim claim;
  RunSummary summary;
};

// A cause that the analysis names for waits in judged steps, or for memory calls there.
struct CauseFound {
  CauseKind kind = CauseKind::unknown;
  Confidence confidence = Confidence::low;  // the surest place's
  std::string evidence;                     // that place's
  std::int64_t judged = 0;                  // waits or calls in judged steps
};
// Those with most first.
std::vector<CauseFound> causes_found(const RunSummary& run);

struct CatalogueReport {
  std::string device, device_title;  // "sim:h200", "simulated H200"
  std::int64_t steps = 0, warmup = 0;
  std::vector<CatalogueRun> runs;   // variants of one scenario in a row
  std::vector<Judgement> verdicts;  // one per run
};

// Passes only if in every judged step there are exactly as many waits and memory calls as claimed, and each of them is
// of the claimed cause. More than claimed is a violation even where records were lost; every other difference in an
// incomplete run is "cannot tell". Reasons do not name the run.
Judgement judge_catalogue_run(const CatalogueClaim& claim, const RunSummary& run);

// The worst of all runs; of none: cannot tell.
Verdict verdict_of(const CatalogueReport& report);

}  // namespace zerostall
