// What the simulated device is and how long things take on it: a data file of models/, every figure with its source.
// All times are modelled, none is measured.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace zerostall::simgpu {

struct KernelClass {
  std::string name;       // part of the kernel's (mangled) name
  std::int64_t block_ns;  // time of one block on one SM
};

struct DeviceModel {
  std::string id;  // "h200"
  std::string name;
  std::int64_t memory_bytes, sm_count, compute_major, compute_minor, clock_khz, memory_clock_khz, memory_bus_bits,
      ecc /* 1: on */, l2_bytes, shared_per_sm_bytes, shared_optin_bytes, blocks_per_sm, threads_per_sm;
  std::int64_t device_bytes_per_us, pinned_bytes_per_us, pageable_bytes_per_us;
  std::int64_t gemm_int8_ops_per_us, gemm_half_ops_per_us, gemm_float_ops_per_us;
  std::int64_t launch_ns, launch_latency_ns, between_launches_ns, kernel_floor_ns, copy_call_ns, copy_latency_ns,
      sync_ns, event_ns, query_ns, allocate_ns, host_allocate_ns;
  std::int64_t launch_queue, staged_copy_limit_bytes, bytes_per_thread;
  std::int64_t link_bytes_per_us, link_latency_ns;  // between devices; models without a link of their own: PCIe
  std::vector<KernelClass> kernel_classes;
};

// Reads models/<id>.json beside the simulated libraries; `id` from ZEROSTALL_SIM_MODEL, default h200. A missing or
// broken file ends the process with one line: the program cannot run on a device that is not described.
DeviceModel load_model();

}  // namespace zerostall::simgpu
