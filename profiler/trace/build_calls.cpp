#include "profiler/trace/build_calls.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

namespace zerostall {
namespace {

// What is known of a call's name, found once per distinct name.
struct NameInfo {
  ApiInfo api;
  StringId stripped = 0;
  bool per_thread_stream = false;
  bool known = false;
};

class Names {
 public:
  explicit Names(StringTable& strings) : strings_(strings), known_(strings.size()) {}
  const NameInfo& of(StringId id) {
    if (id >= known_.size()) id = 0;  // reads as the empty string
    if (!known_[id]) {
      const std::string name(strings_.text(id));
      known_[id] = {find_api(name), strings_.intern(strip_version(name)), uses_per_thread_stream(name),
                    is_known_api(name)};
    }
    return *known_[id];
  }

 private:
  StringTable& strings_;
  std::vector<std::optional<NameInfo>> known_;  // by id
};

// Handles 1 and 2 are cudaStreamLegacy and cudaStreamPerThread; 0 is one of the two, by the variant of the API.
std::uint64_t normal_stream(std::uint64_t stream, bool per_thread) {
  if (stream == 1) return 0;
  return stream == 0 && per_thread ? 2 : stream;
}

Call make_call(const RawCall& raw, ThreadIndex thread, const NameInfo& info, Trace& trace) {
  Call call{raw.begin_ns, raw.end_ns, normal_stream(raw.stream, info.per_thread_stream), raw.handle, raw.bytes, thread};
  if (call.end_ns < call.begin_ns) {
    call.end_ns = call.begin_ns;
    ++trace.oddities["reversed_calls"];
  }
  call.context = raw.context;
  call.stack = raw.stack;
  call.name = info.stripped;
  call.result = raw.result;
  call.kind = info.api.kind;
  call.async = info.api.async;
  call.grows_memory = info.api.grows_memory && raw.result == 0;
  if (call.kind == ApiKind::copy) {
    const bool said = raw.direction != CopyDirection::none && raw.direction != CopyDirection::unknown;
    call.direction = said ? raw.direction : info.api.direction;
  }
  return call;
}

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// One thread's records, from the order of ends (the file's) to the order of begins. Both orders walk the same forest of
// nested calls, so time stamps, which may all be equal, are not needed. Positions are those in `records`.
struct Forest {
  std::vector<std::uint32_t> parent;    // kNone: a root
  std::vector<std::uint32_t> by_begin;  // the records in the order of begins: parents before children
  std::int64_t orphans = 0;             // nested calls whose enclosing call is missing: roots, behind all others
};

Forest link_nesting(const std::vector<RawCall>& calls, const std::vector<std::uint32_t>& records) {
  const auto n = static_cast<std::uint32_t>(records.size());
  Forest forest;
  forest.parent.assign(n, kNone);
  std::vector<std::uint32_t> size(n, 1);      // of the tree below a record, itself included
  std::vector<std::uint32_t> roots, waiting;  // waiting: their parent has not ended yet
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint8_t depth = calls[records[i]].depth;
    while (!waiting.empty() && calls[records[waiting.back()]].depth > depth) {
      forest.parent[waiting.back()] = i;
      size[i] += size[waiting.back()];
      waiting.pop_back();
    }
    (depth == 0 ? roots : waiting).push_back(i);
  }
  forest.orphans = static_cast<std::int64_t>(waiting.size());
  roots.insert(roots.end(), waiting.begin(), waiting.end());

  std::vector<std::uint32_t> end(n);  // where the part of a tree that is not yet placed ends
  std::uint32_t placed = 0;
  for (const std::uint32_t root : roots) end[root] = placed += size[root];
  forest.by_begin.resize(n);
  // Ends in reverse are parents before children, last child first.
  for (std::uint32_t i = n; i-- > 0;) {
    const std::uint32_t parent = forest.parent[i];
    if (parent != kNone) {
      end[i] = end[parent];
      end[parent] -= size[i];
    }
    forest.by_begin[end[i] - size[i]] = i;
  }
  return forest;
}

// Appends one thread's calls; `call_of` gets the call made from each record.
void append_thread(const std::vector<RawCall>& calls, const std::vector<std::uint32_t>& records, ThreadIndex thread,
                   Names& names, Trace& trace, std::vector<CallIndex>& call_of) {
  const Forest forest = link_nesting(calls, records);
  if (forest.orphans > 0) trace.oddities["orphaned_calls"] += forest.orphans;
  std::vector<bool> hides(records.size());  // a call of interest, or inside of one
  for (const std::uint32_t i : forest.by_begin) {
    const RawCall& raw = calls[records[i]];
    const NameInfo& info = names.of(raw.name);
    Call call = make_call(raw, thread, info, trace);
    const std::uint32_t parent = forest.parent[i];
    const bool hidden = parent != kNone && hides[parent];
    if (parent != kNone) call.parent = call_of[records[parent]];
    const bool of_interest = call.kind != ApiKind::other;
    call.outermost = of_interest && !hidden;
    call.unknown = !hidden && !info.known;
    hides[i] = hidden || of_interest;
    call_of[records[i]] = static_cast<CallIndex>(trace.calls.size());
    trace.calls.push_back(call);
  }
}

void count_backward_stamps(std::span<const Call> calls, Trace& trace) {
  std::int64_t backward = 0;
  for (std::size_t i = 1; i < calls.size(); ++i) backward += calls[i].begin_ns < calls[i - 1].begin_ns;
  if (backward > 0) trace.oddities["backward_stamps"] += backward;
}

std::vector<std::vector<std::uint32_t>> records_by_thread(const std::vector<RawCall>& calls,
                                                          const ThreadIndexes& indexes, std::size_t threads) {
  std::vector<std::vector<std::uint32_t>> records(threads);
  std::vector<std::uint32_t>* last = nullptr;
  std::uint32_t last_id = 0;
  for (std::uint32_t i = 0; i < calls.size(); ++i) {
    if (!last || calls[i].thread != last_id) last = &records[indexes.at(calls[i].thread)];
    last_id = calls[i].thread;
    last->push_back(i);
  }
  return records;
}

CallIndex standing_for(const Trace& trace, CallIndex call) {
  CallIndex best = call;
  for (CallIndex c = call; c != kNoIndex; c = trace.calls[c].parent)
    if (trace.calls[c].outermost) best = c;
  return best;
}

}  // namespace

CallsByCorrelation::CallsByCorrelation(const std::vector<RawCall>& calls) {
  std::uint32_t low = kNone, high = 0;
  for (const RawCall& call : calls) {
    if (call.correlation == 0) continue;
    low = std::min(low, call.correlation);
    high = std::max(high, call.correlation);
  }
  is_table_ = low <= high && high - low < calls.size() * 8 + 1024;
  first_ = low;
  if (is_table_)
    table_.assign(std::size_t{high} - low + 1, kNoIndex);
  else
    map_.reserve(calls.size());
}

void CallsByCorrelation::set(std::uint32_t correlation, CallIndex call) {
  if (correlation == 0) return;
  if (is_table_)
    table_[correlation - first_] = call;
  else
    map_[correlation] = call;
}

CallIndex CallsByCorrelation::find(std::uint32_t correlation) const {
  if (correlation == 0) return kNoIndex;
  if (is_table_) return correlation - first_ < table_.size() ? table_[correlation - first_] : kNoIndex;
  const auto found = map_.find(correlation);
  return found == map_.end() ? kNoIndex : found->second;
}

CallsByCorrelation build_calls(const RawTrace& raw, const ThreadIndexes& indexes, Trace& trace) {
  Names names(trace.strings);
  std::vector<CallIndex> call_of(raw.calls.size(), kNoIndex);
  trace.calls.reserve(raw.calls.size());
  const auto records = records_by_thread(raw.calls, indexes, trace.threads.size());
  for (ThreadIndex t = 0; t < records.size(); ++t) {
    trace.threads[t].first = static_cast<CallIndex>(trace.calls.size());
    append_thread(raw.calls, records[t], t, names, trace, call_of);
    trace.threads[t].count = static_cast<CallIndex>(trace.calls.size()) - trace.threads[t].first;
    count_backward_stamps(trace.calls_of(t), trace);
  }
  CallsByCorrelation by_correlation(raw.calls);
  for (std::size_t i = 0; i < raw.calls.size(); ++i)
    by_correlation.set(raw.calls[i].correlation, standing_for(trace, call_of[i]));
  return by_correlation;
}

}  // namespace zerostall
