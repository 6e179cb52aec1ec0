/* Ten marked steps. `waits`: each reads a value back; `idle`: no call of CUDA is made. C99, without headers of CUDA. */
#include <string.h>
#include <zerostall/mark.h>

#include "cuda.h"

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  int (*memset_async)(void*, int, size_t, void*);
  int (*copy)(void*, const void*, size_t, int);
  int (*allocate)(void**, size_t);
  void* device = NULL;
  float loss = 0;
  long n;
  if (strcmp(how, "idle") == 0) return 0;
  *(void**)&memset_async = cuda("cudaMemsetAsync");
  *(void**)&copy = cuda("cudaMemcpy");
  *(void**)&allocate = cuda("cudaMalloc");
  if (allocate(&device, 1 << 20) != 0) return 8;
  for (n = 0; n < 10; ++n) {
    zerostall_step_begin(n);
    zerostall_region_push("train");
    memset_async(device, 0, 1 << 20, NULL);
    if (strcmp(how, "waits") == 0) copy(&loss, device, sizeof loss, 2);
    zerostall_region_pop();
    zerostall_step_end();
  }
  return 0;
}
