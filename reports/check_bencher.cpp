#include "reports/check_bencher.h"

#include <algorithm>

#include "reports/check_words.h"
#include "reports/json_parts.h"

namespace zerostall {
namespace {

// Bencher's limit for the name of a measure is 64 characters, for that of a benchmark 1,024.
std::string measure_of(const CounterInfo& info, bool modelled) {
  std::string name(info.key);
  if (info.is_time) name = name.substr(0, name.size() - 3);  // "_ns"
  std::replace(name.begin(), name.end(), '_', '-');
  name += "-per-step";
  if (info.is_time) name += modelled ? "-ns-modelled" : "-ns";
  return name;
}

Json measures_of(const RunSummary& run) {
  Json json = Json::object();
  for (const CounterInfo& info : all_counters())
    if (const auto& spread = run.per_step[info.counter])
      json[measure_of(info, run.meta.clock == Clock::modelled)] = {
          {"value", spread->median}, {"lower_value", spread->min}, {"upper_value", spread->max}};
  return json;
}

}  // namespace

std::string render_check_bencher(std::span<const CheckedRun> runs) {
  Json json = Json::object();
  for (const CheckedRun& run : runs) {
    if (run.summary == nullptr || !run.summary->complete() || run.summary->judged() == 0) continue;
    json[run.name.empty() ? "zerostall" : "zerostall " + inert(run.name, kMostCharacters)] = measures_of(*run.summary);
  }
  return to_text(json);
}

}  // namespace zerostall
