// The C program's steps in C++, with the header in two files.
#include <cuda_runtime_api.h>

#include "profiler/mark/mark.h"

void train();  // other_file.cpp

int main() {
  for (int n = 10; n < 13; ++n) {
    {
      const zerostall::mark::Step step(n);
      cudaDeviceSynchronize();
      train();
    }
    cudaDeviceSynchronize();
  }
  return 0;
}
