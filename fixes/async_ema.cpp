#include "fixes/async_ema.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <utility>

namespace zerostall::fixes {

AsyncEma::AsyncEma(std::vector<at::Tensor> parameters, std::vector<at::Tensor> averages)
    : parameters_(std::move(parameters)), averages_(std::move(averages)) {
  TORCH_CHECK(parameters_.size() == averages_.size(), "AsyncEma: ", parameters_.size(), " parameters, but ",
              averages_.size(), " averages");
  const auto on_gpu = std::find_if(parameters_.begin(), parameters_.end(), [](const auto& p) { return p.is_cuda(); });
  for (Slot& slot : slots_) {
    if (on_gpu != parameters_.end()) slot.copied.emplace(on_gpu->device().type());
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const at::Tensor& parameter = parameters_[i];
      TORCH_CHECK(averages_[i].is_cpu() && averages_[i].scalar_type() == at::kFloat &&
                      averages_[i].sizes() == parameter.sizes(),
                  "AsyncEma: average ", i, " must be fp32 on the host with the shape of its parameter");
      slot.values.push_back(
          at::empty(parameter.sizes(),
                    at::TensorOptions().dtype(parameter.scalar_type()).pinned_memory(on_gpu != parameters_.end())));
    }
  }
}

void AsyncEma::update(double decay) {
  const at::NoGradGuard no_grad;
  while (pending_ > 0 && oldest_is_done()) apply_oldest();
  if (pending_ == slots_.size()) {
    ++event_waits_;
    slots_[oldest_].copied->synchronize();
    apply_oldest();
  }
  Slot& slot = slots_[(oldest_ + pending_) % slots_.size()];
  const at::Tensor* on_gpu = nullptr;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    slot.values[i].copy_(parameters_[i].detach(), /*non_blocking=*/true);
    if (parameters_[i].is_cuda()) on_gpu = &parameters_[i];
  }
  if (on_gpu != nullptr)
    slot.copied->record(c10::impl::VirtualGuardImpl(on_gpu->device().type()).getStream(on_gpu->device()));
  slot.decay = decay;
  ++pending_;
}

void AsyncEma::drain() {
  const at::NoGradGuard no_grad;
  while (pending_ > 0) {
    if (!oldest_is_done()) {
      ++event_waits_;
      slots_[oldest_].copied->synchronize();
    }
    apply_oldest();
  }
}

// An event that was never recorded counts as done: then nothing was on the device.
bool AsyncEma::oldest_is_done() const { return !slots_[oldest_].copied || slots_[oldest_].copied->query(); }

void AsyncEma::apply_oldest() {
  const Slot& slot = slots_[oldest_];
  for (std::size_t i = 0; i < averages_.size(); ++i) ema_step(averages_[i], slot.values[i], slot.decay);
  oldest_ = (oldest_ + 1) % slots_.size();
  --pending_;
}

}  // namespace zerostall::fixes
