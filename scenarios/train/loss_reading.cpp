#include "scenarios/train/loss_reading.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace zerostall::train {

LossReader::LossReader(LossReading reading, at::Device device) : reading_(reading) {
  using Variant = fixes::AsyncTensorExchange::Variant;
  if (reading == LossReading::blocking) return;
  exchange_.emplace(device, at::kFloat, at::IntArrayRef{},
                    reading == LossReading::async ? Variant::query_first : Variant::upstream);
}

std::vector<LossValue> LossReader::read(const at::Tensor& loss, std::int64_t update, double learning_rate) {
  std::vector<LossValue> values = pending();
  if (reading_ == LossReading::blocking) {
    values.push_back({.update = update, .loss = loss.item<float>(), .learning_rate = learning_rate});
  } else {
    exchange_->submit(loss, {.update = update, .learning_rate = learning_rate});
  }
  return values;
}

std::vector<LossValue> LossReader::finish() {
  if (reading_ == LossReading::async_upstream) return {};
  return pending();
}

std::vector<LossValue> LossReader::pending() {
  std::vector<LossValue> values;
  while (auto delivery = exchange_ ? exchange_->take() : std::nullopt) {
    values.push_back({.update = delivery->tag.update,
                      .loss = delivery->value.item<float>(),
                      .learning_rate = delivery->tag.learning_rate});
  }
  return values;
}

LossIsNan::LossIsNan(std::int64_t at_update)
    : std::runtime_error("the loss of update " + std::to_string(at_update) +
                         " is NaN: training stops (lower the learning rate, or look at the sample of that update)"),
      update(at_update) {}

void LossLog::add(const LossValue& value) {
  if (std::isnan(value.loss)) throw LossIsNan(value.update);
  ++count_;
  const double decay = std::min(0.99, 1 - 1 / static_cast<double>(count_));
  smooth_ = smooth_ * decay + value.loss * (1 - decay);
  sink_({.update = value.update, .loss = value.loss, .smooth_loss = smooth_, .learning_rate = value.learning_rate});
}

}  // namespace zerostall::train
