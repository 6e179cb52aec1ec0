// One activity record of CUPTI -> one record of the trace.
#pragma once
#include <cupti.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "profiler/trace/format.h"

namespace zerostall::tracer {

// Ids of kernel names, by address. CUPTI gives the same address for the same kernel, but only as long as its module
// lives; another name may come to stand there: contents are compared. Not thread-safe.
class KernelNames {
 public:
  using Intern = std::uint32_t (*)(std::string_view name);  // gives a name its id
  explicit KernelNames(Intern intern) : intern_(intern) {}
  std::uint32_t id_of(const char* name);  // 0 for null

 private:
  struct Known {
    std::string text;
    std::uint32_t id = 0;
  };
  Intern intern_;
  std::unordered_map<const char*, Known> known_;
};

// Layouts of records have only ever grown at their ends: each is read as the oldest CUPTI that is supported (CUDA 12.0)
// made it, which every newer one's begins with. False: not a record of GPU work.
bool read_gpu_work(const CUpti_Activity& record, KernelNames& names, format::GpuRecord& out);

// False: not a record of overhead. Frees what the record owns. `cupti_version`: cuptiGetVersion's.
bool read_overhead(const CUpti_Activity& record, std::uint32_t cupti_version, format::OverheadRecord& out);

inline constexpr std::uint32_t kFirstToTellQueueFull =
    22;  // CUPTI of CUDA 12.4: says of launches that the queue was full
// CUDA 12.5: graphs recorded as a whole are safe (12.4 crashed on copies and memsets in them).
inline constexpr std::uint32_t kFirstWithWholeGraphs = 23;

}  // namespace zerostall::tracer
