/* A C program with marked steps. Argument `marks`: steps marked by their start alone. */
#include <cuda_runtime_api.h>
#include <string.h>

#include "profiler/mark/mark.h"

int main(int argc, char** argv) {
  long n;
  if (argc > 1 && strcmp(argv[1], "marks") == 0) {
    for (n = 0; n < 4; ++n) {
      zerostall_step_mark(n);
      cudaDeviceSynchronize();
    }
    return 0;
  }
  for (n = 10; n < 13; ++n) {
    zerostall_step_begin(n);
    cudaDeviceSynchronize();
    zerostall_region_push("train");
    cudaDeviceSynchronize();
    zerostall_region_pop();
    zerostall_step_end();
    cudaDeviceSynchronize(); /* between the steps: counts for none */
  }
  return 0;
}
