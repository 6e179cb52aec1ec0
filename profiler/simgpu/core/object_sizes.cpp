#include "profiler/simgpu/core/object_sizes.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

namespace zerostall::simgpu {
namespace {

constexpr std::size_t kMost = 4096;
thread_local std::vector<std::int64_t> t_sizes;

// "all_gather_object" of "torch/distributed/distributed_c10d.py:3313 in all_gather_object"; "" for other files.
std::string_view object_collective(const CallSite& site) {
  const std::string_view frame = site.library;
  const auto in = frame.rfind(" in ");
  if (!frame.starts_with("torch/distributed/distributed_c10d.py:") || in == frame.npos) return {};
  const std::string_view function = frame.substr(in + 4);
  const bool known = function == "all_gather_object" || function == "gather_object" ||
                     function == "broadcast_object_list" || function == "scatter_object_list" ||
                     function == "_tensor_to_object";
  return known ? function : std::string_view{};
}

void warn(std::string_view function, const CallSite& site) {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  std::fprintf(
      stderr,
      "[zerostall] simulated GPU: %.*s at %s:%d reads what kernels of PyTorch made of objects or their sizes; "
      "it is not real. On an NCCL group this works for objects of equal length only. Use a gloo group for objects "
      "(torch.distributed.new_group(backend=\"gloo\")), or supply the size with --sim-values\n",
      static_cast<int>(function.size()), function.data(), site.file.c_str(), site.line);
}

}  // namespace

void note_exchanged_sizes(const std::int64_t* sizes, std::size_t count) {
  if (count > kMost) count = 0;
  t_sizes.assign(sizes, sizes + count);
}

bool fill_object_size(void* target, std::size_t bytes, const CallSite& site, bool stored) {
  const std::string_view function = object_collective(site);
  if (function.empty()) return false;
  const bool largest = function == "all_gather_object" || function == "gather_object";
  if (largest && bytes == 1 && !t_sizes.empty()) return false;  // of a comparison: the largest is what will be read
  // Of several objects broadcast at once the running total is read too: only one is sure.
  const bool known = largest ? !t_sizes.empty() : function == "broadcast_object_list" && t_sizes.size() == 1;
  if (!known || bytes != sizeof(std::int64_t)) {
    if (!stored) warn(function, site);
    return false;
  }
  const std::int64_t size = *std::max_element(t_sizes.begin(), t_sizes.end());
  std::memcpy(target, &size, sizeof size);
  return true;
}

}  // namespace zerostall::simgpu
