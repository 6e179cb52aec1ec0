#include "profiler/simgpu/nccl/timing.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <string>

#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu::nccl {
namespace {

constexpr double kBytesPerChannel = 256 * 1024;
constexpr unsigned kMostChannels = 24, kThreads = 512;  // as NCCL uses them on NVSwitch machines

const char* interned(const std::string& text) {
  static std::mutex lock;
  static auto* texts = new std::set<std::string>;
  std::lock_guard guard(lock);
  return texts->insert(text).first->c_str();
}

// NCCL has one kernel for signed and unsigned integers of a width.
const char* type_name(int type) {
  static const char* names[] = {"u8",  "u8",  "u32", "u32",  "u64",    "u64",
                                "f16", "f32", "f64", "bf16", "f8e4m3", "f8e5m2"};
  return type >= 0 && type < kTypes ? names[type] : "u8";
}

const char* reduction_name(int reduction, int type) {
  if (reduction == kProd) return "Prod";
  if (reduction == kMax || reduction == kMin) return "MinMax";
  if (reduction == kAvg) return type >= kFloat16 ? "PreMulSum" : "SumPostDiv";
  return reduction >= kOps ? "PreMulSum" : "Sum";
}

std::string kernel_name(const Operation& op) {
  const std::string prefix = std::string("ncclDevKernel_") + kind_name(op.kind);
  switch (op.kind) {
    case Kind::all_reduce:
    case Kind::reduce:
    case Kind::reduce_scatter:
      return prefix + "_" + reduction_name(op.reduction, op.type) + "_" + type_name(op.type) + "_RING_LL";
    case Kind::broadcast:
    case Kind::all_gather:
      return prefix + "_RING_LL";
    default:  // the others are made of sends and receives
      return "ncclDevKernel_SendRecv";
  }
}

struct Traffic {
  double out_bytes = 0, in_bytes = 0;
  int steps = 0;  // one after the other, each with the latency of a link
};

Traffic traffic_of(const Operation& op) {
  const double block = static_cast<double>(op.count) * static_cast<double>(type_bytes(op.type));
  const int others = op.comm->ranks - 1;
  const bool is_root = op.comm->rank == op.root;
  const double share = static_cast<double>(others) / op.comm->ranks;
  switch (op.kind) {
    case Kind::all_reduce:
      return {2 * share * block, 2 * share * block, 2 * others};
    case Kind::all_gather:
    case Kind::reduce_scatter:
    case Kind::all_to_all:
      return {others * block, others * block, others};
    case Kind::broadcast:
    case Kind::reduce:
      return {block, block, others};
    case Kind::gather:
      return {is_root ? 0 : block, is_root ? others * block : 0, 1};
    case Kind::scatter:
      return {is_root ? others * block : 0, is_root ? 0 : block, 1};
    case Kind::send:
      return {block, 0, 1};
    case Kind::receive:
      return {0, block, 1};
    case Kind::join:
    case Kind::shrink:
      break;
  }
  return {};
}

}  // namespace

Kernel kernel_for(const std::vector<const Operation*>& operations) {
  const DeviceModel& m = simulator().model;
  Traffic sum;
  for (const Operation* op : operations) {
    const Traffic t = traffic_of(*op);
    sum.out_bytes += t.out_bytes;
    sum.in_bytes += t.in_bytes;
    sum.steps = std::max(sum.steps, t.steps);
  }
  const std::string name = kernel_name(*operations.front());
  const double bytes = std::max(sum.out_bytes, sum.in_bytes);  // links carry both directions at once
  const auto channels = std::clamp(static_cast<unsigned>(bytes / kBytesPerChannel), 1u, kMostChannels);
  const auto transfer_ns = static_cast<std::int64_t>(bytes * 1000.0 / static_cast<double>(m.link_bytes_per_us));
  return {interned("_Z" + std::to_string(name.size()) + name + "24ncclDevKernelArgsStorageILm4096EE"), dim3(channels),
          dim3(kThreads), m.kernel_floor_ns + sum.steps * m.link_latency_ns + transfer_ns};
}

}  // namespace zerostall::simgpu::nccl
