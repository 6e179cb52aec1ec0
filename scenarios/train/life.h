// What happens to a run between its updates: caching, epochs, sampling, validation, backup. Each in an NVTX region of
// its name, outside the marked steps; their host waits are no part of a step. Source: reference-step.md A.2, A.3.5,
// A.5, B.1 #36 to #38.
#pragma once
#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <string>

#include "scenarios/settings.h"
#include "scenarios/train/device_setup.h"
#include "scenarios/train/vae.h"

namespace zerostall::train {

// Names of the regions, for whoever lists their waits. One more may lie within steps: scenarios::kEpochRegion.
inline constexpr const char* kCacheRegion = "cache";
inline constexpr const char* kSampleRegion = "sample";
inline constexpr const char* kValidateRegion = "validate";
inline constexpr const char* kBackupRegion = "backup";
inline constexpr const char* kResumeRegion = "resume";

// The first two convolutions of an encoder and its last, on 8x8 means of the pixels: enough that the VAE is really
// needed where it is needed. images [B, 3, H, W] of the VAE's device -> fp32 [B, 32, H/8, W/8].
at::Tensor encode(const Vae& vae, const at::Tensor& images);

// The same the other way, batch-norm statistics undone first: fp32 [B, 128, h, w] (patchified latents) -> fp32
// [B, 3, 2h, 2w].
at::Tensor decode(const Vae& vae, const at::Tensor& patches);

// Caching before the first epoch: each image goes through the VAE and comes back to the host (one download each). The
// VAE must be on `device`.
void cache_latents(const Vae& vae, std::int64_t count, std::int64_t pixels, at::Device device);

// How often each event happens, and when next.
struct Schedule {
  std::int64_t backup_every = 0, sample_every = 0, validate_every = 0;  // in updates; 0: never
  std::int64_t micro_steps_per_epoch = 0;                               // 0: one epoch without end
  bool backup_due(std::int64_t update) const { return due(update, backup_every); }
  bool sample_due(std::int64_t update) const { return due(update, sample_every); }
  bool validate_due(std::int64_t update) const { return due(update, validate_every); }
  bool epoch_begins(std::int64_t micro_step) const {
    return micro_steps_per_epoch > 0 && micro_step > 0 && micro_step % micro_steps_per_epoch == 0;
  }

 private:
  static bool due(std::int64_t update, std::int64_t every) { return every > 0 && update > 0 && update % every == 0; }
};

Schedule schedule_of(const scenarios::Settings& settings, std::int64_t batch);

}  // namespace zerostall::train
