// The training loop. Source: reference-step.md A.3 (order of one step), section G (defaults).
#pragma once
#include <ATen/ATen.h>

#include <functional>
#include <vector>

#include "scenarios/settings.h"
#include "scenarios/train/loss_reading.h"

namespace zerostall::train {

// What a scenario brings. A micro-step is one batch; an update is `accumulation` micro-steps and one optimizer step.
struct Job {
  std::function<void(std::int64_t micro_step)> load;  // fetch the batch (region `load`)
  std::function<at::Tensor(std::int64_t micro_step)>
      loss;  // forward pass: fp32 device scalar with a graph (region `train`)
  std::function<void(std::int64_t update)> before_update;  // outside all marks; may be empty
  std::vector<at::Tensor> parameters;                      // trained leaves
};

struct Options {
  std::int64_t updates = 12;
  std::int64_t accumulation = 1;
  scenarios::OptimizerKind optimizer = scenarios::OptimizerKind::adamw;
  double learning_rate = 3e-5;
  std::int64_t warmup_updates = 200;
  double max_grad_norm = 1.0;
  LossReading loss_reading = LossReading::blocking;
  std::int64_t blocking_from = -1;  // from this update on read the loss blockingly (-1: never)
};

// Runs all updates. Marks in NVTX domain `zerostall`: range "step N" per update, in it per micro-step "load" and
// "train"; the last "train" of an update reaches to the end of its log line. Each value goes to `log` under its own
// update's number; with an asynchronous reading the last one after the last step. Throws LossIsNan. Host waits inside
// `train`: those of job.loss, and one per update with a blocking (or upstream's) loss reading. Returns how often the
// loss reading called cudaEventSynchronize.
std::int64_t train(const Job& job, const Options& options, LossLog& log, at::Device device);

}  // namespace zerostall::train
