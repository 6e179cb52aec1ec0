// The same in C++.
#include <zerostall/mark.h>

#include "cuda.h"

int main() {
  const auto allocate = reinterpret_cast<int (*)(void**, std::size_t)>(cuda("cudaMalloc"));
  const auto memset_async = reinterpret_cast<int (*)(void*, int, std::size_t, void*)>(cuda("cudaMemsetAsync"));
  void* device = nullptr;
  if (allocate(&device, 1 << 20) != 0) return 8;
  for (int n = 0; n < 10; ++n) {
    const zerostall::mark::Step step(n);
    const zerostall::mark::Region train("train");
    memset_async(device, 0, 1 << 20, nullptr);
  }
  return 0;
}
