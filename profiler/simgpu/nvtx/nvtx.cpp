// libnvToolsExt: the library of NVTX 2, which programs older than NVTX 3's header-only form link. NVTX 3's headers can
// also be compiled as that library: ranges then reach the tracer named by NVTX_INJECTION64_PATH, as on a real machine.
#define NVTX_EXPORT_API
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExtSync.h>
