// Fix `deferred-finite-check`: whether fp16 gradients overflowed is not read on the host before the optimizer's step.
// Source: shared/design/reference-step.md row B.1 #28. Explanation: fixes/README.md.
//
// Cause: a gradient scaler unscales the gradients, notes on the device whether one was inf or NaN, and reads that flag
// with .item() to decide on the host whether the optimizer steps: the host waits for the whole backward pass in every
// update, though an overflow is rare.
// Change: the optimizer is always called and is given the flag as a device tensor; where it is non-zero the step
// changes nothing. The host gets the answer one update later through pinned memory (AsyncTensorExchange), for its log.
// Expected effect: one stream synchronisation per update fewer, nothing in its place.
// Weights stay bit-identical, with and without overflows, IF a step with a non-zero flag changes nothing at all:
// neither parameters nor moments nor the step counter that bias correction uses, and if NaN gradients do not get
// through a product with zero (select, do not multiply). torch's fused optimizers do so (at::_fused_adamw_'s found_inf;
// its step counters lie on the device). A counter on the host cannot know, so such an optimizer needs one on the
// device.
//
//   DeferredFiniteCheck check(device);
//   for (each update n) {
//     found_inf.zero_();
//     at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_inf, inverse_scale);
//     step(gradients, found_inf);                                               // always
//     if (auto earlier = check.submit(found_inf, n); earlier && earlier->overflowed) log(earlier->update);
//     at::_amp_update_scale_(scale, growth_tracker, found_inf, 2.0, 0.5, 2000);
//   }
//   if (auto last = check.drain(); last && last->overflowed) log(last->update);
//
// Include this header, link zerostall_fixes (async_loss.cpp). One thread.
#pragma once
#include <ATen/ATen.h>

#include <cstdint>
#include <optional>

#include "fixes/async_loss.h"

namespace zerostall::fixes {

class DeferredFiniteCheck {
 public:
  struct Answer {
    std::int64_t update;
    bool overflowed;  // its step changed nothing
  };

  explicit DeferredFiniteCheck(at::Device device) : exchange_(device, at::kFloat, {1}) {}

  // Queues a copy of `found_inf` (fp32 [1] on the device, non-zero = overflow) of this update, and returns the answer
  // of the update before (nothing at first). The flag may be overwritten by later work on the same stream.
  std::optional<Answer> submit(const at::Tensor& found_inf, std::int64_t update) {
    const std::optional<Answer> earlier = drain();
    exchange_.submit(found_inf, {.update = update, .learning_rate = 0});
    return earlier;
  }

  // The answer that is still pending. May wait, for its own copy only.
  std::optional<Answer> drain() {
    const auto delivery = exchange_.take();
    if (!delivery) return std::nullopt;
    return Answer{.update = delivery->tag.update, .overflowed = delivery->value.item<float>() != 0};
  }

  std::int64_t event_waits() const { return exchange_.event_waits(); }

 private:
  AsyncTensorExchange exchange_;
};

}  // namespace zerostall::fixes
