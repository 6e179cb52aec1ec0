// How the loss of an update reaches the host, and what is done with it there.
// Source: reference-step.md A.3.11 e and f (blocking read, smoothing), section F (asynchronous read).
#pragma once
#include <ATen/ATen.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <vector>

#include "fixes/async_loss.h"
#include "scenarios/train/fixes_on.h"

namespace zerostall::train {

struct LossValue {
  std::int64_t update;  // the update that produced it, not the one that logs it
  double loss;
  double learning_rate;
};

class LossReader {
 public:
  LossReader(LossReading reading, at::Device device);

  // Hands in this update's loss (fp32 device scalar) and returns the values that can be logged now: the own one
  // (blocking), or that of the update before (async; none at first).
  std::vector<LossValue> read(const at::Tensor& loss, std::int64_t update, double learning_rate);
  // From now on read blockingly (a fix undone in mid-run).
  void make_blocking() { reading_ = LossReading::blocking; }
  // After the last update: what is still pending.
  std::vector<LossValue> finish();
  std::int64_t event_waits() const { return exchange_ ? exchange_->event_waits() : 0; }

 private:
  std::vector<LossValue> pending();
  LossReading reading_;
  std::optional<fixes::AsyncTensorExchange> exchange_;
};

// Thrown when a logged loss is NaN; names the update that produced it.
struct LossIsNan : std::runtime_error {
  explicit LossIsNan(std::int64_t at_update);
  std::int64_t update;
};

struct LossLine {
  std::int64_t update;
  double loss, smooth_loss, learning_rate;
};

// Bias-corrected moving average: n += 1, d = min(0.99, 1 - 1/n), smooth = smooth * d + loss * (1 - d).
class LossLog {
 public:
  explicit LossLog(std::function<void(const LossLine&)> sink) : sink_(std::move(sink)) {}
  void add(const LossValue& value);  // throws LossIsNan before anything is written

 private:
  std::function<void(const LossLine&)> sink_;
  std::int64_t count_ = 0;
  double smooth_ = 0;
};

}  // namespace zerostall::train
