// Activation, softmax, dropout.
#include "profiler/simgpu/core/simulator.h"
#include "profiler/simgpu/dnn/types.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::dnn;

namespace {

constexpr std::size_t kStateBytes = 48;  // one curandState

std::size_t states_bytes() {  // a generator for each thread the device holds
  const DeviceModel& m = simulator().model;
  return std::size_t(m.sm_count) * std::size_t(m.threads_per_sm) * kStateBytes;
}

// Null states: the descriptor is for inference and needs no generator.
int set_dropout(Dropout* d, float probability, void* states, std::size_t bytes, unsigned long long seed) {
  if (!d) return kBadParamNull;
  if (probability < 0 || probability > 1) return fail(kBadParam, "a probability is between 0 and 1");
  if (states && bytes < states_bytes()) return fail(kBadParamSizeInsufficient, "the states are too small");
  *d = {probability, states, bytes, seed};
  return kSuccess;
}

}  // namespace

EXPORT int cudnnCreateActivationDescriptor(Activation** a) {
  if (!a) return kBadParamNull;
  *a = new Activation{};
  return kSuccess;
}
EXPORT int cudnnDestroyActivationDescriptor(Activation* a) {
  delete a;
  return kSuccess;
}
EXPORT int cudnnSetActivationDescriptor(Activation* a, int mode, int nan_option, double coefficient) {
  if (!a) return kBadParamNull;
  *a = {mode, nan_option, coefficient};
  return kSuccess;
}
EXPORT int cudnnGetActivationDescriptor(const Activation* a, int* mode, int* nan_option, double* coefficient) {
  if (!a) return kBadParamNull;
  if (mode) *mode = a->mode;
  if (nan_option) *nan_option = a->nan_option;
  if (coefficient) *coefficient = a->coefficient;
  return kSuccess;
}
EXPORT int cudnnActivationForward(Handle* h, Activation* a, const void*, const Tensor* x, const void*, const void*,
                                  const Tensor* y, void*) {
  if (!a) return kBadParamNull;
  return touch(h, "sim_cudnn_activation_forward", {x, y});
}
EXPORT int cudnnActivationBackward(Handle* h, Activation* a, const void*, const Tensor* y, const void*,
                                   const Tensor* dy, const void*, const Tensor* x, const void*, const void*,
                                   const Tensor* dx, void*) {
  if (!a) return kBadParamNull;
  return touch(h, "sim_cudnn_activation_backward", {y, dy, x, dx});
}

EXPORT int cudnnSoftmaxForward(Handle* h, int, int, const void*, const Tensor* x, const void*, const void*,
                               const Tensor* y, void*) {
  return touch(h, "sim_cudnn_softmax_forward", {x, y});
}
EXPORT int cudnnSoftmaxBackward(Handle* h, int, int, const void*, const Tensor* y, const void*, const Tensor* dy,
                                const void*, const void*, const Tensor* dx, void*) {
  return touch(h, "sim_cudnn_softmax_backward", {y, dy, dx});
}

EXPORT int cudnnCreateDropoutDescriptor(Dropout** d) {
  if (!d) return kBadParamNull;
  *d = new Dropout{};
  return kSuccess;
}
EXPORT int cudnnDestroyDropoutDescriptor(Dropout* d) {
  delete d;
  return kSuccess;
}
EXPORT int cudnnDropoutGetStatesSize(Handle* h, std::size_t* size) {
  if (!h || !size) return kBadParamNull;
  *size = states_bytes();
  return kSuccess;
}
EXPORT int cudnnDropoutGetReserveSpaceSize(Tensor* x, std::size_t* size) {
  if (!x || !size) return kBadParamNull;
  *size = static_cast<std::size_t>(elements(*x) / 8) + 1;  // one bit of each element
  return kSuccess;
}
// Setting seeds the generators on the device; restoring takes them as they are.
EXPORT int cudnnSetDropoutDescriptor(Dropout* d, Handle* h, float probability, void* states, std::size_t bytes,
                                     unsigned long long seed) {
  if (const int status = set_dropout(d, probability, states, bytes, seed)) return status;
  return states ? kernel_by_bytes(h, "sim_cudnn_dropout_init", double(states_bytes())) : kSuccess;
}
EXPORT int cudnnRestoreDropoutDescriptor(Dropout* d, Handle*, float probability, void* states, std::size_t bytes,
                                         unsigned long long seed) {
  return set_dropout(d, probability, states, bytes, seed);
}
EXPORT int cudnnGetDropoutDescriptor(Dropout* d, Handle*, float* probability, void** states, unsigned long long* seed) {
  if (!d) return kBadParamNull;
  if (probability) *probability = d->probability;
  if (states) *states = d->states;
  if (seed) *seed = d->seed;
  return kSuccess;
}
EXPORT int cudnnDropoutForward(Handle* h, const Dropout* d, const Tensor* x, const void*, const Tensor* y, void*, void*,
                               std::size_t) {
  if (!d) return kBadParamNull;
  return touch(h, "sim_cudnn_dropout_forward", {x, y});
}
EXPORT int cudnnDropoutBackward(Handle* h, const Dropout* d, const Tensor* dy, const void*, const Tensor* dx, void*,
                                void*, std::size_t) {
  if (!d) return kBadParamNull;
  return touch(h, "sim_cudnn_dropout_backward", {dy, dx});
}
