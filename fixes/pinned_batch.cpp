#include "fixes/pinned_batch.h"

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <utility>

namespace zerostall::fixes {

PinnedBatch::PinnedBatch(at::Device device, std::vector<Field> fields) : device_(device) {
  if (!device.is_cpu()) stream_.emplace(c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device));
  for (Set& set : sets_) {
    for (const Field& field : fields) {
      set.host.push_back(
          at::empty(field.sizes, at::TensorOptions().dtype(field.dtype).pinned_memory(!device.is_cpu())));
      // From pageable memory a non-blocking copy blocks all the same.
      TORCH_CHECK(device.is_cpu() || set.host.back().is_pinned(), "PinnedBatch: the host memory is not pinned");
    }
    if (stream_) set.copied.emplace(device.type());
  }
}

const std::vector<at::Tensor>& PinnedBatch::stage() {
  TORCH_CHECK(pending_ < sets_.size(), "PinnedBatch: stage() with two batches pending; call take() first");
  Set& set = next();
  if (set.copied && !set.copied->query()) {
    ++event_waits_;
    set.copied->synchronize();
  }
  staged_ = true;
  return set.host;
}

void PinnedBatch::upload() {
  TORCH_CHECK(std::exchange(staged_, false), "PinnedBatch: upload() without stage()");
  Set& set = next();
  const at::NoGradGuard no_grad;
  if (stream_) {
    // Allocated for the copies' own stream: memory of the training stream would have to wait for what is queued there.
    const c10::StreamGuard on_own_stream(*stream_);
    for (const at::Tensor& host : set.host) set.on_device.push_back(host.to(device_, /*non_blocking=*/true));
    set.copied->record(*stream_);
  } else {
    for (const at::Tensor& host : set.host) set.on_device.push_back(host.clone());
  }
  ++pending_;
}

std::vector<at::Tensor> PinnedBatch::take() {
  TORCH_CHECK(pending_ > 0, "PinnedBatch: take() without upload()");
  Set& set = sets_[oldest_];
  if (stream_) {
    const c10::Stream current = c10::impl::VirtualGuardImpl(device_.type()).getStream(stream_->device());
    set.copied->block(current);
    // Freed memory goes back to the copies' stream: not before the work on this one is done.
    for (const at::Tensor& tensor : set.on_device) tensor.record_stream(current);
  }
  oldest_ = (oldest_ + 1) % sets_.size();
  --pending_;
  return std::exchange(set.on_device, {});
}

void PinnedBatch::discard() {
  for (; pending_ > 0; --pending_, oldest_ = (oldest_ + 1) % sets_.size()) sets_[oldest_].on_device.clear();
  staged_ = false;
}

}  // namespace zerostall::fixes
