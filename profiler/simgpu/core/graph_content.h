// Contents of graph nodes, made of the parameter structs of the runtime API and answered in them. Arguments of kernels
// are not kept (kernels do nothing, and their sizes are unknown), so kernelParams comes back null.
#pragma once
#include "profiler/simgpu/core/graph_api.h"

namespace zerostall::simgpu {

cudaError_t kernel_content(const cudaKernelNodeParams& params, NodeContent* content);
cudaError_t copy_content(const cudaMemcpy3DParms& params, NodeContent* content);
cudaError_t set_content(const cudaMemsetParams& params, NodeContent* content);
cudaError_t host_content(cudaHostFn_t function, void* argument, NodeContent* content);
cudaMemcpy3DParms linear_copy(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind);

cudaKernelNodeParams kernel_params(const NodeContent& content);
cudaMemcpy3DParms copy_params(const NodeContent& content);
cudaMemsetParams set_params(const NodeContent& content);

}  // namespace zerostall::simgpu
