// Parts of setup: the VAE and where things live.
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "scenarios/train/device_setup.h"
#include "scenarios/train/vae.h"

namespace zerostall::train {
namespace {

// What upstream's torch_gc does after an eviction: wait for the device, then give unused memory back.
void free_device_cache(at::Device device) {
  if (device.is_cpu()) return;
  const c10::impl::VirtualGuardImpl guard(device.type());
  guard.synchronizeDevice(guard.getDevice().index());
  c10::getDeviceAllocator(device.type())->emptyCache();
}

}  // namespace

void Vae::to(at::Device device) {
  const at::NoGradGuard no_grad;
  for (const at::Tensor& weight : weights) weight.set_data(weight.to(device));
  fixes::pin_batch_norm(bn, device);
}

Vae make_vae() {
  const auto fp32 = at::TensorOptions().dtype(at::kFloat);
  Vae vae;
  // encoder.conv_in, encoder.down_blocks.0.resnets.0.conv1 and .conv2, encoder.conv_out, post_quant_conv
  for (const std::vector<std::int64_t>& shape : std::vector<std::vector<std::int64_t>>{
           {128, 3, 3, 3}, {128, 128, 3, 3}, {128, 128, 3, 3}, {64, 512, 3, 3}, {32, 32, 1, 1}}) {
    vae.weights.push_back(at::empty(shape, fp32).uniform_(-0.05, 0.05));
  }
  vae.bn = {.running_mean = at::empty({128}, fp32).uniform_(-0.1, 0.1),
            .running_var = at::empty({128}, fp32).uniform_(0.5, 1.5),
            .num_batches_tracked = at::zeros({}, fp32.dtype(at::kLong))};
  return vae;
}

void DeviceSetup::apply() const {
  for (const Part& part : parts) {
    if (!part.needed_in_step) part.move_to(temp_device);
  }
  free_device_cache(train_device);
  for (const Part& part : parts) {
    if (part.needed_in_step) part.move_to(train_device);
  }
  for (const auto& hook : after) hook();
}

void DeviceSetup::evict() const {
  for (const Part& part : parts) part.move_to(temp_device);
  free_device_cache(train_device);
}

}  // namespace zerostall::train
