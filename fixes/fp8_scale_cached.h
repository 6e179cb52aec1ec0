// Fix `fp8-scale-cached`: the constant scale 1 of an fp8 product is made on the device once, not in each call.
// Source: shared/design/reference-step.md rows B.1 #16, section C ("fp8 variant"). Explanation: fixes/README.md.
//
// Cause: at::_scaled_mm wants a scale tensor for each factor, on the device. Where the true scale of the activations is
// one per row and applied afterwards, the caller passes a constant 1, and made from a host number per call
//     at::scalar_tensor(1.0).to(device)                  // torch.tensor(1.0, device=device)
// it is a blocking upload of 4 bytes, which waits for all work queued before: one per linear and forward pass,
// recomputed ones included. torch.compile hides it, as the constant becomes a fill.
// Change: one constant per device and stream, filled by a kernel when first asked for, and kept.
// Expected effect: 1 upload and 1 stream synchronisation fewer per linear and forward pass (2 per linear and micro-step
// with gradient checkpointing), nothing in their place. No number of the training changes.
//
//   at::_scaled_mm(x_fp8, weight_fp8.t(), zerostall::fixes::cached_one(x_fp8.device()), weight_scale, {}, {},
//   at::kFloat)
#pragma once
#include <ATen/ATen.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <mutex>
#include <utility>
#include <vector>

namespace zerostall::fixes {

// An fp32 scalar 1 on `device`, for work on the calling thread's current stream of that device. Shared: never write to
// it. 4 bytes (a block of 512) per stream that asks, kept until the process ends. Any thread. The first call on a
// stream launches a fill; let it happen before a CUDA graph is captured, as memory made during a capture belongs to the
// graph.
inline at::Tensor cached_one(at::Device device) {
  // Per stream, because the fill is ordered before later work on its own stream only. Never destroyed: device memory
  // cannot be freed once the CUDA runtime has shut down.
  static auto& made = *new std::vector<std::pair<c10::Stream, at::Tensor>>;
  static auto& lock = *new std::mutex;
  const c10::Stream stream = c10::impl::VirtualGuardImpl(device.type()).getStream(device);
  const std::lock_guard guard(lock);
  for (const auto& [of, one] : made)
    if (of == stream) return one;
  const at::NoGradGuard no_grad;
  made.emplace_back(stream, at::ones({}, at::TensorOptions().dtype(at::kFloat).device(device)));
  return made.back().second;
}

}  // namespace zerostall::fixes
