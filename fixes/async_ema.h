// Fix `async-ema`: a moving average of the weights that lives on the host is fed without waiting for the device.
// Source: shared/design/reference-step.md A.3.11 h, row B.1 #27. Explanation: fixes/README.md.
//
// Cause: with the average on the host, each update does parameter.detach().to(cpu) for each parameter: a blocking
// download into pageable memory each, and the first of them waits for the whole step.
// Change: the update copies all parameters into pinned memory without blocking, records one event after them, and
// returns. The arithmetic on the host follows when the copies are done: at the next update as a rule. Two sets of slots
// take turns; the event is queried, and waited for only if both sets are still full.
// Expected effect: one stream synchronisation per parameter and update fewer, nothing in their place in steady state.
// The trained weights do not change. After drain() the averages are bit-identical to those of the blocking way: the
// same values, in the same order, with the same arithmetic; before it they lag by one update, or by two.
//
//   AsyncEma ema(parameters, averages);        // averages: fp32 on the host, e.g. parameter.detach().cpu() of each
//   for (each update) {
//     optimizer.step();
//     ema.update(decay);                       // does not wait
//   }
//   ema.drain();                               // before averages are saved or used
//
// No torn copies: the copies are queued on the current stream, the one on which the optimizer runs, so the optimizer's
// next step cannot overwrite a parameter before its copy is done. Do not call it on another stream.
// Costs two pinned copies of the parameters (each rounded up to a power of two bytes by torch's allocator).
#pragma once
#include <ATen/ATen.h>
#include <c10/core/Event.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace zerostall::fixes {

// average += (1 - decay) * (value - average), as diffusers' EMAModel writes it:
// average -= (1 - decay) * (average - value). Both on one device; in the average's dtype (fp32).
inline void ema_step(const at::Tensor& average, const at::Tensor& value, double decay) {
  average.sub_(average.sub(value).mul_(1 - decay));
}

class AsyncEma {
 public:
  // `averages` are updated in place: one for each parameter, same shape, fp32, on the host. Parameters lie on one
  // device; one that lies on the host at an update is copied there and then. Slots are allocated here, once
  // (cudaHostAlloc synchronises). Throws c10::Error on averages that do not fit.
  AsyncEma(std::vector<at::Tensor> parameters, std::vector<at::Tensor> averages);

  // Queues the copies of this update and applies those of earlier ones that are done. One thread.
  void update(double decay);
  // Applies what is pending. May wait, for the copies' own events only.
  void drain();

  std::size_t pending() const { return pending_; }           // updates copied and not applied, at most 2
  std::int64_t event_waits() const { return event_waits_; }  // how often cudaEventSynchronize was called

 private:
  struct Slot {
    std::vector<at::Tensor> values;  // on the host, one per parameter
    std::optional<c10::Event> copied;
    double decay = 0;
  };
  bool oldest_is_done() const;
  void apply_oldest();

  std::vector<at::Tensor> parameters_, averages_;
  std::array<Slot, 2> slots_;
  std::size_t oldest_ = 0, pending_ = 0;
  std::int64_t event_waits_ = 0;
};

}  // namespace zerostall::fixes
