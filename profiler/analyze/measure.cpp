#include "profiler/analyze/measure.h"

#include <algorithm>

namespace zerostall {
namespace {

// Everything that begins at one moment on one thread counts into the same few records.
struct Targets {
  std::vector<Counters*> counters;
  Counters* thread = nullptr;
  StepStats* step = nullptr;  // null outside of steps, and for threads that do not work for the step
  bool on_marking_thread = false;
};

class Router {
 public:
  Router(const Steps& steps, const Workers& workers, Measured& measured)
      : steps_(steps), workers_(workers), measured_(measured) {}

  Targets at(ThreadIndex thread, Nanos time) {
    Targets targets = place_at(thread, time);
    targets.thread = &measured_.threads[thread];
    return targets;
  }

 private:
  Targets place_at(ThreadIndex thread, Nanos time) {
    const auto [place, position] = step_place_of(steps_, workers_, thread, time);
    if (place == Where::unclosed) return {{&measured_.unclosed}, nullptr, nullptr, false};
    if (place == Where::outside) return outside(time);
    if (place == Where::background)
      return {{&measured_.background, &measured_.steps[*position].background}, nullptr, nullptr, false};
    const Step& step = steps_.steps[*position];
    StepStats& stats = measured_.steps[*position];
    Targets targets{{&stats.counters}, nullptr, &stats, thread == step.thread};
    for (RegionStats& region : stats.regions)
      if (is_in(step, region.name, time)) targets.counters.push_back(&region.counters);
    return targets;
  }

  Targets outside(Nanos time) {
    Targets targets{{&measured_.outside}, nullptr, nullptr, false};
    const auto after = std::upper_bound(steps_.between.begin(), steps_.between.end(), time,
                                        [](Nanos t, const Region& region) { return t < region.begin_ns; });
    if (after == steps_.between.begin() || time >= std::prev(after)->end_ns) return targets;
    for (RegionStats& region : measured_.between)
      if (region.name == std::prev(after)->name) targets.counters.push_back(&region.counters);
    return targets;
  }

  static bool is_in(const Step& step, std::string_view name, Nanos time) {
    return std::any_of(step.regions.begin(), step.regions.end(),
                       [&](const Region& r) { return r.name == name && r.begin_ns <= time && time < r.end_ns; });
  }

  const Steps& steps_;
  const Workers& workers_;
  Measured& measured_;
};

void count_call(const Call& call, const Targets& targets) {
  const auto add = [&](Counter counter) {
    for (Counters* c : targets.counters) c->add(counter);
    targets.thread->add(counter);
  };
  if (call.kind == ApiKind::stream_sync) add(Counter::stream_syncs);
  if (call.kind == ApiKind::event_sync) add(Counter::event_syncs);
  if (call.kind == ApiKind::device_sync) add(Counter::device_syncs);
  if (is_blocking_copy(call)) add(Counter::blocking_copies);
  if (is_blocking_memset(call)) add(Counter::blocking_memsets);
  if (is_unknown_copy(call)) add(Counter::unknown_copies);
}

void count_host_wait(const Wait& wait, Counter time_counter, Counters& c) {
  const Nanos time = wait.end_ns - wait.begin_ns;
  c.add(Counter::waits);
  c.add(Counter::drains, wait.drains ? Count(*wait.drains ? 1 : 0) : std::nullopt);
  if (wait.host_to_device) c.add(Counter::h2d_stalls);
  if (wait.host_to_device) c.add(Counter::h2d_stall_ns, time);
  c.add(time_counter, time);
  c.add(Counter::idle_waits, wait.idle ? Count(*wait.idle ? 1 : 0) : std::nullopt);
  if (wait.failed) c.add(Counter::failed);
}

void count_host_wait(const Wait& wait, const Targets& targets) {
  // The time of a step is that of its marking thread; what its other threads wait is shown apart. Beside and outside of
  // steps every thread counts for itself.
  const bool blocks = targets.step == nullptr || targets.on_marking_thread;
  for (Counters* c : targets.counters)
    count_host_wait(wait, blocks ? Counter::blocked_ns : Counter::blocked_other_threads_ns, *c);
  count_host_wait(wait, Counter::blocked_ns, *targets.thread);
}

void count_wait(const Wait& wait, const Targets& targets) {
  if (is_host_wait(wait.kind)) return count_host_wait(wait, targets);
  const Counter counter = wait.kind == WaitKind::implicit     ? Counter::implicit
                          : wait.kind == WaitKind::spin       ? Counter::spins
                          : wait.kind == WaitKind::queue_full ? Counter::queue_full
                                                              : Counter::unknown_waits;
  for (Counters* c : targets.counters) c->add(counter);
  targets.thread->add(counter);
  if (counter == Counter::implicit && targets.step != nullptr)
    targets.step->implicit_ns = add_up(targets.step->implicit_ns, wait.end_ns - wait.begin_ns);
}

// So that every step has a figure for every region, 0 where the region did not occur.
std::vector<RegionStats> all_regions(const Steps& steps) {
  std::vector<RegionStats> regions;
  for (const Step& step : steps.steps)
    for (const Region& region : step.regions)
      if (std::none_of(regions.begin(), regions.end(), [&](const RegionStats& r) { return r.name == region.name; }))
        regions.push_back({region.name, {}});
  return regions;
}

}  // namespace

Workers::Workers(const Trace& trace, const Steps& steps)
    : steps_(steps.steps.size()), working_(trace.threads.size() * steps.steps.size()) {
  for (std::size_t s = 0; s < steps_; ++s) working_[steps.steps[s].thread * steps_ + s] = true;
  for (const Call& call : trace.calls) {
    if (!call.outermost || !is_launch(call.kind)) continue;
    if (const auto step = step_at(steps.steps, call.begin_ns)) working_[call.thread * steps_ + *step] = true;
  }
}

Measured measure_steps(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits) {
  Measured measured;
  measured.steps.resize(steps.steps.size());
  measured.threads.resize(trace.threads.size());
  const auto regions = all_regions(steps);
  for (StepStats& stats : measured.steps) stats.regions = regions;
  for (const Region& region : steps.between)
    if (std::none_of(measured.between.begin(), measured.between.end(),
                     [&](const RegionStats& r) { return r.name == region.name; }))
      measured.between.push_back({region.name, {}});

  const Workers workers(trace, steps);
  Router router(steps, workers, measured);
  for (const Call& call : trace.calls) {
    if (call.outermost && (is_launch(call.kind) || call.kind == ApiKind::copy || call.kind == ApiKind::memset))
      if (const auto step = step_at(steps.steps, call.begin_ns)) ++measured.steps[*step].launches;
    if (is_launch(call.kind)) continue;  // nearly all calls are launches, and no counter of calls knows them
    if (call.outermost) count_call(call, router.at(call.thread, call.begin_ns));
    if (call.kind != ApiKind::module_load && !call.grows_memory) continue;
    if (const auto step = step_at(steps.steps, call.begin_ns)) measured.steps[*step].grew = true;
  }
  for (const Nanos time : trace.lazy_loads)
    if (const auto step = step_at(steps.steps, time)) measured.steps[*step].grew = true;
  for (std::uint32_t i = 0; i < waits.size(); ++i) {
    const Targets targets = router.at(waits[i].thread, waits[i].blocks_ns);
    count_wait(waits[i], targets);
    if (targets.step != nullptr && is_host_wait(waits[i].kind)) targets.step->waits.push_back(i);
  }
  return measured;
}

std::string_view name_of(Where where) {
  switch (where) {
    case Where::step:
      return "step";
    case Where::background:
      return "background";
    case Where::unclosed:
      return "unclosed";
    case Where::outside:
      break;
  }
  return "outside";
}

StepPlace step_place_of(const Steps& steps, const Workers& workers, ThreadIndex thread, Nanos time) {
  const auto step = step_at(steps.steps, time);
  if (!step) return {is_in_open_step(steps, time) ? Where::unclosed : Where::outside, std::nullopt};
  return {workers.works(thread, *step) ? Where::step : Where::background, step};
}

std::vector<std::string> regions_at(const Step& step, Nanos time) {
  std::vector<std::string> names;
  for (const Region& region : step.regions)
    if (region.begin_ns <= time && time < region.end_ns) names.emplace_back(region.name);
  return names;
}

}  // namespace zerostall
