// What the scenarios of the catalogue share: a small model with a real training step, pinned memory, a second stream,
// and what a run is asked for and leaves behind.
#pragma once
#include <ATen/ATen.h>
#include <c10/core/Event.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "scenarios/train/adamw.h"

namespace zerostall::scenarios::catalogue {

enum class Variant { cause, fixed, near_miss };

inline constexpr std::int64_t kRows = 32, kWidth = 64, kOutputs = 10;

// Two layers with a residual, a head, AdamW. Weights, input and target are the same in every run and on every device.
// No function of it waits for the device; setting it up does.
class Model {
 public:
  explicit Model(at::Device device);

  at::Tensor hidden(const at::Tensor& input) const;    // {n, kWidth} -> the same
  at::Tensor predict(const at::Tensor& hidden) const;  // {n, kWidth} -> {n, kOutputs}
  at::Tensor loss(const at::Tensor& hidden) const;     // of at most kRows rows: fp32 scalar, mean square
  void update();                                       // after backward(): AdamW, and gradients are gone

  at::Tensor input;                    // {kRows, kWidth} on the device
  std::vector<at::Tensor> parameters;  // leaves

 private:
  at::Tensor target_;
  train::AdamW optimizer_;
};

// One run of a scenario. The scenarios are functions `void scalar_read(Run&)` that fill in what is below the line.
struct Run {
  Variant variant = Variant::cause;
  at::Device device = at::kCUDA;
  std::int64_t steps = 8;
  // ---
  std::vector<at::Tensor> weights{};   // after the last update
  std::vector<double> told{};          // numbers that the program took to the host, in order
  std::vector<double> milliseconds{};  // of each step, where the program measures them

  bool is(Variant v) const { return variant == v; }
};

// Calls `body(n)` for each step n, each in an NVTX range "step n".
void each_step(const Run& run, const std::function<void(std::int64_t)>& body);

// Random numbers drawn on the host: {count} tensors of `shape`, pinned where `is_pinned` and the run is on CUDA.
std::vector<at::Tensor> random_batches(const Run& run, std::size_t count, at::IntArrayRef shape, bool is_pinned);

// `host` in pinned memory; as it is on the CPU device, which copies nothing.
at::Tensor pinned(const Run& run, const at::Tensor& host);

// A stream beside the current one. On the CPU device, which has none, work runs at once and in order.
class SideStream {
 public:
  explicit SideStream(at::Device device);
  // Queues `work` there, behind all that the current stream holds now.
  void run(const std::function<void()>& work);
  // The current stream goes on when the work queued there is done; the host does not wait.
  void join();

 private:
  std::optional<at::Stream> stream_;
  std::optional<c10::Event> before_, after_;
};

}  // namespace zerostall::scenarios::catalogue
