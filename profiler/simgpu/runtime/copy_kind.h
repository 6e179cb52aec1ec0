// cudaMemcpyKind in terms of core/copy.h.
#pragma once
#include <cuda_runtime_api.h>

#include "profiler/simgpu/core/copy.h"

namespace zerostall::simgpu {

inline bool known_kind(cudaMemcpyKind kind) { return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault; }

inline CopyKind copy_kind(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return CopyKind::host_to_host;
    case cudaMemcpyHostToDevice:
      return CopyKind::upload;
    case cudaMemcpyDeviceToHost:
      return CopyKind::download;
    case cudaMemcpyDeviceToDevice:
      return CopyKind::on_device;
    default:
      return CopyKind::any;
  }
}

}  // namespace zerostall::simgpu
