// Sources: reference-step.md rows B.1 #20 to #21c, section G. Numbers worked out by hand.
#include "scenarios/train/adamw.h"

#include <gtest/gtest.h>

#include <limits>

#include "scenarios/train/adamw_fused.h"

namespace zerostall::train {
namespace {

at::Tensor parameter(float value) { return at::full({1}, value).requires_grad_(); }

StepInput plain(double learning_rate) {
  return {.learning_rate = learning_rate, .learning_rate_tensor = {}, .found_inf = {}};
}

StepInput guarded(double learning_rate, bool inf) {
  return {.learning_rate = learning_rate, .learning_rate_tensor = {}, .found_inf = at::full({1}, inf ? 3.0f : 0.0f)};
}

TEST(AdamW, TwoStepsByHand) {
  const at::Tensor p = parameter(1);
  AdamW optimizer({p});
  p.mutable_grad() = at::full({1}, 0.5f);
  optimizer.step(plain(0.1));
  // 1 * (1 - 0.1 * 0.01) - 0.1 * 0.5 / (sqrt(0.25) + 1e-8)
  EXPECT_NEAR(p.item<float>(), 0.899, 1e-6);
  p.mutable_grad() = at::full({1}, -1.0f);
  optimizer.step(plain(0.1));
  // 0.899 * 0.999 = 0.898101; m = 0.05 * 0.9 - 0.1 = -0.055, / 0.19 = -0.2894737; v = 0.00025 * 0.999 + 0.001 =
  // 0.00124975, / 0.001999 = 0.6251876, root 0.7906881; 0.898101 + 0.1 * 0.2894737 / 0.7906881
  EXPECT_NEAR(p.item<float>(), 0.9347114, 2e-6);
}

TEST(AdamW, CountsStepsPerParameterAndSkipsThoseWithoutGradient) {
  const at::Tensor used = parameter(1), unused = parameter(1);
  AdamW optimizer({used, unused});
  used.mutable_grad() = at::full({1}, 0.5f);
  optimizer.step(plain(0.1));
  EXPECT_EQ(unused.item<float>(), 1);
  optimizer.zero_grad();
  EXPECT_FALSE(used.grad().defined());
  unused.mutable_grad() = at::full({1}, 0.5f);
  optimizer.step(plain(0.1));
  EXPECT_NEAR(unused.item<float>(), 0.899, 1e-6) << "its first step";
}

// Two parameters of which the second gets no gradient in every third update: their counters differ.
template <class Kind>
struct Trained {
  std::vector<at::Tensor> parameters;
  std::unique_ptr<Kind> optimizer;

  Trained() {
    at::manual_seed(5);
    parameters = {at::randn({7, 5}).requires_grad_(), at::randn({9}).requires_grad_()};
    optimizer = std::make_unique<Kind>(parameters);
  }
  void gradients(int update, double factor = 1) {
    at::manual_seed(static_cast<std::uint64_t>(100 + update));
    for (const at::Tensor& p : parameters) p.mutable_grad() = at::randn_like(p.detach()) * factor;
    if (update % 3 == 2) parameters[1].mutable_grad().reset();
  }
  void step(int update, const StepInput& input) {
    gradients(update);
    optimizer->step(input);
  }
  void overflow(int update, const StepInput& input) {
    gradients(update, std::numeric_limits<double>::infinity());
    optimizer->step(input);
  }
};

template <class Kind>
void expect_same(Trained<Kind>& a, Trained<Kind>& b) {
  for (std::size_t i = 0; i < a.parameters.size(); ++i) EXPECT_TRUE(a.parameters[i].equal(b.parameters[i])) << i;
  const auto left = a.optimizer->state(), right = b.optimizer->state();
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    ASSERT_EQ(left[i].tensor->defined(), right[i].tensor->defined()) << left[i].kind;
    if (!left[i].tensor->defined()) continue;
    EXPECT_TRUE(left[i].tensor->equal(*right[i].tensor)) << left[i].kind << ' ' << i;
  }
}

double rate(int update) { return 0.003 * (update + 1); }

template <class Kind>
void expect_found_inf_zero_changes_nothing() {
  Trained<Kind> a, b;
  for (int update = 0; update < 12; ++update) {
    a.step(update, plain(rate(update)));
    b.step(update, guarded(rate(update), false));
    expect_same(a, b);
  }
}

// Skipped updates (the first one, two in a row, one of another set of parameters) against no step at all; and back to
// steps without found_inf.
template <class Kind>
void expect_found_inf_is_a_skipped_step() {
  Trained<Kind> a, b;
  for (int update = 0; update < 16; ++update) {
    const bool inf = update == 0 || update == 5 || update == 6 || update == 8;
    if (inf) {
      b.overflow(update, guarded(rate(update), true));
    } else {
      a.step(update, plain(rate(update)));
      b.step(update, update < 12 ? guarded(rate(update), false) : plain(rate(update)));
    }
    if (update > 0) expect_same(a, b);
  }
}

TEST(AdamW, FoundInfZeroChangesNoBit) { expect_found_inf_zero_changes_nothing<AdamW>(); }
TEST(AdamW, FoundInfIsASkippedStep) { expect_found_inf_is_a_skipped_step<AdamW>(); }
TEST(AdamWFused, FoundInfZeroChangesNoBit) { expect_found_inf_zero_changes_nothing<AdamWFused>(); }
TEST(AdamWFused, FoundInfIsASkippedStep) { expect_found_inf_is_a_skipped_step<AdamWFused>(); }

TEST(AdamW, AnOverflowInTheFirstUpdateLeavesEverythingAlone) {
  Trained<AdamW> trained;
  const at::Tensor before = trained.parameters[0].detach().clone();
  trained.overflow(0, guarded(0.1, true));
  EXPECT_TRUE(trained.parameters[0].equal(before));
  EXPECT_EQ(trained.optimizer->state()[0].tensor->item<float>(), 0);
  EXPECT_FALSE(trained.optimizer->state()[1].tensor->any().item<bool>());
}

TEST(AdamW, ALearningRateOnTheDeviceIsTheSameNumber) {
  Trained<AdamW> a, b, c;
  for (int update = 0; update < 6; ++update) {
    const StepInput input{
        .learning_rate = 0, .learning_rate_tensor = at::full({}, rate(update), at::kFloat), .found_inf = {}};
    a.step(update, plain(rate(update)));
    b.step(update, input);
    c.step(update,
           {.learning_rate = 0, .learning_rate_tensor = input.learning_rate_tensor, .found_inf = at::zeros({1})});
  }
  EXPECT_TRUE(a.parameters[0].allclose(b.parameters[0], 1e-6, 1e-6));
  expect_same(b, c);
}

TEST(AdamWFused, AgreesWithAdamW) {
  Trained<AdamW> a;
  Trained<AdamWFused> b;
  for (int update = 0; update < 6; ++update) {
    a.step(update, plain(rate(update)));
    b.step(update, plain(rate(update)));
  }
  for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(a.parameters[i].allclose(b.parameters[i], 1e-5, 1e-6));
}

}  // namespace
}  // namespace zerostall::train
