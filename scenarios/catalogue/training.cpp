#include "scenarios/catalogue/training.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include "profiler/mark/mark.h"

namespace zerostall::scenarios::catalogue {
namespace {

constexpr double kLearningRate = 1e-3;

std::vector<at::Tensor> make_parameters(at::Device device) {
  at::manual_seed(7);
  std::vector<at::Tensor> parameters;
  for (const auto& [rows, columns] : {std::pair{4 * kWidth, kWidth}, {kWidth, 4 * kWidth}, {kOutputs, kWidth}})
    parameters.push_back((at::randn({rows, columns}) * 0.1).to(device).requires_grad_());
  return parameters;
}

}  // namespace

Model::Model(at::Device device)
    : parameters(make_parameters(device)), target_(at::randn({kRows, kOutputs}).to(device)), optimizer_(parameters) {
  input = at::randn({kRows, kWidth}).to(device);
}

at::Tensor Model::hidden(const at::Tensor& in) const {
  return in + at::linear(at::gelu(at::linear(in, parameters[0])), parameters[1]);
}

at::Tensor Model::predict(const at::Tensor& hidden) const { return at::linear(hidden, parameters[2]); }

at::Tensor Model::loss(const at::Tensor& hidden) const {
  return (predict(hidden) - target_.narrow(0, 0, hidden.size(0))).square().mean();
}

void Model::update() {
  optimizer_.step({.learning_rate = kLearningRate, .learning_rate_tensor = {}, .found_inf = {}});
  optimizer_.zero_grad();
}

void each_step(const Run& run, const std::function<void(std::int64_t)>& body) {
  for (std::int64_t n = 0; n < run.steps; ++n) {
    const mark::Step step(static_cast<long>(n));
    body(n);
  }
}

at::Tensor pinned(const Run& run, const at::Tensor& host) { return run.device.is_cuda() ? host.pin_memory() : host; }

std::vector<at::Tensor> random_batches(const Run& run, std::size_t count, at::IntArrayRef shape, bool is_pinned) {
  std::vector<at::Tensor> batches;
  for (std::size_t i = 0; i < count; ++i) {
    const at::Tensor batch = at::randn(shape);
    batches.push_back(is_pinned ? pinned(run, batch) : batch);
  }
  return batches;
}

SideStream::SideStream(at::Device device) {
  if (!device.is_cuda()) return;
  const c10::impl::VirtualGuardImpl guard(device.type());
  stream_ = guard.getStreamFromGlobalPool(guard.getDevice());
  before_.emplace(device.type());
  after_.emplace(device.type());
}

void SideStream::run(const std::function<void()>& work) {
  if (!stream_) return work();
  const c10::impl::VirtualGuardImpl guard(stream_->device_type());
  const at::Stream current = guard.exchangeStream(*stream_);
  before_->record(current);
  before_->block(*stream_);
  work();
  after_->record(*stream_);
  guard.exchangeStream(current);
}

void SideStream::join() {
  if (!stream_) return;
  after_->block(c10::impl::VirtualGuardImpl(stream_->device_type()).getStream(stream_->device()));
}

}  // namespace zerostall::scenarios::catalogue
