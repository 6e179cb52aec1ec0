#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "profiler/analyze/wait_texts.h"
#include "reports/timeline_blob_parts.h"
#include "reports/timeline_gpu.h"

namespace zerostall {
namespace {

constexpr std::size_t kMostRows = 32;  // of one track: no program has that much at a time

class Names {
 public:
  Names(const Trace& trace, std::vector<BlobName>& names)
      : trace_(trace), names_(names), calls_(trace.strings.size(), kNoIndex), kernels_(calls_) {}

  std::uint32_t of(BlobKind kind, std::string_view text) {
    const auto [found, is_new] = known_.try_emplace({kind, std::string(text)}, size());
    if (is_new) names_.push_back({kind, std::string(text)});
    return found->second;
  }
  std::uint32_t of_call(StringId name) {
    return by_id(calls_, name, [&] { return of(BlobKind::call, trace_.text(name)); });
  }
  std::uint32_t of_work(const GpuOp& op) {
    if (op.kind == GpuOpKind::kernel)
      return by_id(kernels_, op.name, [&] { return of(BlobKind::kernel, timeline_name(trace_, op)); });
    const auto [found, is_new] = other_work_.try_emplace({op.kind, op.direction, op.source, op.target}, 0);
    if (is_new) found->second = of(kind_of(op.kind), timeline_name(trace_, op));
    return found->second;
  }

 private:
  std::uint32_t size() const { return static_cast<std::uint32_t>(names_.size()); }

  template <class Make>
  static std::uint32_t by_id(std::vector<std::uint32_t>& known, StringId name, Make make) {
    if (name >= known.size()) return make();
    if (known[name] == kNoIndex) known[name] = make();
    return known[name];
  }
  static BlobKind kind_of(GpuOpKind kind) {
    return kind == GpuOpKind::copy ? BlobKind::copy : kind == GpuOpKind::memset ? BlobKind::memset : BlobKind::graph;
  }

  const Trace& trace_;
  std::vector<BlobName>& names_;
  std::vector<std::uint32_t> calls_, kernels_;
  std::map<std::pair<BlobKind, std::string>, std::uint32_t> known_;
  std::map<std::tuple<GpuOpKind, CopyDirection, MemoryKind, MemoryKind>, std::uint32_t> other_work_;
};

// The rows of one track. Slices come in order of begin, outer before inner; one that overlaps goes a row further in.
class Rows {
 public:
  Rows(Track track, TimeRange range) : track_(std::move(track)), range_(range) {}

  void add(BlobSlice slice) {
    std::size_t row = 0;
    slice.begin_ns = std::clamp(slice.begin_ns, range_.begin_ns, range_.end_ns);
    while (row < ends_.size() && ends_[row] > slice.begin_ns && row + 1 < kMostRows) ++row;
    add(row, slice);
  }
  // What overlaps the one before in that row is cut to fit.
  const BlobSlice& add(std::size_t row, BlobSlice slice) {
    if (row >= rows_.size()) {
      rows_.resize(row + 1);
      ends_.resize(row + 1, range_.begin_ns);
    }
    slice.begin_ns = std::clamp(slice.begin_ns, ends_[row], range_.end_ns);
    slice.end_ns = std::clamp(slice.end_ns, slice.begin_ns, range_.end_ns);
    ends_[row] = slice.end_ns;
    rows_[row].push_back(slice);
    return rows_[row].back();
  }
  void move_to(BlobContent& content) {
    if (rows_.empty()) return;
    const auto track = static_cast<std::uint32_t>(content.tracks.size());
    content.tracks.push_back(std::move(track_));
    for (auto& row : rows_) content.rows.push_back({track, std::move(row)});
  }

 private:
  Track track_;
  TimeRange range_;
  std::vector<std::vector<BlobSlice>> rows_;
  std::vector<Nanos> ends_;
};

class Collector {
 public:
  Collector(const TimelineSource& source, BlobContent& content)
      : source_(source), trace_(*source.trace), content_(content), names_(trace_, content.names), texts_(trace_) {}

  void add_steps() {
    Rows rows({TrackKind::steps, "steps"}, content_.range);
    const Steps& steps = *source_.steps;
    std::size_t open = 0;
    const auto add_open_until = [&](Nanos time_ns) {
      for (; open < steps.open.size() && steps.open[open].begin_ns < time_ns; ++open)
        rows.add(
            {steps.open[open].begin_ns, steps.open[open].end_ns, names_.of(BlobKind::step, "step without an end")});
    };
    for (std::size_t i = 0; i < steps.steps.size(); ++i) {
      const Step& step = steps.steps[i];
      add_open_until(step.begin_ns);
      BlobSlice slice{step.begin_ns, step.end_ns, names_.of(BlobKind::step, fmt::format("step {}", step.number))};
      slice.value = i + 1;
      rows.add(slice);
      for (const Region& region : step.regions)
        rows.add({region.begin_ns, region.end_ns, names_.of(BlobKind::region, region.name)});
    }
    add_open_until(std::numeric_limits<Nanos>::max());
    rows.move_to(content_);
  }

  void add_threads() {
    for (const ThreadIndex thread : threads_in_order()) {
      add_waits(thread);
      add_calls(thread);
      add_ranges(thread);
    }
  }

  void add_gaps() {
    const auto found = find_gpu_gaps(trace_, *source_.steps, *source_.waits);
    if (!found) return;
    std::map<std::uint32_t, Rows> devices;
    std::map<std::uint32_t, std::uint32_t> names;  // of bubbles, by the wait's text
    for (const GpuGap& gap : found->gaps) {
      Track track{TrackKind::gpu_gaps, fmt::format("GPU {} idle", gap.device)};
      Rows& rows = devices.try_emplace(gap.device, std::move(track), content_.range).first->second;
      BlobSlice slice{gap.begin_ns, gap.end_ns};
      slice.value = static_cast<std::uint64_t>(gap.cause) + 8 * static_cast<std::uint64_t>(gap.avoidable_ns);
      const auto make = [&](BlobKind kind) { return names_.of(kind, gap_name(trace_, *source_.waits, gap)); };
      if (gap.wait) {
        slice.link = static_cast<std::uint32_t>(*gap.wait);
        const auto [name, is_new] = names.try_emplace(texts_.id_of((*source_.waits)[*gap.wait]), 0);
        if (is_new) name->second = make(BlobKind::bubble);
        slice.name = name->second;
      } else {
        slice.name = make(BlobKind::gap);
      }
      rows.add(slice);
    }
    for (auto& [device, rows] : devices) rows.move_to(content_);
  }

  void add_work() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<BlobSlice>> streams;
    for (const GpuOp& op : trace_.gpu_ops) {
      BlobSlice slice{op.begin_ns, op.end_ns};
      if (op.bad_time) slice.begin_ns = slice.end_ns = op.launch_ns;
      slice.name = names_.of_work(op);
      slice.link = op.call;
      slice.value = op.kind == GpuOpKind::kernel ? 0 : op.bytes;
      streams[{op.device, op.stream}].push_back(slice);
    }
    for (auto& [stream, slices] : streams) {
      std::stable_sort(slices.begin(), slices.end(), [](const BlobSlice& a, const BlobSlice& b) {
        return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
      });
      Rows rows({TrackKind::gpu_work, fmt::format("GPU {} stream {}", stream.first, stream.second)}, content_.range);
      for (const BlobSlice& slice : slices) rows.add(slice);
      rows.move_to(content_);
    }
  }

 private:
  std::vector<ThreadIndex> threads_in_order() {
    waits_of_.resize(trace_.threads.size());
    ranges_of_.resize(trace_.threads.size());
    std::vector<std::size_t> counted(trace_.threads.size(), 0);
    for (std::uint32_t i = 0; i < source_.waits->size(); ++i) {
      const Wait& wait = (*source_.waits)[i];
      waits_of_[wait.thread].push_back(i);
      counted[wait.thread] += is_host_wait(wait.kind);
    }
    for (const Range& range : trace_.ranges)
      if (!is_shown_as_step(trace_, *source_.steps, range)) ranges_of_[range.thread].push_back(&range);
    std::vector<ThreadIndex> order(trace_.threads.size());
    for (ThreadIndex t = 0; t < order.size(); ++t) order[t] = t;
    const ThreadIndex marking = source_.steps->steps.empty() ? kNoIndex : source_.steps->steps.front().thread;
    std::stable_sort(order.begin(), order.end(), [&](ThreadIndex a, ThreadIndex b) {
      return std::tuple(a != marking, counted[b], trace_.threads[b].count) <
             std::tuple(b != marking, counted[a], trace_.threads[a].count);
    });
    return order;
  }

  Rows rows_of(TrackKind kind, std::string_view title, ThreadIndex thread) const {
    const std::uint32_t id = trace_.threads[thread].id;
    return {{kind, trace_.threads.size() > 1 ? fmt::format("{} (thread {})", title, id) : std::string(title)},
            content_.range};
  }

  static std::uint64_t known(const std::optional<bool>& truth) { return !truth ? 0 : *truth ? 2 : 1; }

  void add_waits(ThreadIndex thread) {
    if (sites_.empty()) sites_ = sites_of_waits(source_);
    Rows rows = rows_of(TrackKind::waits, "waits", thread);
    for (const std::uint32_t i : waits_of_[thread]) {
      const Wait& wait = (*source_.waits)[i];
      const BlobKind kind = is_host_wait(wait.kind) ? BlobKind::wait : BlobKind::other_wait;
      BlobSlice slice{wait.begin_ns, wait.end_ns, names_.of(kind, texts_.text(texts_.id_of(wait))), i};
      slice.value = known(wait.drains) + 4 * known(wait.idle) + (wait.host_to_device ? 16 : 0) + (wait.failed ? 32 : 0);
      if (sites_[i]) slice.value += 64 * (std::uint64_t{*sites_[i]} + 1);
      rows.add(slice);
    }
    rows.move_to(content_);
  }

  // Nesting is that of the calls, not of their stamps, many of which may be equal.
  void add_calls(ThreadIndex thread) {
    struct Open {
      CallIndex call;
      Nanos begin_ns, end_ns;
    };
    Rows rows = rows_of(TrackKind::calls, "CUDA calls", thread);
    std::vector<Open> open;
    const Thread& t = trace_.threads[thread];
    for (CallIndex i = t.first; i < t.first + t.count; ++i) {
      const Call& call = trace_.calls[i];
      while (!open.empty() && open.back().call != call.parent) open.pop_back();
      BlobSlice slice{call.begin_ns, call.end_ns, names_.of_call(call.name), i};
      if (!open.empty()) {
        slice.begin_ns = std::clamp(slice.begin_ns, open.back().begin_ns, open.back().end_ns);
        slice.end_ns = std::clamp(slice.end_ns, slice.begin_ns, open.back().end_ns);
      }
      slice.value = call.result != 0;
      const BlobSlice added = rows.add(open.size(), slice);
      open.push_back({i, added.begin_ns, added.end_ns});
    }
    rows.move_to(content_);
  }

  void add_ranges(ThreadIndex thread) {
    Rows rows = rows_of(TrackKind::ranges, "NVTX ranges", thread);
    for (const Range* range : ranges_of_[thread]) {
      const std::string_view text = range->text == 0 ? "(no text)" : trace_.text(range->text);
      const Nanos end_ns = range->open ? content_.range.end_ns : range->instant ? range->begin_ns : range->end_ns;
      BlobSlice slice{range->begin_ns, end_ns, names_.of(BlobKind::range, text)};
      slice.value = range->open;
      rows.add(slice);
    }
    rows.move_to(content_);
  }

  const TimelineSource& source_;
  const Trace& trace_;
  BlobContent& content_;
  Names names_;
  WaitTexts texts_;
  std::vector<std::vector<std::uint32_t>> waits_of_;
  std::vector<std::vector<const Range*>> ranges_of_;
  std::vector<std::optional<std::uint32_t>> sites_;
};

}  // namespace

std::int64_t BlobContent::count() const {
  std::size_t n = 0;
  for (const BlobRow& row : rows) n += row.slices.size();
  return static_cast<std::int64_t>(n);
}

BlobContent collect_blob(const TimelineSource& source) {
  BlobContent content;
  content.range = time_range(*source.trace);
  Collector collector(source, content);
  collector.add_steps();
  collector.add_threads();
  collector.add_gaps();
  collector.add_work();
  return content;
}

}  // namespace zerostall
