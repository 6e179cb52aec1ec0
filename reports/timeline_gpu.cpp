#include "reports/timeline_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "reports/lanes.h"

namespace zerostall {
namespace {

constexpr std::string_view kOurs = "zerostall";

std::string_view short_name(CopyDirection direction) {
  switch (direction) {
    case CopyDirection::host_to_device:
      return "HtoD";
    case CopyDirection::device_to_host:
      return "DtoH";
    case CopyDirection::device_to_device:
      return "DtoD";
    case CopyDirection::host_to_host:
      return "HtoH";
    case CopyDirection::peer:
      return "PtoP";
    case CopyDirection::none:
    case CopyDirection::unknown:
      break;
  }
  return "<unknown>";
}

std::string_view short_name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::pageable:
      return "Pageable";
    case MemoryKind::pinned:
      return "Pinned";
    case MemoryKind::device:
      return "Device";
    case MemoryKind::managed:
      return "Managed";
    case MemoryKind::unknown:
      break;
  }
  return "Unknown";
}

std::string_view category_of(GpuOpKind kind) {
  switch (kind) {
    case GpuOpKind::kernel:
      return "kernel";
    case GpuOpKind::copy:
      return "gpu_memcpy";
    case GpuOpKind::memset:
      return "gpu_memset";
    case GpuOpKind::graph:
      break;
  }
  return "gpu_graph";
}

void write_gaps(const ExportProcess& process, TimelineSink& sink) {
  if (!process.gaps) return;
  TimelineArgs args;
  std::map<std::uint32_t, Lanes> devices;
  for (const GpuGap& gap : *process.gaps) {
    Track track{TrackKind::gpu_gaps, fmt::format("GPU {} idle", gap.device)};
    track.device = gap.device;
    Lanes& lanes = devices.try_emplace(gap.device, sink, track).first->second;
    args.clear();
    args.add("cause", name_of(gap.cause));
    if (gap.step) args.add("step", process.steps.steps[*gap.step].number);
    std::string python;
    if (gap.wait) {
      const Wait& wait = process.waits[*gap.wait];
      args.add("wait_begin_ns", wait.begin_ns);
      args.add("wait_ns", wait.end_ns - wait.begin_ns);
      args.add("avoidable_ns", gap.avoidable_ns);
      args.add("thread", std::uint64_t{process.trace.threads[wait.thread].id});
      if (const auto* frame = telling_python_frame(process.trace, stack_of(process.trace, wait)))
        args.add("python", python = describe(process.trace, *frame));
    }
    const std::string name = gap_name(process.trace, process.waits, gap);
    lanes.add({0, gap.begin_ns, gap.end_ns, name, kOurs, &args});
  }
  for (auto& [device, lanes] : devices) lanes.finish();
}

struct Shown {
  Nanos begin_ns = 0, end_ns = 0;
  OpIndex op = 0;
};

// Work whose times are of no use is shown at its launch, without length.
Shown shown(const GpuOp& op, OpIndex index) {
  if (op.bad_time) return {op.launch_ns, op.launch_ns, index};
  return {op.begin_ns, op.end_ns, index};
}

class StreamWriter {
 public:
  StreamWriter(const ExportProcess& process, std::uint64_t first_id, TimelineSink& sink)
      : trace_(process.trace), first_id_(first_id), sink_(sink) {}

  void write(std::uint32_t device, std::uint32_t stream, std::vector<Shown>& ops) {
    std::stable_sort(ops.begin(), ops.end(), [](const Shown& a, const Shown& b) {
      return std::tuple(a.begin_ns, -a.end_ns) < std::tuple(b.begin_ns, -b.end_ns);
    });
    Track track{TrackKind::gpu_work, fmt::format("GPU {} stream {}", device, stream)};
    track.device = device;
    track.stream = stream;
    Lanes lanes(sink_, track);
    for (const Shown& op : ops) add(op, lanes);
    lanes.finish();
  }

 private:
  void add(const Shown& at, Lanes& lanes) {
    const GpuOp& op = trace_.gpu_ops[at.op];
    args_.clear();
    args_.add("device", std::uint64_t{op.device});
    args_.add("context", std::uint64_t{op.context});
    args_.add("stream", std::uint64_t{op.stream});
    Slice slice{0, at.begin_ns, at.end_ns, {}, category_of(op.kind), &args_};
    if (op.call != kNoIndex) {
      const std::uint64_t id = first_id_ + op.call;
      args_.add("correlation", id);
      if (trace_.calls[op.call].op == at.op) slice.flow = id;
    }
    if (op.kind == GpuOpKind::copy || op.kind == GpuOpKind::memset) args_.add("bytes", op.bytes);
    if (op.bad_time) args_.add("times", "unusable: shown at the launch");
    const bool has_own_name = op.kind == GpuOpKind::kernel && op.name != 0;
    const std::string made = has_own_name ? std::string() : timeline_name(trace_, op);
    slice.name = has_own_name ? trace_.text(op.name) : made;
    lanes.add(slice);
  }

  const Trace& trace_;
  std::uint64_t first_id_;
  TimelineSink& sink_;
  TimelineArgs args_;
};

}  // namespace

std::string timeline_name(const Trace& trace, const GpuOp& op) {
  switch (op.kind) {
    case GpuOpKind::copy:
      return fmt::format("Memcpy {} ({} -> {})", short_name(op.direction), short_name(op.source),
                         short_name(op.target));
    case GpuOpKind::memset:
      return fmt::format("Memset ({})", short_name(op.target));
    case GpuOpKind::graph:
      return "CUDA graph";
    case GpuOpKind::kernel:
      break;
  }
  return op.name == 0 ? "kernel" : std::string(trace.text(op.name));
}

std::string gap_name(const Trace& trace, const std::vector<Wait>& waits, const GpuGap& gap) {
  switch (gap.cause) {
    case GapCause::after_wait:
      return "idle after " + describe(trace, waits[*gap.wait]);
    case GapCause::late_launch:
      return "idle: the next work was launched late";
    case GapCause::queued:
      return "idle: the next work was launched and did not begin";
    case GapCause::no_more_work:
      return "idle: no more work";
    case GapCause::unknown:
      break;
  }
  return "idle";
}

void write_gpu_tracks(const ExportProcess& process, std::uint64_t first_id, TimelineSink& sink) {
  write_gaps(process, sink);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Shown>> streams;
  for (OpIndex i = 0; i < process.trace.gpu_ops.size(); ++i) {
    const GpuOp& op = process.trace.gpu_ops[i];
    streams[{op.device, op.stream}].push_back(shown(op, i));
  }
  StreamWriter writer(process, first_id, sink);
  for (auto& [stream, ops] : streams) writer.write(stream.first, stream.second, ops);
}

}  // namespace zerostall
