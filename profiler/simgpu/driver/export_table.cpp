// The driver's private tables. NVIDIA's own libraries work through them: a CUDA runtime that is linked into a program
// statically, and the real cuDNN, cuFFT or cuSOLVER. They are not documented, so there is nothing to simulate: such a
// program must be told.
#include <cstdio>
#include <mutex>

#include "driver_behaviours.h"
#include "profiler/simgpu/driver/support.h"

extern "C" __attribute__((visibility("default"))) CUresult cuGetExportTable(const void** table, const CUuuid*) {
  static std::once_flag once;
  std::call_once(once, [] {
    std::fprintf(
        stderr,
        "[zerostall] simulated GPU: this program contains a static CUDA runtime (or another of NVIDIA's libraries "
        "that\nuses private parts of the driver): it bypasses the simulation, which cannot run it. Link the CUDA "
        "runtime dynamically\n(nvcc --cudart shared).\n");
  });
  if (table) *table = nullptr;
  return CUDA_ERROR_NOT_SUPPORTED;
}
