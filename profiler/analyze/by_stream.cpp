#include "profiler/analyze/by_stream.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "profiler/analyze/device_load.h"

namespace zerostall {
namespace {

struct StreamKey {
  StreamScope scope = StreamScope::unknown;
  std::uint32_t device = 0, stream = 0;
  // A device before its streams, what is not told last.
  auto order() const { return std::tuple(scope == StreamScope::unknown, device, scope == StreamScope::stream, stream); }
  bool operator<(const StreamKey& other) const { return order() < other.order(); }
  bool operator==(const StreamKey&) const = default;
};

StreamKey key_of(const GpuOp& op) { return {StreamScope::stream, op.device, op.stream}; }
StreamKey device_of(const StreamKey& key) { return {StreamScope::device, key.device, 0}; }

// What handles and contexts stand for, learned from the work that calls started. One that stood for several is not
// told.
class Names {
 public:
  explicit Names(const Trace& trace) : has_handles_(trace.meta.format != "kineto" && trace.meta.format != "nsys") {
    for (const GpuOp& op : trace.gpu_ops) {
      const std::uint32_t context = op.call == kNoIndex ? 0 : trace.calls[op.call].context;
      for (const std::uint32_t c : {context, op.context}) learn(contexts_, c, device_of(key_of(op)));
      learn(contexts_, 0u, device_of(key_of(op)));
      // The work of a graph runs on streams of its own.
      if (op.call == kNoIndex || trace.calls[op.call].kind == ApiKind::graph_launch) continue;
      for (const std::uint32_t c : {context, op.context})
        learn(streams_, std::pair(c, trace.calls[op.call].stream), key_of(op));
    }
  }

  StreamKey waited_for(const Trace& trace, const Wait& wait) const {
    const Call& last = trace.calls[wait.sync != kNoIndex ? wait.sync : wait.copy];
    if (last.kind == ApiKind::device_sync) return known(contexts_, last.context);
    if (wait.copy != kNoIndex && trace.calls[wait.copy].op != kNoIndex)
      return key_of(trace.gpu_ops[trace.calls[wait.copy].op]);
    if (!wait.stream || (*wait.stream == 0 && !has_handles_)) return {};  // those tools write no stream to their calls
    return known(streams_, std::pair(last.context, *wait.stream));
  }

 private:
  template <class Key>
  using Map = std::map<Key, StreamKey>;

  template <class Key>
  static void learn(Map<Key>& map, const Key& key, const StreamKey& value) {
    const auto [at, is_new] = map.try_emplace(key, value);
    if (!is_new && !(at->second == value)) at->second = {};
  }
  template <class Key>
  static StreamKey known(const Map<Key>& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? StreamKey{} : found->second;
  }

  bool has_handles_;
  Map<std::uint32_t> contexts_;
  Map<std::pair<std::uint32_t, std::uint64_t>> streams_;  // by context and handle
};

struct Group {
  StreamRow row;
  std::vector<Count> judged;
  bool drains_known = true;
  std::int64_t drains = 0, work = 0;
  std::vector<std::pair<Nanos, Nanos>> busy;
};

// Of intervals: what they cover, and what lies between the first and the last of them.
void add_busy(std::vector<std::pair<Nanos, Nanos>>& busy, StreamRow& row) {
  row.busy_ns = row.idle_ns = 0;
  if (busy.empty()) return;
  if (!std::is_sorted(busy.begin(), busy.end())) std::sort(busy.begin(), busy.end());
  Nanos covered = busy.front().first;
  for (const auto& [begin, end] : busy) {
    if (begin > covered) *row.idle_ns = add_up(*row.idle_ns, begin - covered);
    if (end > covered) *row.busy_ns = add_up(*row.busy_ns, end - std::max(begin, covered));
    covered = std::max(covered, end);
  }
}

using Groups = std::map<StreamKey, Group>;

void add_work(const Trace& trace, Groups& groups) {
  for (const GpuOp& op : trace.gpu_ops)
    for (const StreamKey& key : {key_of(op), device_of(key_of(op))}) {
      Group& group = groups[key];
      ++group.work;
      if (!op.bad_time) group.busy.emplace_back(op.begin_ns, op.end_ns);
    }
}

}  // namespace

std::string_view name_of(StreamScope scope) {
  return scope == StreamScope::stream ? "stream" : scope == StreamScope::device ? "device" : "unknown";
}

std::vector<StreamRow> find_streams(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits,
                                    std::size_t warmup) {
  const std::size_t judged = steps.steps.size() - std::min(warmup, steps.steps.size());
  const Names names(trace);
  Groups groups;
  add_work(trace, groups);
  for (const Wait& wait : waits) {
    if (!is_host_wait(wait.kind)) continue;
    Group& group = groups[names.waited_for(trace, wait)];
    ++group.row.waits;
    group.row.blocked_ns = add_up(group.row.blocked_ns, wait.end_ns - wait.begin_ns);
    group.drains_known = group.drains_known && wait.drains.has_value();
    group.drains += wait.drains.value_or(false);
    group.judged.resize(judged, 0);
    const auto step = step_at(steps.steps, wait.blocks_ns);
    if (step && *step >= warmup) ++*group.judged[*step - warmup];
  }
  const bool has_records = has_all_gpu_work(trace);
  std::vector<StreamRow> rows;
  for (auto& [key, group] : groups) {
    StreamRow& row = group.row;
    row.scope = key.scope;
    row.device = key.device;
    row.stream = key.stream;
    group.judged.resize(judged, 0);
    row.per_step = spread_of(group.judged);
    if (group.drains_known) row.drains = group.drains;
    if (has_records && key.scope != StreamScope::unknown) {
      row.work = group.work;
      add_busy(group.busy, row);
    } else {
      row.work = std::nullopt;
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace zerostall
