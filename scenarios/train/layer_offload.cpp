#include "scenarios/train/layer_offload.h"

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <cmath>

namespace zerostall::train {
namespace {

constexpr std::int64_t kAlignment = 256;  // of each weight in a place, as kernels like it

std::int64_t aligned(std::int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// A tensor like `weight` over the bytes from `offset` on.
at::Tensor view_at(const at::Tensor& bytes, std::int64_t offset, const at::Tensor& weight) {
  return bytes.narrow(0, offset, static_cast<std::int64_t>(weight.nbytes()))
      .view(weight.scalar_type())
      .view(weight.sizes());
}

}  // namespace

LayerOffload::LayerOffload(const std::vector<std::vector<at::Tensor>>& blocks, double fraction, bool asynchronous,
                           at::Device device)
    : first_(blocks.size() - static_cast<std::size_t>(std::lround(fraction * static_cast<double>(blocks.size())))),
      asynchronous_(asynchronous),
      device_(device) {
  const at::NoGradGuard no_grad;
  if (asynchronous_ && !device_.is_cpu()) {
    const c10::impl::VirtualGuardImpl gpu(device_.type());
    if (!device_.has_index()) device_ = gpu.getDevice();
    copy_stream_ = gpu.getStreamFromGlobalPool(device_);
    used_.emplace(device_.type());
  }
  std::int64_t largest = 0;
  for (std::size_t i = first_; i < blocks.size(); ++i)
    largest = std::max(largest, add_block(blocks[i], copy_stream_.has_value()));
  if (!blocks_.empty()) add_places(largest);
}

// Moves a block's weights to the host, into one allocation; returns how many bytes a place needs for it.
std::int64_t LayerOffload::add_block(const std::vector<at::Tensor>& weights, bool pinned) {
  std::vector<Layer> layers;
  std::int64_t bytes = 0;
  for (const at::Tensor& weight : weights) {
    TORCH_CHECK(weight.is_contiguous(), "LayerOffload: a weight of shape ", weight.sizes(), " is not contiguous");
    layers.push_back({.weight = weight, .host = {}, .offset = bytes});
    bytes += aligned(static_cast<std::int64_t>(weight.nbytes()));
  }
  const at::Tensor slab = at::empty({bytes}, at::TensorOptions().dtype(at::kByte).pinned_memory(pinned));
  for (Layer& layer : layers) {
    layer.host = view_at(slab, layer.offset, layer.weight);
    layer.host.copy_(layer.weight.detach());
    layer.weight.set_data(layer.host);
  }
  blocks_.push_back(std::move(layers));
  return bytes;
}

void LayerOffload::add_places(std::int64_t bytes) {
  for (std::size_t i = 0; i < (asynchronous_ ? 2 : 1); ++i) {
    Place place{.bytes = at::empty({bytes}, at::TensorOptions().dtype(at::kByte).device(device_)),
                .block = {},
                .views = {},
                .versions = {},
                .ready = {}};
    if (copy_stream_) {
      // When the run ends, the memory is not given to somebody else under a copy.
      place.bytes.record_stream(*copy_stream_);
      place.ready.emplace(device_.type());
    }
    places_.push_back(std::move(place));
  }
}

void LayerOffload::before_block(std::size_t index) {
  if (index < first_ || blocks_.empty()) return;
  const at::NoGradGuard no_grad;
  const std::size_t block = index - first_;
  if (place_of(block) == nullptr) bring(block, free_place());
  if (copy_stream_) place_of(block)->ready->block(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  const std::optional<std::size_t> next = next_after(block);
  last_ = block;
  if (asynchronous_ && next && place_of(*next) == nullptr) bring(*next, free_place());
}

// The running order: up in the forward pass, down in the backward pass. The same block again is where it turns.
std::optional<std::size_t> LayerOffload::next_after(std::size_t block) {
  if (!last_)
    ascending_ = true;
  else if (block == *last_)
    ascending_ = !ascending_;
  else if (block + 1 == *last_ || block == *last_ + 1)
    ascending_ = block > *last_;
  else
    ascending_ = block == 0 || (block + 1 != blocks_.size() && block > *last_);  // another pass begins
  if (ascending_) return block + 1 < blocks_.size() ? std::optional(block + 1) : std::nullopt;
  return block > 0 ? std::optional(block - 1) : std::nullopt;
}

LayerOffload::Place* LayerOffload::place_of(std::size_t block) {
  const auto found = std::find_if(places_.begin(), places_.end(), [&](const Place& p) { return p.block == block; });
  return found == places_.end() ? nullptr : &*found;
}

// An empty place, else one that does not hold the block that runs.
LayerOffload::Place& LayerOffload::free_place() {
  for (Place& place : places_)
    if (!place.block) return place;
  for (Place& place : places_)
    if (place.block != last_) return place;
  return places_.front();
}

// Copies are queued behind everything that was queued for the device so far: the work of the block whose place this
// was.
template <class Copies>
void LayerOffload::on_copy_stream(const Copies& copies) {
  if (!copy_stream_) return copies();
  used_->record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  used_->block(*copy_stream_);
  const c10::StreamGuard guard(*copy_stream_);
  copies();
}

void LayerOffload::bring(std::size_t block, Place& place) {
  on_copy_stream([&] {
    give_up(place);
    for (Layer& layer : blocks_[block]) {
      at::Tensor view = view_at(place.bytes, layer.offset, layer.host);
      view.copy_(layer.host, asynchronous_);
      layer.weight.set_data(view);
      place.versions.push_back(static_cast<std::int64_t>(layer.weight._version()));
      place.views.push_back(std::move(view));
      ++uploads_;
    }
    if (copy_stream_) place.ready->record(*copy_stream_);
  });
  place.block = block;
}

// What was written comes back to the host first; on the copy stream, so that a later upload finds it.
void LayerOffload::give_up(Place& place) {
  if (!place.block) return;
  std::vector<Layer>& layers = blocks_[*place.block];
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Layer& layer = layers[i];
    if (static_cast<std::int64_t>(layer.weight._version()) != place.versions[i]) {
      layer.host.copy_(place.views[i], asynchronous_);
      ++downloads_;
    }
    layer.weight.set_data(layer.host);
  }
  place.block.reset();
  place.views.clear();
  place.versions.clear();
}

void LayerOffload::to_host() {
  const at::NoGradGuard no_grad;
  on_copy_stream([&] {
    for (Place& place : places_) give_up(place);
  });
  last_.reset();
  // Also copies of earlier blocks may be under way.
  if (copy_stream_ && downloads_ > 0) c10::impl::VirtualGuardImpl(device_.type()).synchronizeStream(*copy_stream_);
}

}  // namespace zerostall::train
