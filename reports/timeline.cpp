#include "reports/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "profiler/base/strings.h"
#include "reports/lanes.h"
#include "reports/timeline_gpu.h"
#include "reports/words.h"

namespace zerostall {
namespace {

constexpr std::string_view kOurs = "zerostall";
constexpr std::string_view kAnnotation = "user_annotation";

// The step that a range or mark opened and nothing closed.
const OpenStep* opened_step(const Steps& steps, const Range& range) {
  if (!range.open && !range.instant) return nullptr;
  const auto at = std::partition_point(steps.open.begin(), steps.open.end(),
                                       [&](const OpenStep& open) { return open.begin_ns < range.begin_ns; });
  return at == steps.open.end() || at->begin_ns != range.begin_ns ? nullptr : &*at;
}

class HostWriter {
 public:
  HostWriter(const ExportProcess& process, const TimelineStyle& style, TimelineSink& sink)
      : process_(process), trace_(process.trace), style_(style), sink_(sink), range_(time_range(process.trace)) {}

  void write_steps() {
    const auto& steps = process_.steps.steps;
    Track track{TrackKind::steps, steps.empty() ? "no steps found" : "steps"};
    track.thread = steps.empty() ? 0 : trace_.threads[steps.front().thread].id;
    Lanes lanes(sink_, track);
    about(lanes);
    const std::vector<Slice> open = open_steps();
    std::size_t next_open = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (; next_open < open.size() && open[next_open].begin_ns < steps[i].begin_ns; ++next_open)
        lanes.add(open[next_open]);
      add_step(i, lanes);
    }
    for (; next_open < open.size(); ++next_open) lanes.add(open[next_open]);
    lanes.finish();
    if (!trace_.truncated) return;
    args_.clear();
    const std::string why = describe(trace_.end);
    args_.add("why", why);
    lanes.instant(range_.end_ns, "trace cut off here", kOurs, args_);
  }

  void write_waits(bool counted) {
    const TrackKind kind = counted ? TrackKind::waits : TrackKind::other_waits;
    const std::string_view title = counted ? "waits" : "may wait, in no total";
    std::map<ThreadIndex, Lanes> threads;
    for (std::size_t i = 0; i < process_.waits.size(); ++i) {
      const Wait& wait = process_.waits[i];
      if (is_host_wait(wait.kind) != counted) continue;
      auto lanes = threads.find(wait.thread);
      if (lanes == threads.end())
        lanes = threads.try_emplace(wait.thread, sink_, thread_track(kind, title, wait.thread)).first;
      add_wait(i, lanes->second);
    }
    for (auto& [thread, lanes] : threads) lanes.finish();
  }

  void write_ranges() {
    std::map<ThreadIndex, Lanes> threads;
    args_.clear();
    for (const Range& range : trace_.ranges) {
      if (is_shown_as_step(trace_, process_.steps, range)) continue;
      auto lanes = threads.find(range.thread);
      if (lanes == threads.end())
        lanes = threads.try_emplace(range.thread, sink_, thread_track(TrackKind::ranges, "ranges", range.thread)).first;
      add_range(range, lanes->second);
    }
    for (auto& [thread, lanes] : threads) lanes.finish();
  }

  void write_calls() {
    for (ThreadIndex t = 0; t < trace_.threads.size(); ++t)
      if (trace_.threads[t].count > 0) write_thread(t);
  }

 private:
  Track thread_track(TrackKind kind, std::string_view title, ThreadIndex thread) const {
    const std::uint32_t id = trace_.threads[thread].id;
    const bool several = trace_.threads.size() > 1;
    Track track{kind, several ? fmt::format("{} (thread {})", title, id) : std::string(title)};
    track.thread = id;
    return track;
  }

  void add_step(std::size_t i, Lanes& lanes) {
    const Step& step = process_.steps.steps[i];
    step_args(i);
    const std::string name = fmt::format("{}{}", style_.step_prefix, step.number);
    lanes.add({0, step.begin_ns, step.end_ns, name, kAnnotation, &args_});
    args_.clear();
    for (const Region& region : step.regions)
      lanes.add({0, region.begin_ns, std::max(region.begin_ns, region.end_ns), region.name, kAnnotation, &args_});
  }

  // By begin. They have no counters of their own.
  std::vector<Slice> open_steps() {
    std::vector<Slice> slices;
    for (const Range& range : trace_.ranges) {
      const OpenStep* open = opened_step(process_.steps, range);
      if (open == nullptr) continue;
      Slice slice{0, open->begin_ns, std::max(open->begin_ns, std::min(open->end_ns, range_.end_ns))};
      slice.name = trace_.text(range.text);
      slice.category = kAnnotation;
      slice.args = &no_args_;
      slice.has_no_end = true;
      slices.push_back(slice);
    }
    return slices;
  }

  // What a viewer cannot show and a reader should know.
  void about(Lanes& lanes) {
    args_.clear();
    args_.add("tool", trace_.meta.tool.empty() ? std::string_view("unknown") : trace_.meta.tool);
    args_.add("times", trace_.meta.clock == Clock::modelled ? "modelled, not measured" : "measured");
    args_.add("complete", process_.run.complete());
    args_.add("steps_from", name_of(process_.steps.from));
    if (!process_.gaps) args_.add("gpu_idle", "not known: records of GPU work are missing");
    if (trace_.lost_records > 0) args_.add("lost_gpu_records", trace_.lost_records);
    if (trace_.windows) args_.add("recorded", "in parts only: what happened between them is not known");
    for (const auto& [name, count] : process_.run.oddities) args_.add(name, count);
    lanes.instant(range_.begin_ns, "about this trace", kOurs, args_);
  }

  void step_args(std::size_t i) {
    const StepRow& row = process_.run.steps[i];
    args_.clear();
    args_.add("judged", row.judged);
    args_.add("unsteady", row.unsteady);
    for (const CounterInfo& info : all_counters()) {
      if (const Count& value = row.counters[info.counter])
        args_.add(info.key, *value);
      else
        args_.add(info.key, "unknown");
    }
  }

  void add_known(std::string_view key, const std::optional<bool>& known) {
    if (known)
      args_.add(key, *known);
    else
      args_.add(key, "unknown");
  }

  void add_wait(std::size_t i, Lanes& lanes) {
    const Wait& wait = process_.waits[i];
    const StepPlace& place = process_.places[i];
    args_.clear();
    args_.add("kind", name_of(wait.kind));
    if (is_host_wait(wait.kind)) {
      add_known("drains", wait.drains);
      add_known("idle", wait.idle);
      args_.add("host_to_device", wait.host_to_device);
    }
    if (wait.failed) args_.add("failed", true);
    args_.add("place", name_of(place.where));
    std::string regions, python, native;
    if (place.step) {
      args_.add("step", process_.steps.steps[*place.step].number);
      regions = join(regions_at(process_.steps.steps[*place.step], wait.blocks_ns), " > ");
      if (!regions.empty()) args_.add("region", regions);
    }
    const std::uint32_t stack = stack_of(trace_, wait);
    if (const auto* frame = telling_python_frame(trace_, stack)) args_.add("python", python = describe(trace_, *frame));
    if (!(native = telling_native_frame(trace_, stack)).empty()) args_.add("native", native);
    const std::string name = describe(trace_, wait);
    lanes.add({0, wait.begin_ns, wait.end_ns, name, kOurs, &args_});
  }

  void add_range(const Range& range, Lanes& lanes) {
    const std::string_view text = range.text == 0 ? "(no text)" : trace_.text(range.text);
    if (range.instant) return lanes.instant(range.begin_ns, text, kOurs, args_);
    const Nanos end_ns = range.open ? range_.end_ns : range.end_ns;
    Slice slice{0, range.begin_ns, std::max(range.begin_ns, end_ns), text, kAnnotation, &args_};
    slice.has_no_end = range.open;
    lanes.add(slice);
  }

  void call_args(const Call& call, std::uint64_t id) {
    args_.clear();
    args_.add("correlation", id);
    if (call.bytes > 0) args_.add("bytes", call.bytes);
    if (call.kind == ApiKind::copy) args_.add("direction", name_of(call.direction));
    if (call.kind == ApiKind::copy && crosses_host(call.direction)) args_.add("host_memory", name_of(call.host_memory));
    if (call.kind == ApiKind::memset) args_.add("target_memory", name_of(call.host_memory));
    if (call.kind != ApiKind::implicit && call.kind != ApiKind::module_load) args_.add("stream", call.stream);
    if (call.handle != 0) args_.add("handle", call.handle);
    if (call.result != 0) args_.add("result", std::int64_t{call.result});
  }

  // Nesting is that of the calls, not of their stamps, many of which may be equal. What does not fit into the call
  // around it, or overlaps the one before, is cut to fit, and carries the times as recorded.
  void write_thread(ThreadIndex t) {
    struct Open {
      CallIndex call;
      Nanos end_ns;
    };
    const std::uint32_t track = sink_.add_track(thread_track(TrackKind::calls, "calls", t));
    std::vector<Open> open;
    Nanos written = range_.begin_ns;
    const auto end_inner = [&](CallIndex parent) {
      for (; !open.empty() && open.back().call != parent; open.pop_back())
        sink_.end(track, written = open.back().end_ns);
    };
    const Thread& thread = trace_.threads[t];
    for (CallIndex i = thread.first; i < thread.first + thread.count; ++i) {
      const Call& call = trace_.calls[i];
      end_inner(call.parent);
      const Nanos last = open.empty() ? range_.end_ns : open.back().end_ns;
      Slice slice{track, std::clamp(call.begin_ns, std::min(written, last), last), 0, trace_.text(call.name)};
      slice.end_ns = std::clamp(call.end_ns, slice.begin_ns, last);
      slice.category = slice.name.starts_with("cu") && !slice.name.starts_with("cuda") ? "cuda_driver" : "cuda_runtime";
      call_args(call, style_.first_id + i);
      if (slice.begin_ns != call.begin_ns || slice.end_ns != call.end_ns) {
        args_.add("recorded_begin_ns", call.begin_ns);
        args_.add("recorded_end_ns", call.end_ns);
      }
      slice.args = &args_;
      slice.flow = call.op != kNoIndex ? style_.first_id + i : 0;
      slice.starts_flow = true;
      sink_.begin(slice);
      written = slice.begin_ns;
      open.push_back({i, slice.end_ns});
    }
    end_inner(kNoIndex);
  }

  const ExportProcess& process_;
  const Trace& trace_;
  const TimelineStyle& style_;
  TimelineSink& sink_;
  TimeRange range_;
  TimelineArgs args_;
  const TimelineArgs no_args_;
};

}  // namespace

bool is_shown_as_step(const Trace& trace, const Steps& steps, const Range& range) {
  if (opened_step(steps, range) != nullptr) return true;
  if (range.open) return false;
  const auto at = step_at(steps.steps, range.begin_ns);
  if (!at || steps.steps[*at].thread != range.thread) return false;
  const Step& step = steps.steps[*at];
  if (range.begin_ns == step.begin_ns && (range.instant || range.end_ns == step.end_ns)) return true;
  return std::any_of(step.regions.begin(), step.regions.end(), [&](const Region& r) {
    return r.begin_ns == range.begin_ns && r.end_ns == range.end_ns && r.name == trace.text(range.text);
  });
}

std::uint64_t write_timeline(const ExportProcess& process, const TimelineStyle& style, TimelineSink& sink) {
  HostWriter host(process, style, sink);
  host.write_steps();
  host.write_waits(true);
  write_gpu_tracks(process, style.first_id, sink);
  host.write_calls();
  host.write_waits(false);
  host.write_ranges();
  return style.first_id + process.trace.calls.size();
}

std::string timeline_title(const ExportProcess& process) {
  const TraceMeta& meta = process.trace.meta;
  std::string title = process.name;
  if (const std::string command = show_command(meta); !command.empty()) title += " · " + command;
  if (meta.clock == Clock::modelled) return title + fmt::format(" · times modelled ({})", show_device(meta));
  return meta.device_name.empty() ? title : title + " · " + meta.device_name;
}

}  // namespace zerostall
