// Recurrent networks: forward and backward passes. A pseudo layer is two kernels: the products of all its inputs at
// once, and the recurrence, whose steps follow one another.
#include "profiler/simgpu/dnn/rnn.h"

#include <algorithm>

#include "profiler/simgpu/core/launch.h"
#include "profiler/simgpu/core/library.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::dnn;

namespace {

constexpr std::int64_t kStepNs = 2000;  // assumption: shortest step of a recurrence, with its grid-wide synchronisation

struct Names {
  const char *inputs, *recurrence;
};

int pass(const Handle* h, const Rnn* r, const RnnData* x, const Names& names) {
  if (!h || !r || !x) return fail(kBadParamNull, "a descriptor is null");
  const int bits = type_bits(r->type);
  const double gates = linear_maps(*r) / 2.0 * r->hidden, steps = x->max_length, batch = x->batch;
  for (int layer = 0; layer < pseudo_layers(*r); ++layer) {
    const double width = weight_matrix(*r, layer, 0).columns;
    const std::int64_t inputs = gemm_ns(steps * batch, gates, width, bits);
    if (const int status = kernel(h, names.inputs, inputs, steps * batch * gates)) return status;
    const std::int64_t step = gemm_ns(batch, gates, output_width(*r), bits);
    const auto all_steps = static_cast<std::int64_t>(steps) * std::max(kStepNs, step);
    if (const int status = kernel(h, names.recurrence, all_steps, batch * gates)) return status;
  }
  return kSuccess;
}

}  // namespace

EXPORT int cudnnRNNForward(Handle* h, Rnn* r, int, const std::int32_t*, RnnData* x, const void*, RnnData*, void*,
                           Tensor*, const void*, void*, Tensor*, const void*, void*, std::size_t, const void*,
                           std::size_t, void*, std::size_t, void*) {
  return pass(h, r, x, {"sim_cudnn_rnn_forward_inputs", "sim_cudnn_rnn_forward_recurrence"});
}
EXPORT int cudnnRNNBackwardData_v8(Handle* h, Rnn* r, const std::int32_t*, RnnData*, const void*, const void*,
                                   RnnData* x, void*, Tensor*, const void*, const void*, void*, Tensor*, const void*,
                                   const void*, void*, std::size_t, const void*, std::size_t, void*, std::size_t,
                                   void*) {
  return pass(h, r, x, {"sim_cudnn_rnn_backward_data_inputs", "sim_cudnn_rnn_backward_data_recurrence"});
}
// The gradients of weights sum over all steps at once: one product a pseudo layer.
EXPORT int cudnnRNNBackwardWeights_v8(Handle* h, Rnn* r, int, const std::int32_t*, RnnData* x, const void*, Tensor*,
                                      const void*, RnnData*, const void*, std::size_t, void*, std::size_t, void*,
                                      std::size_t, void*) {
  if (!h || !r || !x) return fail(kBadParamNull, "a descriptor is null");
  const double gates = linear_maps(*r) / 2.0 * r->hidden, rows = double(x->max_length) * x->batch;
  for (int layer = 0; layer < pseudo_layers(*r); ++layer) {
    const double width = weight_matrix(*r, layer, 0).columns + output_width(*r);
    const std::int64_t ns = gemm_ns(gates, width, rows, type_bits(r->type));
    if (const int status = kernel(h, "sim_cudnn_rnn_backward_weights", ns, gates * width)) return status;
  }
  return kSuccess;
}
EXPORT int cudnnBuildRNNDynamic(Handle*, Rnn* r, int) { return r ? kSuccess : kBadParamNull; }
