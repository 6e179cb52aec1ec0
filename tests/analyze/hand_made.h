// Traces with times to the nanosecond, for tests: calls and GPU work where the test puts them.
//
//   HandMade t;
//   t.work(t.call("cudaLaunchKernel_v7000", -10, -8), -5, 1000);
//   t.call("cudaStreamSynchronize_v3020", 0, 1003);
//   const Costs costs = t.costs();
//
// Calls of one thread are given in the order in which they return; times count from a base that is no part of them.
#pragma once
#include <string>
#include <utility>

#include "profiler/analyze/wait_costs.h"
#include "profiler/trace/build_trace.h"

namespace zerostall::testing {

inline constexpr Nanos kBase = 1'000'000'000;

struct Costs {
  Trace trace;
  Steps steps;
  std::vector<Wait> waits;
  std::optional<WaitCosts> costs;

  Nanos begin_of(const Wait& wait) const { return wait.begin_ns - kBase; }
  const WaitCost& of(std::size_t wait) const { return costs.value().waits.at(wait); }
};

inline Costs costs_of(RawTrace raw) {
  Costs found;
  found.trace = build_trace(std::move(raw));
  found.steps = split_steps(found.trace);
  found.waits = find_waits(found.trace);
  found.costs = cost_of_waits(found.trace, found.steps, found.waits);
  return found;
}

struct Place {
  std::uint32_t device = 0, context = 1, stream = 13;
};

class HandMade {
 public:
  RawTrace raw;
  std::uint32_t thread = 1;
  std::uint64_t stream = 7;  // a handle
  std::uint32_t context = 1;
  Nanos base = kBase;

  HandMade() { raw.meta.clock = Clock::modelled; }

  // Returns its correlation.
  std::uint32_t call(const std::string& name, Nanos begin, Nanos end, std::uint64_t handle = 0) {
    RawCall c;
    c.begin_ns = base + begin;
    c.end_ns = base + end;
    c.stream = stream;
    c.handle = handle;
    c.thread = thread;
    c.context = context;
    c.correlation = next_++;
    c.name = raw.strings.intern(name);
    raw.calls.push_back(c);
    return c.correlation;
  }
  std::uint32_t launch(Nanos begin, Nanos end) { return call("cudaLaunchKernel_v7000", begin, end); }
  void sync(Nanos begin, Nanos end) { call("cudaStreamSynchronize_v3020", begin, end); }

  RawGpuOp& work(std::uint32_t correlation, Nanos begin, Nanos end, Place place = {}) {
    RawGpuOp op;
    op.begin_ns = base + begin;
    op.end_ns = base + end;
    op.correlation = correlation;
    op.device = place.device;
    op.context = place.context;
    op.stream = place.stream;
    raw.gpu_ops.push_back(op);
    return raw.gpu_ops.back();
  }
  // An upload by cudaMemcpyAsync.
  void upload(Nanos begin, Nanos end, Nanos transfer_begin, Nanos transfer_end,
              MemoryKind memory = MemoryKind::pageable) {
    RawGpuOp& op = work(call("cudaMemcpyAsync_v3020", begin, end), transfer_begin, transfer_end);
    op.kind = GpuOpKind::copy;
    op.direction = CopyDirection::host_to_device;
    op.source = memory;
    op.target = MemoryKind::device;
    op.bytes = 4096;
  }
  void step(int number, Nanos begin, Nanos end) {
    const StringId domain = raw.strings.intern("zerostall");
    const StringId text = raw.strings.intern("step " + std::to_string(number));
    raw.marks.push_back({base + begin, 0, thread, domain, text, RawMarkKind::push});
    raw.marks.push_back({base + end, 0, thread, domain, 0, RawMarkKind::pop});
  }

  Costs costs() { return costs_of(std::move(raw)); }  // once

 private:
  std::uint32_t next_ = 1;
};

}  // namespace zerostall::testing
