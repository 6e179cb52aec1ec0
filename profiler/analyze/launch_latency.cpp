#include "profiler/analyze/launch_latency.h"

#include <algorithm>
#include <map>
#include <utility>

namespace zerostall {

Nanos find_launch_latency(const Trace& trace) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Nanos> busy_until;  // by context and stream
  std::vector<Nanos> latencies;
  for (const GpuOp& op : trace.gpu_ops) {
    if (op.bad_time) continue;
    const auto [stream, is_first] = busy_until.try_emplace({op.context, op.stream}, op.end_ns);
    if (op.call != kNoIndex && (is_first || stream->second <= op.launch_ns))
      latencies.push_back(std::max<Nanos>(0, op.begin_ns - op.launch_ns));
    stream->second = std::max(stream->second, op.end_ns);
  }
  if (latencies.empty()) return 0;
  const auto fast = latencies.begin() + static_cast<std::ptrdiff_t>((latencies.size() + 19) / 20 - 1);
  std::nth_element(latencies.begin(), fast, latencies.end());
  return *fast;
}

}  // namespace zerostall
