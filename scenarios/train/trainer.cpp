#include "scenarios/train/trainer.h"

#include "profiler/mark/mark.h"
#include "scenarios/train/optimizer.h"

namespace zerostall::train {
namespace {

// Sum of an update's micro-step losses, on the device. The first one is made from a host number before the loop (one
// upload in the run); after each update the sum starts as a new tensor, so a copy of the old one that is still under
// way is never overwritten.
class LossSum {
 public:
  explicit LossSum(at::Device device) : sum_(at::scalar_tensor(0.0, at::kFloat).to(device)) {}
  void add(const at::Tensor& loss) { sum_ = sum_.defined() ? sum_.add_(loss.detach()) : loss.detach() + 0.0; }
  at::Tensor take() { return std::exchange(sum_, at::Tensor()); }

 private:
  at::Tensor sum_;
};

class Update {
 public:
  Update(const Job& job, const Options& options, LossLog& log, at::Device device)
      : job_(job),
        options_(options),
        log_(log),
        optimizer_(make_optimizer(options.optimizer, job.parameters)),
        reader_(options.loss_reading, device),
        sum_(device) {}

  void run(std::int64_t update) {
    if (update == options_.blocking_from) reader_.make_blocking();
    const mark::Step step(static_cast<long>(update));
    for (std::int64_t i = 0; i < options_.accumulation; ++i) {
      const std::int64_t micro_step = update * options_.accumulation + i;
      {
        const mark::Region load("load");
        job_.load(micro_step);
      }
      const mark::Region train("train");
      const at::Tensor loss = job_.loss(micro_step) / options_.accumulation;
      loss.backward();
      sum_.add(loss);
      if (i + 1 == options_.accumulation) finish(update);
    }
  }

  void log(const std::vector<LossValue>& values) {
    for (const LossValue& value : values) log_.add(value);
  }

  LossReader& reader() { return reader_; }

 private:
  void finish(std::int64_t update) {
    const double learning_rate = learning_rate_at(update, options_.learning_rate, options_.warmup_updates);
    clip_grad_norm(job_.parameters, options_.max_grad_norm);
    optimizer_->step({.learning_rate = learning_rate, .learning_rate_tensor = {}, .found_inf = {}});
    optimizer_->zero_grad();
    log(reader_.read(sum_.take(), update, learning_rate));
  }

  const Job& job_;
  const Options& options_;
  LossLog& log_;
  std::unique_ptr<Optimizer> optimizer_;
  LossReader reader_;
  LossSum sum_;
};

}  // namespace

std::int64_t train(const Job& job, const Options& options, LossLog& log, at::Device device) {
  Update update(job, options, log, device);
  for (std::int64_t number = 0; number < options.updates; ++number) {
    if (job.before_update) job.before_update(number);
    update.run(number);
  }
  update.log(update.reader().finish());
  return update.reader().event_waits();
}

}  // namespace zerostall::train
