#include "scenarios/train/trainer.h"

#include <utility>

#include "profiler/mark/mark.h"

namespace zerostall::train {

Trainer::Trainer(const Job& job, const Options& options, LossLog& log, at::Device device, const FixesOn* fixes)
    : job_(job),
      options_(options),
      log_(log),
      device_(device),
      optimizer_(make_optimizer(options.optimizer, job.parameters)),
      reader_(options.loss_reading, device),
      // The first sum is made from a host number before the loop: one upload in the run (B.1 #19).
      loss_sum_(at::scalar_tensor(0.0, at::kFloat).to(device)) {
  if (options.fused_back_pass) fused_.emplace(job.parameters, *optimizer_);
  if (options.scale_gradients) scaler_.emplace(device, fixes);
  if (options.ema != scenarios::Ema::off) average_.emplace(options.ema, job.parameters, fixes);
}

Trainer::~Trainer() = default;

void Trainer::run(std::int64_t update) {
  if (update == options_.blocking_from) reader_.make_blocking();
  const auto before = [&](std::int64_t number) {
    if (job_.before_micro_step) job_.before_micro_step(update * options_.accumulation + number);
  };
  before(0);
  std::optional<mark::Step> step;
  if (options_.marked) step.emplace(static_cast<long>(update));
  for (std::int64_t i = 0; i < options_.accumulation; ++i) {
    if (i > 0) before(i);
    micro_step(update, i);
  }
}

void Trainer::micro_step(std::int64_t update, std::int64_t number) {
  const std::int64_t micro_step = update * options_.accumulation + number;
  const bool last = number + 1 == options_.accumulation;
  {
    std::optional<mark::Region> load;
    if (options_.marked) load.emplace("load");
    job_.load(micro_step);
  }
  std::optional<mark::Region> train;
  if (options_.marked) train.emplace("train");
  const at::Tensor loss = job_.loss(micro_step) / options_.accumulation;
  const StepInput input = last ? step_input(update) : StepInput{};
  if (last && fused_) fused_->arm(input);
  (scaler_ ? scaler_->scale(loss) : loss).backward();
  const at::Tensor shown = loss.detach();
  if (job_.all_reduce_mean) job_.all_reduce_mean(shown);  // in every micro-step (A.3.10)
  // After each update the sum starts as a new tensor, so a copy of the old one that is still under way is never
  // overwritten.
  loss_sum_ = loss_sum_.defined() ? loss_sum_.add_(shown) : shown + 0.0;
  if (last) step(update, input);
}

StepInput Trainer::step_input(std::int64_t update) const {
  StepInput input{.learning_rate = learning_rate_at(update, options_.learning_rate, options_.warmup_updates),
                  .learning_rate_tensor = {},
                  .found_inf = {}};
  if (options_.tensor_learning_rate)
    input.learning_rate_tensor =
        at::full({}, input.learning_rate, at::TensorOptions().dtype(at::kFloat).device(device_));
  return input;
}

void Trainer::step(std::int64_t update, StepInput input) {
  const double learning_rate = input.learning_rate;
  if (job_.all_reduce_mean)
    for (const at::Tensor& parameter : job_.parameters)
      if (parameter.grad().defined()) job_.all_reduce_mean(parameter.grad());
  if (fused_) {
    fused_->disarm();
  } else {
    if (scaler_) scaler_->unscale(job_.parameters);
    clip_grad_norm(job_.parameters, options_.max_grad_norm);
    if (!scaler_ || scaler_->may_step(input)) optimizer_->step(input);
    if (scaler_) scaler_->update(update);
    optimizer_->zero_grad();
  }
  const at::Tensor sum = std::exchange(loss_sum_, at::Tensor());
  if (options_.logs) log(reader_.read(sum, update, learning_rate));
  if (average_) average_->update(update);
}

void Trainer::finish() {
  log(reader_.finish());
  if (scaler_) scaler_->finish();
  if (average_) average_->finish();
}

void Trainer::log(const std::vector<LossValue>& values) {
  for (const LossValue& value : values) log_.add(value);
}

std::int64_t train(const Job& job, const Options& options, LossLog& log, at::Device device, const FixesOn* fixes) {
  Trainer trainer(job, options, log, device, fixes);
  for (std::int64_t update = 0; update < options.updates; ++update) {
    trainer.run(update);
  }
  trainer.finish();
  return trainer.event_waits();
}

}  // namespace zerostall::train
