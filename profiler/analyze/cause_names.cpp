#include "profiler/analyze/cause_names.h"

#include <array>

namespace zerostall {
namespace {

using enum CauseKind;
using enum Confidence;
using enum NamePlace;
constexpr auto kDown = CopyDirection::device_to_host;
constexpr auto kUp = CopyDirection::host_to_device;
constexpr auto kAny = CopyDirection::unknown;

// clang-format off
constexpr auto kClues = std::to_array<NameClue>({
    // Operators whose result has a size that only the device knows.
    {op, "aten::nonzero", dynamic_shape, high, kDown}, {op, "aten::masked_select", dynamic_shape, high, kDown},
    {op, "aten::unique_consecutive", dynamic_shape, high, kDown}, {op, "aten::_unique2", dynamic_shape, high, kDown},
    {op, "aten::_unique", dynamic_shape, high, kDown}, {op, "aten::unique_dim", dynamic_shape, high, kDown},
    {op, "torchvision::nms", dynamic_shape, high, kAny}, {op, "aten::bincount", dynamic_shape, high, kDown},
    {op, "aten::repeat_interleave", size_from_device, high, kDown},
    {op, "aten::repeat_interleave_Tensor", size_from_device, high, kDown},  // as C++ names overloads
    {op, "aten::repeat_interleave_self_Tensor", size_from_device, high, kDown},
    // A bool of a tensor: what for, the operator does not say.
    {op, "aten::is_nonzero", branch_on_device, medium, kDown}, {op, "aten::equal", branch_on_device, high, kDown},
    {op, "aten::allclose", branch_on_device, high, kDown},
    // Did a factorization work? To be able to throw.
    {op, "aten::_linalg_check_errors", library_internal, high, kDown},

    // Functions of LibTorch.
    {function, "torch::nn::utils::clip_grad_norm_", finite_check, high, kDown},
    {function, "torch::cuda::synchronize", explicit_sync, high, kAny},
    // Asks an index that is a tensor of one number for it; a mask has asked by nonzero before.
    {function, "at::Tensor::index", host_table_by_device_index, high, kDown},
    {function, "at::indexing::get_item", host_table_by_device_index, high, kDown},

    // Libraries.
    {file, "torch/amp/grad_scaler.py", amp_scaler, high, kDown}, {file, "torch/cuda/amp/grad_scaler.py", amp_scaler, high, kDown},
    {file, "torch/nn/utils/clip_grad.py", finite_check, high, kDown},
    {function, "detect_anomaly", finite_check, high, kDown},
    {file, "torch/_tensor_str.py", download, high, kDown},
    {file, "torch/random.py", library_internal, high, kAny}, {file, "torch/cuda/random.py", library_internal, high, kAny},
    {file, "torch/profiler/profiler.py", library_internal, high, kAny}, {file, "torch/autograd/profiler.py", library_internal, high, kAny},
    {file, "torch/distributed/distributed_c10d.py", library_internal, medium, kAny},
    {file, "torch/optim/lr_scheduler.py", scalar_read, medium, kDown},
    {file, "torchmetrics/metric.py", library_internal, high, kAny},
    {file, "torch/distributions/distribution.py", library_internal, high, kDown},  // validate_args: are all in range?
    {file, "schedulers/scheduling_flow_match_euler_discrete.py", host_table_by_device_index, medium, kDown},
    {file, "schedulers/scheduling_ddpm.py", host_table_by_device_index, medium, kDown},
    {file, "schedulers/scheduling_ddim.py", host_table_by_device_index, medium, kDown},
    {file, "schedulers/scheduling_euler_discrete.py", host_table_by_device_index, medium, kDown},
    {function, "empty_cache", allocator, high, kAny},
    {function, "_cuda_emptyCache", allocator, high, kAny},

    // What the user's own line says.
    {source, "isfinite", finite_check, high, kDown}, {source, "isnan", finite_check, high, kDown},
    {source, "isinf", finite_check, high, kDown}, {source, "nan_to_num", finite_check, low, kDown},
    {source, "scaler.step", amp_scaler, high, kDown}, {source, "scaler.update", amp_scaler, high, kDown},
    {source, "nonzero", dynamic_shape, high, kDown}, {source, "masked_select", dynamic_shape, high, kDown},
    {source, ".unique(", dynamic_shape, high, kDown}, {source, "torch.unique(", dynamic_shape, high, kDown},
    {source, "argwhere", dynamic_shape, high, kDown},
    {source, "repeat_interleave", size_from_device, high, kDown}, {source, "max().item()", size_from_device, medium, kDown},
    {source, ".tolist()", download, high, kDown}, {source, ".numpy()", download, high, kDown}, {source, ".cpu()", download, high, kDown},
    {source, "print(", scalar_read, high, kDown}, {source, "log(", scalar_read, medium, kDown}, {source, "loss.item()", scalar_read, high, kDown},
    {source, "float(loss", scalar_read, high, kDown}, {source, ".item()", scalar_read, medium, kDown},
    {source, "torch.tensor(", tensor_from_host, high, kUp}, {source, "torch.as_tensor(", tensor_from_host, high, kUp},
    {source, "torch.from_numpy(", pageable_batch, high, kUp},
    {source, "index_for_timestep(", host_table_by_device_index, high, kDown},
    {source, "if ", branch_on_device, medium, kDown}, {source, "while ", branch_on_device, medium, kDown},
    {source, "assert ", branch_on_device, medium, kDown},
    {source, "synchronize()", explicit_sync, high, kAny}, {source, "empty_cache()", allocator, high, kAny},

    // Kernels right before: what computed the value that is read.
    // A mask counts what it selects by a reduction over NonZeroOp, reads the count, and selects then: what selected for the
    // line before says nothing, so only the very last kernel does.
    {last_kernel, "NonZeroOp", dynamic_shape, medium, kDown}, {last_kernel, "DeviceSelect", dynamic_shape, medium, kDown},
    {last_kernel, "nonzero", dynamic_shape, medium, kDown}, {last_kernel, "DeviceUniqueBy", dynamic_shape, medium, kDown},
    {last_kernel, "compute_num_unique", dynamic_shape, medium, kDown}, {last_kernel, "CountNonZero", dynamic_shape, medium, kDown},
    {last_kernel, "write_indices", dynamic_shape, medium, kDown},
    {last_kernel, "DeviceScanKernel", size_from_device, medium, kDown},  // cumsum of one dimension
    {kernel, "tensor_kernel_scan", size_from_device, medium, kDown}, {kernel, "cumsum", size_from_device, medium, kDown},
    {kernel, "non_finite", amp_scaler, medium, kDown}, {kernel, "nonfinite", amp_scaler, medium, kDown},
    {kernel, "isfinite", finite_check, medium, kDown}, {kernel, "isnan", finite_check, medium, kDown}, {kernel, "isinf", finite_check, medium, kDown},
});
// clang-format on

}  // namespace

std::span<const NameClue> name_clues() { return kClues; }

}  // namespace zerostall
