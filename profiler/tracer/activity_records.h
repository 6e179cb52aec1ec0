// One activity record of CUPTI -> one record of the trace.
#pragma once
#include <cupti.h>

#include <cstdint>
#include <string>
#include <unordered_map>

#include "profiler/trace/format.h"

namespace zerostall::tracer {

// Ids of kernel names, by address. CUPTI gives the same address for the same kernel, but only as long as its module
// lives; another name may come to stand there: contents are compared. Not thread-safe.
class KernelNames {
 public:
  std::uint32_t id_of(const char* name);

 private:
  struct Known {
    std::string text;
    std::uint32_t id = 0;
  };
  std::unordered_map<const char*, Known> known_;
};

// Layouts of records have only ever grown at their ends: each is read as the oldest CUPTI that is supported (CUDA 12.0)
// made it, which every newer one's begins with. False: not a record of GPU work.
bool read_gpu_work(const CUpti_Activity& record, KernelNames& names, format::GpuRecord& out);

}  // namespace zerostall::tracer
