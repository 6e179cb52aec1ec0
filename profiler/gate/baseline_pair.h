// A process of the baseline beside what became of it. For the parts of `judge_baseline`; nobody else includes it.
#pragma once
#include <string>
#include <vector>

#include "profiler/gate/baseline_parts.h"
#include "profiler/gate/check_parts.h"

namespace zerostall::gate {

struct Pair {
  const Policy& policy;
  const Baseline& baseline;
  const BaselineProcess& before;
  const CheckedRun& run;
  BaselineProcess now;             // without what is allowed
  BaselineProcess covered;         // the same, up to the last step that the baseline's run had
  BaselineProcess all;             // with what is allowed, which the baseline has too
  std::vector<SiteMatch> matches;  // of now.sites
  bool by_step = true;
  bool incomplete = false;

  std::int64_t steps_before() const { return before.judged; }
  CountRule site_rule() const { return {0, 0, by_step}; }
  CountRule counter_rule() const { return {room_of(before), room_of(all), by_step}; }
};

// Null = there is none of that id.
const BaselineSite* find_site(const BaselineProcess& process, const std::string& id);
// "train.py:31 in step (scalar-read)", as the place is now.
std::string place_now(const Pair& pair, const BaselineSite& now);

// What is more: at places; where none is, by counters; where those of the step are not, by region.
void judge_more(const Pair& pair, CheckReport& report);
// What is fewer, the same way but for regions.
void judge_fewer(const Pair& pair, CheckReport& report);
// Figures before and now, and what there is to know about the comparison.
void add_rows(const Pair& pair, CheckReport& report);
void add_notes(const Pair& pair, CheckReport& report);

}  // namespace zerostall::gate
