#include "profiler/trace/check_records.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

namespace zerostall {
namespace {

// Of work that begins at one moment, how much is looked at: a damaged trace may have all of it there.
constexpr std::size_t kMostAtOnce = 256;

struct Window {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
};

bool begins_capture(std::string_view name) { return name.find("StreamBeginCapture") != name.npos; }
bool ends_capture(std::string_view name) { return name.find("StreamEndCapture") != name.npos; }

// When any stream was captured. Which threads take part is not known: all launches of that time are left out.
std::vector<Window> captures(const Trace& trace) {
  std::vector<std::pair<Nanos, int>> turns;
  for (const Call& call : trace.calls) {
    const std::string_view name = trace.text(call.name);
    if (begins_capture(name) && call.result == 0 && call.parent == kNoIndex) turns.emplace_back(call.begin_ns, 1);
    if (ends_capture(name) && call.parent == kNoIndex) turns.emplace_back(call.end_ns, -1);
  }
  std::sort(turns.begin(), turns.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;  // of equal stamps the begin comes first
  });
  std::vector<Window> windows;
  int open = 0;
  for (const auto& [time, turn] : turns) {
    if (turn > 0 && open++ == 0) windows.push_back({time, std::numeric_limits<Nanos>::max()});
    if (turn < 0 && open > 0 && --open == 0) windows.back().end_ns = time;
  }
  return windows;
}

bool is_same_work(const GpuOp& a, const GpuOp& b) {
  const auto all = [](const GpuOp& op) {
    return std::tuple(op.begin_ns, op.end_ns, op.launch_ns, op.bytes, op.call, op.name, op.device, op.context,
                      op.stream, op.kind, op.direction, op.source, op.target);
  };
  return all(a) == all(b);
}

bool is_inside(const std::vector<Window>& windows, Nanos time) {
  const auto next = std::upper_bound(windows.begin(), windows.end(), time,
                                     [](Nanos t, const Window& window) { return t < window.begin_ns; });
  return next != windows.begin() && time <= std::prev(next)->end_ns;
}

}  // namespace

std::int64_t launches_without_record(const Trace& trace) {
  const std::vector<Window> windows = captures(trace);
  return std::count_if(trace.calls.begin(), trace.calls.end(), [&](const Call& call) {
    return call.kind == ApiKind::launch && call.outermost && call.result == 0 && call.op == kNoIndex &&
           !is_inside(windows, call.begin_ns);
  });
}

std::int64_t drop_repeated(std::vector<GpuOp>& ops) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    bool is_repeated = false;
    const bool has_times = ops[i].begin_ns > 0 && ops[i].end_ns > ops[i].begin_ns;
    // Equal ones have the same place in the order, and so have few others.
    const std::size_t last = has_times ? kept - std::min(kept, kMostAtOnce) : kept;
    for (std::size_t k = kept;
         k > last && !is_repeated && ops[k - 1].launch_ns == ops[i].launch_ns && ops[k - 1].begin_ns == ops[i].begin_ns;
         --k)
      is_repeated = is_same_work(ops[k - 1], ops[i]);
    if (!is_repeated) ops[kept++] = ops[i];
  }
  const auto dropped = static_cast<std::int64_t>(ops.size() - kept);
  ops.resize(kept);
  return dropped;
}

}  // namespace zerostall
