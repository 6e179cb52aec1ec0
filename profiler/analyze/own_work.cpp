#include "profiler/analyze/own_work.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>

#include "profiler/analyze/device_load.h"

namespace zerostall {
namespace {

struct Busy {
  std::uint32_t device = 0;
  Nanos begin_ns = 0, end_ns = 0;
};

Nanos union_of(std::vector<Busy>& busy) {
  std::sort(busy.begin(), busy.end(), [](const Busy& a, const Busy& b) {
    return std::tie(a.device, a.begin_ns, a.end_ns) < std::tie(b.device, b.begin_ns, b.end_ns);
  });
  Nanos total = 0;
  const Busy* last = nullptr;
  Nanos covered = 0;  // of the device of `last`
  for (const Busy& b : busy) {
    if (last == nullptr || last->device != b.device) covered = b.begin_ns;
    total = add_up(total, std::max<Nanos>(0, b.end_ns - std::max(covered, b.begin_ns)));
    covered = std::max(covered, b.end_ns);
    last = &b;
  }
  return total;
}

class Collectives {
 public:
  explicit Collectives(const Trace& trace) : trace_(trace) {}
  bool has(StringId name) {
    const auto [entry, is_new] = known_.try_emplace(name, false);
    if (is_new) entry->second = is_collective(trace_.text(name));
    return entry->second;
  }

 private:
  const Trace& trace_;
  std::unordered_map<StringId, bool> known_;
};

}  // namespace

bool is_collective(std::string_view kernel) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"nccl", "rccl", "cross_device_reduce", "one_shot_all_reduce", "two_shot_all_reduce", "multimem_all_"});
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view name) { return kernel.find(name) != std::string_view::npos; });
}

std::vector<std::optional<Nanos>> own_gpu_work(const Trace& trace, const Steps& steps) {
  std::vector<std::optional<Nanos>> work(steps.steps.size());
  if (!has_all_gpu_work(trace)) return work;
  Collectives collectives(trace);
  std::vector<Busy> busy;
  auto op = trace.gpu_ops.begin();
  for (std::size_t i = 0; i < steps.steps.size(); ++i) {
    const Step& step = steps.steps[i];
    op = std::partition_point(op, trace.gpu_ops.end(), [&](const GpuOp& o) { return o.launch_ns < step.begin_ns; });
    bool known = true;
    busy.clear();
    for (; op != trace.gpu_ops.end() && op->launch_ns < step.end_ns; ++op) {
      known = known && op->kind != GpuOpKind::graph && !op->bad_time;
      if (!collectives.has(op->name)) busy.push_back({op->device, op->begin_ns, op->end_ns});
    }
    if (known) work[i] = union_of(busy);
  }
  return work;
}

}  // namespace zerostall
