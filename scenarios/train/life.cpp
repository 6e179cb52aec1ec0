#include "scenarios/train/life.h"

#include <algorithm>

#include "profiler/mark/mark.h"

namespace zerostall::train {
namespace {

constexpr std::int64_t kPixelsPerLatent = 8;

// As many channels as the next convolution wants: repeated or cut.
at::Tensor with_channels(const at::Tensor& x, std::int64_t wanted) {
  const std::int64_t times = (wanted + x.size(1) - 1) / x.size(1);
  return x.repeat({1, times, 1, 1}).narrow(1, 0, wanted);
}

at::Tensor convolve(const at::Tensor& x, const at::Tensor& weight) {
  return at::conv2d(with_channels(x, weight.size(1)), weight, {}, at::IntArrayRef{1},
                    at::IntArrayRef{weight.size(2) / 2});
}

}  // namespace

at::Tensor encode(const Vae& vae, const at::Tensor& images) {
  at::Tensor x = at::avg_pool2d(images.to(at::kFloat), kPixelsPerLatent);
  for (std::size_t i = 0; i < 4; ++i) x = at::silu(convolve(x, vae.weights[i]));
  return x.narrow(1, 0, 32);  // the mean of the distribution
}

at::Tensor decode(const Vae& vae, const at::Tensor& patches) {
  const at::Tensor std = at::sqrt(vae.bn.running_var.view({1, -1, 1, 1}) + vae.bn_eps).to(patches.options());
  const at::Tensor mean = vae.bn.running_mean.view({1, -1, 1, 1}).to(patches.options());
  const at::Tensor latents = at::pixel_shuffle(patches * std + mean, 2);
  return convolve(latents, vae.weights[4]).narrow(1, 0, 3);
}

void cache_latents(const Vae& vae, std::int64_t count, std::int64_t pixels, at::Device device) {
  const at::NoGradGuard no_grad;
  const mark::Region region(kCacheRegion);
  for (std::int64_t i = 0; i < count; ++i) {
    const at::Tensor image = at::zeros({1, 3, pixels, pixels}).to(device);
    encode(vae, image).to(at::kBFloat16).cpu();
  }
}

Schedule schedule_of(const scenarios::Settings& settings, std::int64_t batch) {
  return {.backup_every = settings.backup_every,
          .sample_every = settings.sample_every,
          .validate_every = settings.validate_every,
          .micro_steps_per_epoch = settings.samples > 0 ? std::max<std::int64_t>(1, settings.samples / batch) : 0};
}

}  // namespace zerostall::train
