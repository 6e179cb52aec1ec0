// The fields of everything that a RunSummary is made of, each list once and for both directions of summary_codec.h. A
// structured binding takes as many names as the struct has fields: one that is added there and not here does not
// compile.
#pragma once
#include "profiler/analyze/summary.h"

// Calls visit(fields...) with all fields of a value, in this order.
#define ZEROSTALL_FIELDS(Type, ...)                              \
  template <class Visit>                                         \
  void visit_fields(const Type& a_value, const Visit& a_visit) { \
    const auto& [__VA_ARGS__] = a_value;                         \
    a_visit(__VA_ARGS__);                                        \
  }                                                              \
  template <class Visit>                                         \
  void visit_fields(Type& a_value, const Visit& a_visit) {       \
    auto& [__VA_ARGS__] = a_value;                               \
    a_visit(__VA_ARGS__);                                        \
  }

namespace zerostall {

ZEROSTALL_FIELDS(OwnCost, samples, ns)
ZEROSTALL_FIELDS(TraceMeta, format, tool, device, device_name, clock, host_clock, program, script, arguments, pid, rank,
                 local_rank, world_size, host_number, host, start_utc_ns, unknown_apis, tells_queue_full, own_cost,
                 counts_only, gpu_records)
ZEROSTALL_FIELDS(TraceEnd, byte, damage, reason, failed)
ZEROSTALL_FIELDS(RecordingWindow, begin_ns, end_ns)
ZEROSTALL_FIELDS(Counters, values)
ZEROSTALL_FIELDS(Spread, min, median, p95, max)
ZEROSTALL_FIELDS(CounterSpreads, values)
ZEROSTALL_FIELDS(WaitSeen, regions, what, kind, host_to_device, blocking_copy, on_marking_thread, failed, drains, idle,
                 time_ns, site, avoidable_ns)
ZEROSTALL_FIELDS(RegionRow, name, counters, occurs)
ZEROSTALL_FIELDS(IdleTime, bubbles_ns, avoidable_ns, host_bound_ns, dependency_ns, unknown_ns)
ZEROSTALL_FIELDS(StepRow, number, begin_ns, end_ns, judged, own_cost_ns, unsteady, counters, effective_ns, gpu_idle,
                 own_gpu_ns, implicit_ns, regions, background, waits, launches, kernels, unsupported, unknown)
ZEROSTALL_FIELDS(RegionSummary, name, per_step)
ZEROSTALL_FIELDS(CallRow, name, count, nested, failed, time_ns)
ZEROSTALL_FIELDS(CopyRow, direction, host_memory, api, bytes, count, judged, per_step)
ZEROSTALL_FIELDS(GpuWork, kernels, copies, memsets, graphs)
ZEROSTALL_FIELDS(UnrealReadbacks, total, judged, how)
ZEROSTALL_FIELDS(BetweenSteps, gaps, gaps_with_waits, waits)
ZEROSTALL_FIELDS(Cause, kind, confidence, evidence)
ZEROSTALL_FIELDS(Site, id, from, place, file, function, line, source, via, during, kernel, what, kinds, cause,
                 of_the_tool, count, judged, per_step, drains, blocked_ns, avoidable_ns)
ZEROSTALL_FIELDS(CauseRow, kind, places, count, judged, per_step, drains, blocked_ns, avoidable_ns)
ZEROSTALL_FIELDS(ThreadRow, id, role, calls, counters, per_step, avoidable_ns)
ZEROSTALL_FIELDS(StreamRow, scope, device, stream, waits, per_step, drains, blocked_ns, work, busy_ns, idle_ns)
ZEROSTALL_FIELDS(SourceLine, function, file, line, library)
ZEROSTALL_FIELDS(NativeLine, module, build_id, offset, sources, why_not)
ZEROSTALL_FIELDS(WaitsThere, what, count, judged, per_step)
ZEROSTALL_FIELDS(WaitStack, id, waits, python_frames, python_cut, native_cut, python, native)
ZEROSTALL_FIELDS(RunSummary, meta, region, possible_regions, path, windows, truncated, end, lost, corrected,
                 has_cuda_calls, times_repeatable, steps_from, steps_confidence, steps_how, other_step_names, warmup,
                 steps, background, unclosed, outside, totals, outside_regions, between, per_step, regions,
                 waits_by_what, sites, implicit_sites, causes, threads, streams, stacks, calls, copies, gpu_work,
                 unreal_readbacks, unsupported, unknown, tool_problems, warnings, oddities, contents)

}  // namespace zerostall
