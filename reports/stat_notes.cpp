#include "reports/stat_notes.h"

#include <fmt/format.h>

#include "profiler/base/printable.h"
#include "profiler/base/strings.h"
#include "reports/oddities.h"
#include "reports/words.h"

namespace zerostall {
namespace {

// "launch 90 ns, stream_sync 2.1 us".
std::string costs_by_kind(const RunSummary& run) {
  std::string text;
  for (const auto& [kind, cost] : run.meta.own_cost)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind, show_time(cost.ns / cost.samples));
  return text;
}

// What the tracer's own work took: of the judged steps, where there are any.
std::string own_cost_line(const RunSummary& run) {
  if (run.meta.own_cost.empty()) return {};
  std::vector<Count> taken;
  Nanos own = 0, all = 0;
  for (const StepRow& step : run.steps) {
    if (!step.judged || !step.own_cost_ns) continue;
    taken.push_back(*step.own_cost_ns);
    own = add_up(own, *step.own_cost_ns);
    all += step.end_ns - step.begin_ns;
  }
  const std::string calls = fmt::format("by call: {}; CUPTI's own part is not in it", costs_by_kind(run));
  const auto spread = spread_of(taken);
  if (!spread) return "the tracer's own work, " + calls;
  const std::string share = run.meta.clock == Clock::modelled
                                ? " (real time: modelled times are without it)"
                                : fmt::format(", {:.1f} % of it{}", all > 0 ? 100.0 * double(own) / double(all) : 0.0,
                                              run.corrected ? "; waits are shown without it" : "");
  return fmt::format("the tracer's own work took {} of a judged step{}; {}", show_time(spread->median), share, calls);
}

std::string who_recorded(const TraceMeta& meta) {
  return meta.format == "nsys" ? "Nsight Systems: " : meta.format == "kineto" ? "profiler: " : "tracer: ";
}

}  // namespace

std::string notes_of(const RunSummary& run) {
  std::string text;
  const auto add = [&](const std::string& line) { text += (text.empty() ? "\n" : "") + printable(line) + "\n"; };
  if (run.truncated)
    add(fmt::format("the trace is {}: figures cover the part before that; whether the GPU ran dry is unknown",
                    describe(run.end)));
  if (run.meta.counts_only) add("recorded with --counts-only: what ran on the GPU, and whether it ran dry, is unknown");
  if (run.lost > 0) add(counted(run.lost, "record") + " of GPU work lost: whether the GPU ran dry is unknown");
  if (const std::string between = between_sentence(run); !between.empty()) add(between);
  for (const auto& [name, count] : run.unsupported)
    add(fmt::format("not supported by the simulated GPU: {} ({} times)", name, count));
  for (const auto& [name, count] : run.unknown)
    add(fmt::format("this version of zerostall does not know {}: whether its {} waited is unknown", name,
                    counted(count, "call")));
  if (!run.meta.unknown_apis.empty())
    add(fmt::format("this CUPTI has {} that this version of zerostall does not know ({}): a newer one may",
                    counted(static_cast<std::int64_t>(run.meta.unknown_apis.size()), "function"),
                    join(run.meta.unknown_apis, ", ")));
  if (run.gpu_work.graphs > 0)
    add(fmt::format("graph launches recorded as a whole: {}; the kernels, copies and memsets in them are not counted",
                    run.gpu_work.graphs));
  if (run.unreal_readbacks.total > 0)
    add(fmt::format(
        "{} had no real value (simulated GPU), {} of them in judged steps; waits behind branches on them were not seen",
        counted(run.unreal_readbacks.total, "read-back"), run.unreal_readbacks.judged));
  if (run.times_repeatable == false) add(not_repeatable_sentence(run.meta));
  if (!run.other_step_names.empty())
    add(fmt::format("ranges called '{}' may be steps too, and were not taken as such: --step-pattern REGEX takes them",
                    join(run.other_step_names, "', '")));
  for (const std::string& problem : run.tool_problems) add(who_recorded(run.meta) + problem);
  for (const std::string& warning : run.warnings) add(who_recorded(run.meta) + warning);
  if (const std::string line = own_cost_line(run); !line.empty()) add(line);
  for (const auto& [name, count] : run.oddities) add(oddity_sentence(name, count));
  if (run.steps_confidence) add("steps are inferred, not marked; to be certain, " + how_to_mark_steps(run.meta));
  if (run.steps.empty() && run.has_cuda_calls && !run.oddities.contains("unclosed_steps"))
    add("no steps are marked: " + how_to_mark_steps(run.meta) + ", and waits are counted per step");
  return text;
}

}  // namespace zerostall
