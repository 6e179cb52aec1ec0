// A made-up run of any size: steps of launches with a copy back behind every tenth.
#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "profiler/trace/raw_trace.h"

namespace zerostall {

inline constexpr int kLaunches = 400;  // of a step; a tenth as many copies, and a sync behind each

// `kernels`: how many names of kernels there are. `jitter_ns`: up to this is added to each time, as real ones differ.
class MadeRun {
 public:
  explicit MadeRun(std::int64_t events, std::uint32_t kernels = 1, Nanos jitter_ns = 0)
      : events_(events), jitter_ns_(jitter_ns) {
    raw_.meta.clock = Clock::modelled;
    launch_ = raw_.strings.intern("cudaLaunchKernel_v7000");
    copy_ = raw_.strings.intern("cudaMemcpyAsync_v3020");
    sync_ = raw_.strings.intern("cudaStreamSynchronize_v3020");
    for (std::uint32_t k = 0; k < kernels; ++k) kernels_.push_back(raw_.strings.intern("kernel" + std::to_string(k)));
  }

  RawTrace make() {
    for (int n = 0; count() < events_; ++n) step(n);
    return std::move(raw_);
  }

 private:
  std::int64_t count() const {
    return static_cast<std::int64_t>(raw_.calls.size() + raw_.gpu_ops.size() + raw_.marks.size());
  }

  void step(int n) {
    const StringId domain = raw_.strings.intern("zerostall");
    const StringId text = raw_.strings.intern("step " + std::to_string(n));
    raw_.marks.push_back({now_ += 10, 0, 1, domain, text, RawMarkKind::push});
    for (int i = 0; i < kLaunches; ++i) {
      call(launch_, 4'000);
      work(GpuOpKind::kernel, 3'000 + i % 7 * 1'000, i % 16 == 0 ? 1 : 0);
      if (i % 10 == 9) read_back();
    }
    raw_.marks.push_back({now_ += 10, 0, 1, domain, 0, RawMarkKind::pop});
  }

  void call(StringId name, Nanos length) {
    RawCall c;
    c.begin_ns = now_;
    c.end_ns = now_ += length + random(jitter_ns_);
    c.stream = 7;
    c.thread = 1;
    c.context = 1;
    c.correlation = ++correlation_;
    c.name = name;
    raw_.calls.push_back(c);
  }

  RawGpuOp& work(GpuOpKind kind, Nanos length, int stream) {
    Nanos& free = free_[stream];
    RawGpuOp op;
    op.begin_ns = std::max(free, now_ + 2'000);
    op.end_ns = free = op.begin_ns + length + random(jitter_ns_);
    op.correlation = correlation_;
    op.context = 1;
    op.stream = static_cast<std::uint32_t>(13 + stream);
    op.name = kernels_[static_cast<std::size_t>(random(static_cast<Nanos>(kernels_.size() - 1)))];
    op.kind = kind;
    raw_.gpu_ops.push_back(op);
    return raw_.gpu_ops.back();
  }

  void read_back() {
    call(copy_, 2'000);
    RawGpuOp& op = work(GpuOpKind::copy, 1'500, 0);
    op.direction = CopyDirection::device_to_host;
    op.source = MemoryKind::device;
    op.target = MemoryKind::pinned;
    op.bytes = 4;
    call(sync_, std::max<Nanos>(0, free_[0] - now_) + 2'000);
  }

  // 0 to `most`.
  Nanos random(Nanos most) {
    seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<Nanos>((seed_ >> 33) % (static_cast<std::uint64_t>(most) + 1));
  }

  std::int64_t events_;
  Nanos jitter_ns_;
  std::uint64_t seed_ = 1;
  RawTrace raw_;
  StringId launch_ = 0, copy_ = 0, sync_ = 0;
  std::vector<StringId> kernels_;
  Nanos now_ = 1'000'000'000;
  Nanos free_[2] = {0, 0};
  std::uint32_t correlation_ = 0;
};

}  // namespace zerostall
