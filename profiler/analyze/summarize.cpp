#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "profiler/analyze/analyzed.h"
#include "profiler/analyze/own_cost.h"
#include "profiler/analyze/own_work.h"
#include "profiler/analyze/summary.h"
#include "profiler/trace/build_trace.h"

namespace zerostall {
namespace {

constexpr std::size_t kMostPossible = 12;  // regions that are named to choose from

WaitSeen seen(const Trace& trace, const Step& step, const Wait& wait, std::uint32_t site) {
  WaitSeen seen{regions_at(step, wait.blocks_ns), describe(trace, wait), wait.kind, wait.host_to_device};
  seen.blocking_copy = wait.copy != kNoIndex && is_blocking_copy(trace.calls[wait.copy]);
  seen.on_marking_thread = wait.thread == step.thread;
  seen.failed = wait.failed;
  seen.drains = wait.drains;
  seen.idle = wait.idle;
  seen.time_ns = wait.end_ns - wait.begin_ns;
  seen.site = site;
  return seen;
}

bool has_region(const Step& step, std::string_view name) {
  return std::any_of(step.regions.begin(), step.regions.end(), [&](const Region& r) { return r.name == name; });
}

StepRow make_row(const Trace& trace, const Step& step, const StepStats& stats, const std::vector<Wait>& waits,
                 const std::vector<std::uint32_t>& site_of, bool judged) {
  StepRow row;
  row.number = step.number;
  row.begin_ns = step.begin_ns;
  row.end_ns = step.end_ns;
  row.judged = judged;
  row.unsteady = judged && stats.grew;
  row.counters = stats.counters;
  row.implicit_ns = stats.implicit_ns;
  for (const RegionStats& region : stats.regions)
    row.regions.push_back({std::string(region.name), region.counters, has_region(step, region.name)});
  row.background = stats.background;
  row.launches = stats.launches;
  for (const std::uint32_t i : stats.waits) row.waits.push_back(seen(trace, step, waits[i], site_of[i]));
  return row;
}

void add_steps(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits, const Measured& measured,
               const std::vector<std::uint32_t>& site_of, RunSummary& run) {
  for (std::size_t i = 0; i < steps.steps.size(); ++i) {
    const bool judged = static_cast<std::int64_t>(i) >= run.warmup;
    run.steps.push_back(make_row(trace, steps.steps[i], measured.steps[i], waits, site_of, judged));
    run.totals.add(measured.steps[i].counters);
  }
  run.background = measured.background;
  run.unclosed = measured.unclosed;
  run.outside = measured.outside;
  for (const RegionStats& region : measured.between)
    run.outside_regions.push_back({std::string(region.name), region.counters});
  run.totals.add(run.background);
  run.totals.add(run.unclosed);
  run.totals.add(run.outside);
}

void add_costs(const Steps& steps, const std::vector<Wait>& waits, const Measured& measured,
               const std::optional<WaitCosts>& costs, RunSummary& run) {
  if (!costs) return;
  for (std::size_t i = 0; i < steps.steps.size(); ++i) {
    Nanos effective = 0;
    for (const std::uint32_t wait : measured.steps[i].waits)
      if (waits[wait].thread == steps.steps[i].thread) effective = add_up(effective, costs->waits[wait].effective_ns);
    run.steps[i].effective_ns = effective;
    run.steps[i].gpu_idle = costs->steps[i];
    for (std::size_t w = 0; w < run.steps[i].waits.size(); ++w)
      run.steps[i].waits[w].avoidable_ns = costs->waits[measured.steps[i].waits[w]].avoidable_ns;
  }
}

void add_spreads(RunSummary& run) {
  std::vector<Counters> whole;
  for (const StepRow& step : run.steps)
    if (step.judged) whole.push_back(step.counters);
  run.per_step = spreads_of(whole);
  for (std::size_t r = 0; !run.steps.empty() && r < run.steps.front().regions.size(); ++r) {
    std::vector<Counters> samples;
    for (const StepRow& step : run.steps)
      if (step.judged) samples.push_back(step.regions[r].counters);
    run.regions.push_back({run.steps.front().regions[r].name, spreads_of(samples)});
  }
}

void add_calls(const Trace& trace, RunSummary& run) {
  std::map<StringId, CallRow> rows;
  for (const Call& call : trace.calls) {
    CallRow& row = rows[call.name];
    ++row.count;
    row.nested += call.outermost || call.parent == kNoIndex ? 0 : 1;
    row.failed += call.result != 0;
    row.time_ns = add_up(row.time_ns, call.end_ns - call.begin_ns);
  }
  for (auto& [name, row] : rows) {
    row.name = trace.text(name);
    run.calls.push_back(row);
  }
  std::sort(run.calls.begin(), run.calls.end(), [](const CallRow& a, const CallRow& b) { return a.name < b.name; });
}

GpuWork count_gpu_work(const Trace& trace) {
  std::array<std::int64_t, 4> of_kind{};
  for (const GpuOp& op : trace.gpu_ops) ++of_kind[static_cast<std::size_t>(op.kind)];
  GpuWork work;
  work.graphs = of_kind[static_cast<std::size_t>(GpuOpKind::graph)];
  const auto count = [&](GpuOpKind kind) {
    return work.graphs > 0 || trace.meta.counts_only ? std::nullopt : Count(of_kind[static_cast<std::size_t>(kind)]);
  };
  work.kernels = count(GpuOpKind::kernel);
  work.copies = count(GpuOpKind::copy);
  work.memsets = count(GpuOpKind::memset);
  return work;
}

// Which step a kernel belongs to: the one in which it was launched.
void add_kernels(const Trace& trace, const Steps& steps, RunSummary& run) {
  if (!run.gpu_work.kernels)
    for (StepRow& step : run.steps) step.kernels = std::nullopt;
  if (!run.gpu_work.kernels || run.steps.empty()) return;
  for (const GpuOp& op : trace.gpu_ops)
    if (op.kind == GpuOpKind::kernel)
      if (const auto step = step_at(steps.steps, op.launch_ns)) ++*run.steps[*step].kernels;
}

struct CopyKey {
  CopyDirection direction;
  Bytes bytes;
  MemoryKind host_memory;
  StringId api;
  // Large copies first, so that what costs most is read first.
  auto order() const { return std::tuple(direction, ~bytes, host_memory, api); }
  bool operator<(const CopyKey& other) const { return order() < other.order(); }
};

struct CopyCounts {
  std::int64_t total = 0;
  std::map<std::size_t, std::int64_t>
      in_step;  // steps without any are left out: there may be many sizes and many steps
};

void add_copies(const Trace& trace, const Steps& steps, RunSummary& run) {
  const Workers workers(trace, steps);
  std::map<CopyKey, CopyCounts> found;
  for (const Call& call : trace.calls) {
    if (!call.outermost || call.kind != ApiKind::copy) continue;
    CopyCounts& counts = found[{call.direction, call.bytes, call.host_memory, call.name}];
    ++counts.total;
    const auto step = step_at(steps.steps, call.begin_ns);
    if (step && workers.works(call.thread, *step)) ++counts.in_step[*step];
  }
  const auto warm = std::min<std::size_t>(steps.steps.size(), static_cast<std::size_t>(run.warmup));
  for (const auto& [key, counts] : found) {
    std::vector<Count> per_step(steps.steps.size(), 0);
    for (const auto& [step, count] : counts.in_step) per_step[step] = count;
    const bool has_host = crosses_host(key.direction) || key.direction == CopyDirection::unknown;
    const auto judged = std::span(std::as_const(per_step)).subspan(warm);
    run.copies.push_back({std::string(name_of(key.direction)),
                          has_host ? std::string(name_of(key.host_memory)) : "none", std::string(trace.text(key.api)),
                          key.bytes, counts.total, 0, spread_of(judged)});
    for (const Count& count : judged) run.copies.back().judged += *count;
  }
}

void add_unknown_calls(const Trace& trace, const Steps& steps, RunSummary& run) {
  for (const Call& call : trace.calls) {
    if (!call.unknown) continue;
    const std::string name(trace.text(call.name));
    ++run.unknown[name];
    if (const auto step = step_at(steps.steps, call.begin_ns)) ++run.steps[*step].unknown[name];
  }
}

void add_note(const Trace& trace, const RawNote& note, std::optional<std::size_t> step, RunSummary& run) {
  const std::string text(trace.text(note.text));
  const bool judged = step && run.steps[*step].judged;
  switch (note.kind) {
    case NoteKind::unsupported_call:
      ++run.unsupported[text];
      if (step) ++run.steps[*step].unsupported[text];
      return;
    case NoteKind::unreal_readback:
      ++run.unreal_readbacks.total;
      if (!judged) return;
      ++run.unreal_readbacks.judged;
      ++run.unreal_readbacks.how[text];
      return;
    case NoteKind::tool_problem:
      run.tool_problems.push_back(text);
      return;
    case NoteKind::warning:
    case NoteKind::clock_step:
      run.warnings.push_back(text);
      return;
    case NoteKind::detached:
    case NoteKind::lost_records:
    case NoteKind::window_open:
    case NoteKind::window_close:
      return;  // read by build_trace and split_steps
  }
}

}  // namespace

std::int64_t RunSummary::judged() const {
  return std::count_if(steps.begin(), steps.end(), [](const StepRow& step) { return step.judged; });
}

Count share_of(const WaitSeen& wait, Counter counter) {
  const auto kind = [&](WaitKind k) { return Count(wait.kind == k ? 1 : 0); };
  const auto flag = [](const std::optional<bool>& value) { return value ? Count(*value ? 1 : 0) : std::nullopt; };
  switch (counter) {
    case Counter::waits:
      return 1;
    case Counter::drains:
      return flag(wait.drains);
    case Counter::stream_syncs:
      return kind(WaitKind::stream_sync);
    case Counter::event_syncs:
      return kind(WaitKind::event_sync);
    case Counter::device_syncs:
      return kind(WaitKind::device_sync);
    case Counter::blocking_copies:
      return wait.blocking_copy ? 1 : 0;
    case Counter::blocking_memsets:
      return kind(WaitKind::blocking_memset);
    case Counter::h2d_stalls:
      return wait.host_to_device ? 1 : 0;
    case Counter::blocked_ns:
      return wait.on_marking_thread ? wait.time_ns : 0;
    case Counter::blocked_other_threads_ns:
      return wait.on_marking_thread ? 0 : wait.time_ns;
    case Counter::h2d_stall_ns:
      return wait.host_to_device ? wait.time_ns : 0;
    case Counter::idle_waits:
      return flag(wait.idle);
    case Counter::failed:
      return wait.failed ? 1 : 0;
    case Counter::implicit:
    case Counter::spins:
    case Counter::queue_full:
    case Counter::unknown_copies:
    case Counter::unknown_waits:
      break;
  }
  return 0;
}

std::vector<WaitGroup> group_waits(const RunSummary& run) {
  std::map<std::string, std::vector<Count>> per_step;
  const auto judged_steps = static_cast<std::size_t>(run.judged());
  std::size_t at = 0;
  for (const StepRow& step : run.steps) {
    if (!step.judged) continue;
    for (const WaitSeen& wait : step.waits) {
      if (!is_host_wait(wait.kind)) continue;
      auto& counts = per_step[wait.what];
      counts.resize(judged_steps, 0);
      ++*counts[at];
    }
    ++at;
  }
  std::vector<WaitGroup> groups;
  for (const auto& [what, count] : run.waits_by_what) {
    auto& counts = per_step[what];
    counts.resize(judged_steps, 0);
    WaitGroup group{what, spread_of(counts), 0, count};
    for (const Count& one : counts) group.judged += *one;
    groups.push_back(std::move(group));
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return std::tuple(-a.judged, -a.count) < std::tuple(-b.judged, -b.count);
  });
  return groups;
}

RunSummary summarize(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits, const Measured& measured,
                     const SummaryOptions& options) {
  RunSummary run;
  run.meta = trace.meta;
  run.path = options.path;
  run.windows = trace.windows;
  run.truncated = trace.truncated;
  run.end = trace.end;
  run.lost = trace.lost_records;
  run.has_cuda_calls = !trace.calls.empty();
  run.times_repeatable = times_repeatable(trace, steps);
  run.steps_from = steps.from;
  // Steps recorded in a window have others before them, which nobody recorded.
  const bool is_warm = trace.windows && !steps.steps.empty() && steps.steps.front().number >= options.warmup;
  run.warmup = is_warm ? 0 : options.warmup;
  run.oddities = trace.oddities;
  run.contents = trace.contents;
  if (steps.unclosed > 0) run.oddities["unclosed_steps"] = steps.unclosed;
  if (steps.overlapping > 0) run.oddities["overlapping_steps"] = steps.overlapping;
  if (steps.outside_windows > 0) run.oddities["partly_recorded_steps"] = steps.outside_windows;
  if (steps.stray_marks > 0) run.oddities["stray_marks"] = steps.stray_marks;
  const auto costs = cost_of_waits(trace, steps, waits);
  const auto causes = find_causes(trace, steps, waits, options.sources, options.frame_names);
  const auto warmup = static_cast<std::size_t>(run.warmup);
  FoundSites found =
      find_sites(trace, steps, waits, causes, measured, warmup, options.sources, costs ? &*costs : nullptr);
  run.sites = std::move(found.sites);
  run.implicit_sites = find_implicit_sites(trace, steps, waits, causes, warmup, options.sources);
  add_steps(trace, steps, waits, measured, found.of_wait, run);
  add_costs(steps, waits, measured, costs, run);
  const auto own_work = own_gpu_work(trace, steps);
  for (std::size_t i = 0; i < run.steps.size(); ++i) run.steps[i].own_gpu_ns = own_work[i];
  run.causes = sum_causes(run.sites, run.steps);
  run.threads =
      find_threads(trace, steps, waits, measured, static_cast<std::size_t>(run.warmup), costs ? &*costs : nullptr);
  run.streams = find_streams(trace, steps, waits, static_cast<std::size_t>(run.warmup));
  add_spreads(run);
  add_calls(trace, run);
  add_copies(trace, steps, run);
  run.gpu_work = count_gpu_work(trace);
  add_kernels(trace, steps, run);
  run.between = look_between_steps(steps, waits, static_cast<std::size_t>(run.warmup));
  add_unknown_calls(trace, steps, run);
  for (const Wait& wait : waits)
    if (is_host_wait(wait.kind)) ++run.waits_by_what[describe(trace, wait)];
  run.stacks = find_wait_stacks(trace, waits, measured, static_cast<std::size_t>(run.warmup));
  for (const RawNote& note : trace.notes) add_note(trace, note, step_at(steps.steps, note.time_ns), run);
  return run;
}

Analyzed analyze_keeping(RawTrace raw, const SummaryOptions& options, const StepOptions& step_options) {
  Analyzed all;
  all.trace = build_trace(std::move(raw));
  const Trace& trace = all.trace;
  InferredSteps found = find_steps(trace, step_options);
  for (const std::string& region : step_options.regions) add_regions_called(trace, region, found.steps);
  all.steps = std::move(found.steps);
  const Steps& steps = all.steps;
  all.waits = find_waits(trace);
  const OwnCosts costs(trace.meta);
  const bool corrected = options.corrected && costs.known() && trace.meta.clock == Clock::measured;
  if (corrected) take_own_cost(trace, costs, all.waits);
  const Measured measured = measure_steps(trace, steps, all.waits);
  all.run = summarize(trace, steps, all.waits, measured, options);
  RunSummary& run = all.run;
  run.corrected = corrected;
  run.other_step_names = steps.other_names;
  run.possible_regions = possible_regions(trace, steps, kMostPossible);
  if (is_inferred(steps.from)) {
    run.steps_confidence = found.confidence;
    run.steps_how = found.how;
  }
  if (trace.meta.clock == Clock::modelled && !options.own_cost) {
    run.meta.own_cost.clear();
    return all;
  }
  const auto own_cost = own_cost_of_steps(trace, steps, costs);
  for (std::size_t i = 0; i < run.steps.size(); ++i) run.steps[i].own_cost_ns = own_cost[i];
  return all;
}

RunSummary analyze(RawTrace raw, const SummaryOptions& options, const StepOptions& step_options) {
  return analyze_keeping(std::move(raw), options, step_options).run;
}

}  // namespace zerostall
