#include "fixes/async_loss.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <utility>

namespace zerostall::fixes {

AsyncTensorExchange::AsyncTensorExchange(at::Device device, at::ScalarType dtype, at::IntArrayRef shape,
                                         Variant variant)
    : device_(device), variant_(variant) {
  const std::size_t count = variant == Variant::upstream ? 1 : 2;
  for (std::size_t i = 0; i < count; ++i) {
    Slot slot;
    slot.host = at::empty(shape, at::TensorOptions().dtype(dtype).pinned_memory(device.is_cuda()));
    if (device.is_cuda()) {
      // A non-blocking copy into pageable memory would block, or hand out garbage when read early.
      TORCH_CHECK(slot.host.is_pinned(), "AsyncTensorExchange: the slot's host memory is not pinned");
      slot.copied.emplace(device.type());
    }
    slots_.push_back(std::move(slot));
  }
}

void AsyncTensorExchange::submit(const at::Tensor& source, Tag tag) {
  TORCH_CHECK(pending_ < slots_.size(), "AsyncTensorExchange: submit() of update ", tag.update,
              " with every slot pending; call take() first");
  Slot& slot = slots_[(oldest_ + pending_) % slots_.size()];
  TORCH_CHECK(source.device().type() == device_.type() && source.scalar_type() == slot.host.scalar_type() &&
                  source.sizes() == slot.host.sizes(),
              "AsyncTensorExchange: made for ", slot.host.scalar_type(), " ", slot.host.sizes(), " on ", device_,
              ", got ", source.scalar_type(), " ", source.sizes(), " on ", source.device());
  const at::NoGradGuard no_grad;
  slot.source = source.detach();
  slot.host.copy_(slot.source, /*non_blocking=*/true);
  if (slot.copied) slot.copied->record(c10::impl::VirtualGuardImpl(device_.type()).getStream(source.device()));
  slot.tag = tag;
  ++pending_;
}

std::optional<AsyncTensorExchange::Delivery> AsyncTensorExchange::take() {
  if (pending_ == 0) return std::nullopt;
  Slot& slot = slots_[oldest_];
  if (slot.copied) wait_for(*slot.copied);
  Delivery delivery{.value = slot.host.clone(at::MemoryFormat::Contiguous), .tag = slot.tag};
  slot.source.reset();
  oldest_ = (oldest_ + 1) % slots_.size();
  --pending_;
  return delivery;
}

void AsyncTensorExchange::wait_for(const c10::Event& event) {
  // A step has more launches than the launch queue holds, so once a step is queued the copy of the step before it is
  // done and the query says so. Upstream does not ask.
  if (variant_ == Variant::query_first && event.query()) return;
  ++event_waits_;
  event.synchronize();
}

}  // namespace zerostall::fixes
