#include "reports/export_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "profiler/analyze/infer_steps.h"
#include "profiler/trace/build_trace.h"

namespace zerostall {
namespace {

const Stack* find_stack(const Trace& trace, std::uint32_t id) {
  const auto stack = trace.stacks.stacks.find(id);
  return stack == trace.stacks.stacks.end() ? nullptr : &stack->second;
}

}  // namespace

ExportProcess make_export_process(RawTrace raw, const ExportProcessOptions& options) {
  ExportProcess process;
  process.name = options.name;
  process.file = options.file;
  process.trace = build_trace(std::move(raw));
  const Trace& trace = process.trace;
  process.steps = find_steps(trace, options.steps).steps;
  process.waits = find_waits(trace);
  const Measured measured = measure_steps(trace, process.steps, process.waits);
  SummaryOptions summary;
  summary.path = options.file;
  summary.warmup = options.warmup;
  process.run = summarize(trace, process.steps, process.waits, measured, summary);
  const Workers workers(trace, process.steps);
  for (const Wait& wait : process.waits)
    process.places.push_back(step_place_of(process.steps, workers, wait.thread, wait.blocks_ns));
  if (auto found = find_gpu_gaps(trace, process.steps, process.waits)) process.gaps = std::move(found->gaps);
  return process;
}

TimeRange time_range(const Trace& trace) {
  TimeRange range{std::numeric_limits<Nanos>::max(), std::numeric_limits<Nanos>::min()};
  const auto add = [&](Nanos begin, Nanos end) {
    range.begin_ns = std::min(range.begin_ns, begin);
    range.end_ns = std::max(range.end_ns, end);
  };
  for (const Call& call : trace.calls) add(call.begin_ns, call.end_ns);
  for (const GpuOp& op : trace.gpu_ops) op.bad_time ? add(op.launch_ns, op.launch_ns) : add(op.begin_ns, op.end_ns);
  for (const Range& r : trace.ranges) add(r.begin_ns, r.open ? r.begin_ns : std::max(r.begin_ns, r.end_ns));
  return range.begin_ns > range.end_ns ? TimeRange{} : range;
}

std::uint32_t stack_of(const Trace& trace, const Wait& wait) {
  const std::uint32_t id = trace.calls[wait.sync != kNoIndex ? wait.sync : wait.copy].stack;
  return trace.stacks.stacks.contains(id) ? id : 0;
}

const PythonFrame* telling_python_frame(const Trace& trace, std::uint32_t id) {
  const Stack* stack = find_stack(trace, id);
  if (stack == nullptr || stack->python.empty()) return nullptr;
  const auto own = std::find_if(stack->python.begin(), stack->python.end(),
                                [&](const PythonFrame& frame) { return !is_library_path(trace.text(frame.file)); });
  return own == stack->python.end() ? &stack->python.front() : &*own;
}

std::string telling_native_frame(const Trace& trace, std::uint32_t id) {
  const Stack* stack = find_stack(trace, id);
  if (stack == nullptr) return {};
  for (const NativeFrame& frame : stack->native) {
    const auto module = trace.stacks.modules.find(frame.module);
    if (module == trace.stacks.modules.end() || is_machinery(module->second.path)) continue;
    const std::string_view path = module->second.path;
    return fmt::format("{} +{:#x}", path.substr(path.rfind('/') + 1), frame.offset);
  }
  return {};
}

std::string describe(const Trace& trace, const PythonFrame& frame) {
  const std::string place =
      frame.line > 0 ? fmt::format("{}:{}", trace.text(frame.file), frame.line) : std::string(trace.text(frame.file));
  return fmt::format("{} in {}", place, trace.text(frame.function));
}

}  // namespace zerostall
