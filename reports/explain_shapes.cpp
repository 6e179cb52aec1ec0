#include <array>

#include "reports/explain_parts.h"

namespace zerostall::explain {
namespace {

constexpr Explanation kDynamicShape{
    .name = "dynamic-shape",
    .what =
        R"(How large the result is depends on values: boolean masks as an index, nonzero(), unique(),
masked_select(), one-argument where(). The host needs the size to allocate it, so the count is
copied back and waited for.)",
    .looks =
        R"(Kernels that scan or select (CUB's DeviceReduce, DeviceSelect), then 4 or 8 bytes from device
to host and a stream sync, in forward or in the loss.)",
    .pytorch =
        R"(Keep the shape and mask the values: torch.where(mask, x, 0), weights of zero, ignore_index of
the losses. Where the count is known on the host (from the data loader), build indices there.)",
    .libtorch = R"(The same: at::where and sums in place of x.index({mask}).)",
    .before = R"(loss = per_token[mask].mean())",
    .after = R"(kept = torch.where(mask, per_token, 0.0)
loss = kept.sum() / mask.sum().clamp(min=1))",
    .cpp_before = R"(auto loss = per_token.index({mask}).mean();)",
    .cpp_after = R"(auto kept = at::where(mask, per_token, at::zeros_like(per_token));
auto loss = kept.sum() / mask.sum().clamp_min(1);)",
    .no_problem =
        R"(Where few elements remain and the work on all of them would cost more than the wait; in
evaluation.)"};

constexpr Explanation kSizeFromDevice{
    .name = "size-from-device",
    .what = R"(A size is computed on the GPU and wanted on the host: repeat_interleave without output_size,
int(lengths.max()), lists of offsets made by cumsum.)",
    .looks = R"(A cumsum, max or sum kernel, then 8 bytes from device to host and a stream sync.)",
    .pytorch = R"(Sizes come from the data: compute them on the CPU, where the batch is made, and take them
along. repeat_interleave takes output_size. Or pad to a fixed size.)",
    .libtorch = R"(at::repeat_interleave(x, repeats, dim, output_size), with the size from the batch on the host.)",
    .before = R"(longest = int(lengths.max())                    # lengths is on the GPU
tokens = tokens[:, :longest]
rows = torch.repeat_interleave(x, lengths, dim=0))",
    .after = R"(longest = int(batch.lengths.max())              # batch.lengths is on the CPU
total = int(batch.lengths.sum())
tokens = tokens[:, :longest]
rows = torch.repeat_interleave(x, lengths, dim=0, output_size=total))",
    .cpp_before = R"(auto rows = at::repeat_interleave(x, lengths, 0);)",
    .cpp_after = R"(const int64_t total = host_lengths.sum().item<int64_t>();  // on the CPU: no wait
auto rows = at::repeat_interleave(x, lengths, 0, total);)",
    .no_problem = R"(Once per batch in a loader that has a stream of its own, while the step before computes.)"};

constexpr Explanation kHostTable{
    .name = "host-table-by-device-index",
    .what =
        R"(A table on the host (a list, a NumPy array, a CPU tensor) is indexed by a number from the GPU,
such as the time step of a noise schedule: the number is read back first. A tensor on the GPU
indexed by a 0-dimensional tensor there, table[t], does the same.)",
    .looks = R"(8 bytes from device to host and a stream sync at the line that looks something up, often
followed by an upload of what was found.)",
    .pytorch =
        R"(Table and index on one side: the table as a buffer on the GPU with index_select or gather, or
the index drawn on the CPU, where no wait is needed.)",
    .libtorch = R"(table.index_select(0, t.reshape({1})) with both on the GPU.)",
    .before = R"(t = torch.randint(0, 1000, (), device="cuda")
sigma = sigmas[int(t)]                # a list, or a tensor on the CPU)",
    .after = R"(t = torch.randint(0, 1000, (1,), device="cuda")
sigma = sigmas_on_gpu.index_select(0, t))",
    .cpp_before = R"(const double sigma = sigmas[t.item<int64_t>()];)",
    .cpp_after = R"(auto sigma = sigmas_on_device.index_select(0, t.reshape({1}));)",
    .no_problem = R"(Where the index is made on the CPU: then there is nothing to wait for.)"};

constexpr std::array kTexts = {kDynamicShape, kSizeFromDevice, kHostTable};

}  // namespace

std::span<const Explanation> shapes() { return kTexts; }

}  // namespace zerostall::explain
