// The training loop. Source: reference-step.md A.3 (order of one step), section G (defaults).
#pragma once
#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "scenarios/settings.h"
#include "scenarios/train/ema.h"
#include "scenarios/train/fixes_on.h"
#include "scenarios/train/fused_back_pass.h"
#include "scenarios/train/grad_scaler.h"
#include "scenarios/train/loss_reading.h"
#include "scenarios/train/optimizer.h"

namespace zerostall::train {

// What a scenario brings. A micro-step is one batch; an update is `accumulation` micro-steps and one optimizer step.
struct Job {
  std::function<void(std::int64_t micro_step)> load;  // fetch the batch (region `load`)
  std::function<at::Tensor(std::int64_t micro_step)>
      loss;  // forward pass: fp32 device scalar with a graph (region `train`)
  // Before the batch is fetched, outside the regions "load" and "train" (in a step where an update has several
  // micro-steps); may be empty.
  std::function<void(std::int64_t micro_step)> before_micro_step;
  std::vector<at::Tensor> parameters;  // trained leaves
  // Mean over all ranks of a device tensor, in place; empty: one rank. Never waits on the host.
  std::function<void(const at::Tensor& tensor)> all_reduce_mean;
};

struct Options {
  std::int64_t updates = 12;
  std::int64_t accumulation = 1;
  scenarios::OptimizerKind optimizer = scenarios::OptimizerKind::adamw;
  bool fused_back_pass = false;
  bool scale_gradients = false;  // fp16
  bool tensor_learning_rate = false;
  scenarios::Ema ema = scenarios::Ema::off;
  double learning_rate = 3e-5;
  std::int64_t warmup_updates = 200;
  double max_grad_norm = 1.0;
  LossReading loss_reading = LossReading::blocking;
  std::int64_t blocking_from = -1;  // from this update on read the loss blockingly (-1: never)
  bool marked = true;               // steps and regions are marked
  bool logs = true;                 // the loss is read and logged here (of several ranks by the first one)
};

// Optimizer, gradient scaler, moving average and loss reading of a run, and one update with them. Marks in NVTX domain
// `zerostall`: range "step N" per update, in it per micro-step "load" and "train"; the last "train" of an update
// reaches to the end of its log line and of the moving average. Host waits inside `train`: those of job.loss, and what
// scenarios/host_waits.cpp lists for the options.
class Trainer {
 public:
  // All are referred to, not copied, and outlive this; `fixes` may be null.
  Trainer(const Job& job, const Options& options, LossLog& log, at::Device device, const FixesOn* fixes = nullptr);
  ~Trainer();

  // Each loss goes to the log under its own update's number. Throws LossIsNan.
  void run(std::int64_t update);
  // What fixes still hold back: after the last update, and before a backup.
  void finish();

  Optimizer& optimizer() { return *optimizer_; }
  const WeightAverage* average() const { return average_ ? &*average_ : nullptr; }
  std::int64_t event_waits() const { return reader_.event_waits(); }

 private:
  void micro_step(std::int64_t update, std::int64_t number);
  void step(std::int64_t update, StepInput input);
  StepInput step_input(std::int64_t update) const;
  void log(const std::vector<LossValue>& values);

  const Job& job_;
  const Options& options_;
  LossLog& log_;
  at::Device device_;
  std::unique_ptr<Optimizer> optimizer_;
  std::optional<FusedBackPass> fused_;
  std::optional<GradScaler> scaler_;
  std::optional<WeightAverage> average_;
  LossReader reader_;
  at::Tensor loss_sum_;
};

// All updates from 0 on, and what is pending at the end. Returns how often the loss reading called
// cudaEventSynchronize.
std::int64_t train(const Job& job, const Options& options, LossLog& log, at::Device device,
                   const FixesOn* fixes = nullptr);

}  // namespace zerostall::train
