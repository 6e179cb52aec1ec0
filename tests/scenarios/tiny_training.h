// FLUX.2 tiny under training, piece by piece, for tests of parts that the loop puts together.
#pragma once
#include <gtest/gtest.h>

#include "scenarios/flux2/model.h"
#include "scenarios/train/autocast.h"
#include "scenarios/train/flow_matching.h"
#include "scenarios/train/optimizer.h"

namespace zerostall::train {

struct TinyOptions {
  scenarios::Weights weights = scenarios::Weights::int8;
  at::Device device = at::kCPU;
  at::ScalarType dtype = at::kBFloat16;  // of autocast
  const FixesOn* fixes = nullptr;
  double offload = 0;
  bool offload_async = true;
};

class TinyTraining {
 public:
  explicit TinyTraining(const TinyOptions& options)
      : options_(options), model_(make(options)), vae_(make_vae()), blocks_{.anchor = anchor(options.device)} {
    vae_.to(options.device);  // nothing left in the step that waits
    Loader loader(random_samples(2, model_.sample), 2, options.device);
    batch_ = loader.next();
    if (options.offload > 0) {
      offload_.emplace(model_.blocks, options.offload, options.offload_async, options.device);
      blocks_.offload = &*offload_;
    }
  }
  TinyTraining(const TinyTraining&) = delete;
  TinyTraining& operator=(const TinyTraining&) = delete;

  at::Tensor loss(std::int64_t micro_step) {
    const Autocast autocast(options_.device.type(), options_.dtype);
    at::Generator generator = at::globalContext().defaultGenerator(options_.device).clone();
    generator.set_current_seed(7 + static_cast<std::uint64_t>(micro_step));
    static const FixesOn none;
    const Predicted out = model_.predict({.batch = batch_,
                                          .vae = vae_,
                                          .generator = generator,
                                          .fixes = options_.fixes ? *options_.fixes : none,
                                          .blocks = blocks_});
    return flow_loss(out.predicted, out.target, batch_.loss_weight);
  }

  // Plain gradient descent with a rate that moves every weight; `updates` of them.
  void train(std::int64_t updates, std::int64_t from = 0) {
    for (std::int64_t i = from; i < from + updates; ++i) {
      loss(i).backward();
      const at::NoGradGuard no_grad;
      for (const NamedParameter& p : model_.parameters) {
        p.value.sub_(p.value.grad(), 0.5);
        p.value.mutable_grad().reset();
      }
    }
  }

  std::vector<at::Tensor> parameters() const {
    std::vector<at::Tensor> values;
    for (const NamedParameter& p : model_.parameters) values.push_back(p.value);
    return values;
  }
  const Model& model() const { return model_; }
  const LayerOffload& offload() const { return *offload_; }

 private:
  static Model make(const TinyOptions& options) {
    at::manual_seed(42);
    return *flux2::make_model(
        "tiny", {.device = options.device, .weights = options.weights, .fixes = options.fixes, .pixels = 0});
  }
  static at::Tensor anchor(at::Device device) {
    return at::zeros({}, at::TensorOptions().device(device)).requires_grad_();
  }

  TinyOptions options_;
  Model model_;
  Vae vae_;
  Batch batch_;
  std::optional<LayerOffload> offload_;
  BlockRunner blocks_;
};

inline void expect_same(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i].detach().equal(b[i].detach())) << "tensor " << i;
}

// More launches than the launch queue holds: whatever was queued before them is done when the last one is queued.
inline void queue_a_step(at::Device device) {
  at::Tensor work = at::zeros({1024}, at::TensorOptions().device(device));
  for (int launch = 0; launch < 3000; ++launch) work.add_(1);
}

}  // namespace zerostall::train
