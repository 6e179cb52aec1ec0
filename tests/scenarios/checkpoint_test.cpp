// Recomputation gives the gradients of the plain graph, bit for bit. Source: reference-step.md B.1 #35.
#include "scenarios/train/checkpoint.h"

#include <gtest/gtest.h>

#include "scenarios/flux2/transformer.h"
#include "scenarios/train/autocast.h"

namespace zerostall::train {
namespace {

struct Counted {
  at::Tensor weight = at::tensor({0.5f, -2.0f}).requires_grad_();
  int calls = 0;
  Block block() {
    return [this](const std::vector<at::Tensor>& in) {
      ++calls;
      return std::vector<at::Tensor>{in[0] * weight + in[1].sin(), in[0] * in[1]};
    };
  }
};

at::Tensor anchor() { return at::zeros({}).requires_grad_(); }
at::Tensor leaf(float a, float b) { return at::tensor({a, b}).requires_grad_(); }
at::Tensor total(const std::vector<at::Tensor>& out) { return (out[0] * 3).sum() + out[1].square().sum(); }

TEST(Checkpoint, GradientsEqualThePlainGraphs) {
  Counted plain, recomputed;
  const at::Tensor a = leaf(1, 2), b = leaf(3, -1), c = leaf(1, 2), d = leaf(3, -1);
  total(plain.block()({a, b})).backward();
  const at::Tensor loss = total(checkpoint(recomputed.block(), {c, d}, anchor()));
  EXPECT_EQ(recomputed.calls, 1);
  loss.backward();
  EXPECT_EQ(recomputed.calls, 2);
  EXPECT_TRUE(a.grad().equal(c.grad()));
  EXPECT_TRUE(b.grad().equal(d.grad()));
  EXPECT_TRUE(plain.weight.grad().equal(recomputed.weight.grad()));
}

TEST(Checkpoint, WorksWhenNoInputNeedsAGradient) {
  Counted counted;
  const at::Tensor in = at::tensor({1.0f, 2.0f});
  total(checkpoint(counted.block(), {in, in}, anchor())).backward();
  ASSERT_TRUE(counted.weight.grad().defined());
  EXPECT_TRUE(counted.weight.grad().equal(at::tensor({3.0f, 6.0f})));
  EXPECT_FALSE(in.grad().defined());
}

TEST(Checkpoint, BlocksInARowPassGradientsOn) {
  Counted first, second;
  const at::Tensor a = leaf(1, 2), b = leaf(3, -1), c = leaf(1, 2), d = leaf(3, -1), stop = anchor();
  total(second.block()(first.block()({a, b}))).backward();
  const at::Tensor expected = first.weight.grad().clone();
  first.weight.mutable_grad().reset();
  total(checkpoint(second.block(), checkpoint(first.block(), {c, d}, stop), stop)).backward();
  EXPECT_TRUE(first.weight.grad().equal(expected));
  EXPECT_TRUE(a.grad().equal(c.grad()));
  EXPECT_FALSE(stop.grad().defined());
}

TEST(Checkpoint, DropsTheBlocksActivations) {
  Counted counted;
  const at::Tensor in = leaf(1, 2);
  const at::Tensor out = checkpoint(counted.block(), {in, in}, anchor())[0];
  EXPECT_EQ(out.grad_fn()->name().find("Mul"), std::string::npos) << "the block's own graph was kept";
}

std::vector<at::Tensor> gradients_of_tiny(bool checkpointing) {
  at::manual_seed(1);
  LinearMaker maker{.device = at::kCPU, .parameters = {}};
  const flux2::Transformer model = flux2::make_transformer(*flux2::find_config("tiny"), maker);
  for (const NamedParameter& p : maker.parameters)
    p.value.detach().normal_(0, 0.02);  // up = 0 would hide half of the gradients
  const at::Tensor ids = at::arange(32 * 4, at::kLong).view({32, 4}).remainder(7);
  const Autocast autocast(at::kCPU);
  const BlockRunner runner{.anchor = anchor(), .checkpointing = checkpointing};
  const at::Tensor out = flux2::forward(model,
                                        {.hidden_states = at::randn({2, 32, 128}, at::kBFloat16),
                                         .encoder_hidden_states = at::randn({2, 32, 96}, at::kBFloat16),
                                         .timestep = at::tensor({0.1f, 0.7f}),
                                         .guidance = {},
                                         .txt_ids = ids,
                                         .img_ids = ids},
                                        runner);
  out.to(at::kFloat).square().mean().backward();
  std::vector<at::Tensor> gradients;
  for (const NamedParameter& p : maker.parameters) gradients.push_back(p.value.grad());
  return gradients;
}

TEST(Checkpoint, TheWholeTransformerHasTheSameGradients) {
  const std::vector<at::Tensor> plain = gradients_of_tiny(false), recomputed = gradients_of_tiny(true);
  ASSERT_EQ(plain.size(), recomputed.size());
  ASSERT_EQ(plain.size(), 2u * (2 * 12 + 2 * 2));
  for (std::size_t i = 0; i < plain.size(); ++i) {
    ASSERT_TRUE(plain[i].defined() && recomputed[i].defined()) << i;
    EXPECT_TRUE(plain[i].equal(recomputed[i])) << i;
    EXPECT_GT(plain[i].abs().max().item<float>(), 0) << i;
  }
}

}  // namespace
}  // namespace zerostall::train
