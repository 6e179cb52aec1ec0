// Layer offloading: values, the order of moves, how many there are, and what waits. Sources: reference-step.md B.1 #32,
// #33, section 0 ("Variants").
#include "scenarios/train/layer_offload.h"

#include "tests/fixes/host_waits.h"
#include "tests/scenarios/tiny_training.h"

namespace zerostall::train {
namespace {

// A chain of square bf16 layers, `width` to a block, each layer trained and stepped as soon as its gradient is there.
struct Chain {
  std::vector<std::vector<at::Tensor>> blocks;
  std::optional<LayerOffload> offload;
  BlockRunner runner;

  Chain(std::size_t count, double fraction, bool asynchronous, std::size_t width = 2, at::Device device = at::kCPU) {
    at::manual_seed(3);
    runner.anchor = at::zeros({}, at::TensorOptions().device(device)).requires_grad_();
    for (std::size_t i = 0; i < count; ++i) {
      blocks.emplace_back();
      for (std::size_t k = 0; k < width; ++k) {
        const at::Tensor weight = at::randn({8, 8}).mul_(0.3).to(device, at::kBFloat16).requires_grad_();
        weight.register_hook([weight](const at::Tensor& gradient) {
          const at::NoGradGuard no_grad;
          at::Tensor(weight).sub_(gradient, 0.05);
        });
        blocks.back().push_back(weight);
      }
    }
    if (fraction <= 0) return;
    offload.emplace(blocks, fraction, asynchronous, device);
    runner.offload = &*offload;
  }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  at::Tensor forward(std::int64_t seed) const {
    at::manual_seed(static_cast<std::uint64_t>(seed));
    at::Tensor x = at::randn({4, 8}).to(runner.anchor.device(), at::kBFloat16);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto body = [weights = blocks[i]](const std::vector<at::Tensor>& in) {
        at::Tensor y = in[0];
        for (const at::Tensor& weight : weights) y = at::tanh(at::linear(y, weight)) + y;
        return std::vector<at::Tensor>{y};
      };
      x = runner.run(i, body, {x})[0];
    }
    return x.to(at::kFloat).square().mean();
  }

  void train(std::int64_t updates) {
    for (std::int64_t i = 0; i < updates; ++i) {
      forward(i).backward();
      for (const auto& block : blocks)
        for (const at::Tensor& weight : block) weight.mutable_grad().reset();
    }
  }

  std::vector<at::Tensor> weights() {
    if (offload) offload->to_host();
    std::vector<at::Tensor> all;
    for (const auto& block : blocks) all.insert(all.end(), block.begin(), block.end());
    return all;
  }
};

TEST(LayerOffload, TrainedWeightsKeepTheirUpdates) {
  Chain plain(6, 0, false);
  plain.train(10);
  const at::Tensor start = Chain(6, 0, false).blocks[5][1].detach();
  EXPECT_FALSE(start.equal(plain.weights().back().detach())) << "nothing was trained";
  for (const double fraction : {0.17, 0.34, 0.5, 1.0})
    for (const bool asynchronous : {true, false}) {
      Chain offloaded(6, fraction, asynchronous);
      offloaded.train(10);
      expect_same(plain.weights(), offloaded.weights());
    }
}

TEST(LayerOffload, FrozenWeightsGiveTheSameTraining) {
  TinyTraining plain({});
  plain.train(10);
  for (const bool asynchronous : {true, false}) {
    TinyTraining offloaded({.offload = 0.75, .offload_async = asynchronous});
    offloaded.train(10);
    expect_same(plain.parameters(), offloaded.parameters());
    EXPECT_EQ(offloaded.offload().downloads(), 0) << "frozen weights never change";
  }
}

// Moves of one update in steady state, n blocks of two weights offloaded.
void expect_moves(double fraction, bool asynchronous, std::int64_t uploads, std::int64_t downloads) {
  Chain chain(6, fraction, asynchronous);
  chain.train(3);
  const std::int64_t up = chain.offload->uploads(), down = chain.offload->downloads();
  chain.train(5);
  EXPECT_EQ(chain.offload->uploads() - up, 5 * uploads) << fraction << (asynchronous ? " async" : " blocking");
  EXPECT_EQ(chain.offload->downloads() - down, 5 * downloads) << fraction << (asynchronous ? " async" : " blocking");
}

TEST(LayerOffload, MovesAreThoseOfTheFormula) {
  expect_moves(4.0 / 6, false, 2 * 2 * (4 - 1), 2 * 4);  // w * 2(n - 1), written: w * n
  expect_moves(1.0, false, 2 * 2 * (6 - 1), 2 * 6);
  expect_moves(1.0 / 6, false, 0, 0);  // one block: it never leaves its place
  expect_moves(4.0 / 6, true, 2 * 2 * (4 - 2), 2 * 4);
  expect_moves(1.0, true, 2 * 2 * (6 - 2), 2 * 6);
  expect_moves(2.0 / 6, true, 0, 0);
}

TEST(LayerOffload, PassesWithoutABackwardPassStartAgainFromTheFirstBlock) {
  Chain plain(6, 0, false), offloaded(6, 1.0, true);
  const at::NoGradGuard no_grad;
  for (std::int64_t pass = 0; pass < 3; ++pass) EXPECT_TRUE(plain.forward(pass).equal(offloaded.forward(pass)));
}

TEST(LayerOffload, ToHostBringsWhatWasWrittenAndTrainingGoesOn) {
  Chain plain(6, 0, false), offloaded(6, 0.5, true);
  plain.train(3);
  offloaded.train(3);
  expect_same(plain.weights(), offloaded.weights());
  plain.train(3);
  offloaded.train(3);
  expect_same(plain.weights(), offloaded.weights());
}

TEST(LayerOffload, RefusesABackwardPassWithoutRecomputation) {
  Chain chain(3, 1.0, true);
  chain.runner.checkpointing = false;
  EXPECT_THROW(chain.forward(0), c10::Error);
}

// Tiny has 4 blocks: 12, 12, 2 and 2 weights; at 0.75 the last three are offloaded.
TEST(LayerOffloadCuda, AsynchronousNeverWaitsAndBlockingWaitsPerWeight) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  const auto step = [](bool asynchronous) {
    TinyTraining tiny({.device = at::kCUDA, .offload = 0.75, .offload_async = asynchronous});
    for (std::int64_t i : {0, 1}) tiny.loss(i).backward();
    return host_waits_of([&] { tiny.loss(2).backward(); });
  };
  const HostWaits asynchronous = step(true);
  EXPECT_EQ(asynchronous.all(), 0);
  EXPECT_EQ(asynchronous.uploads, 2 * (12 + 2 + 2) - 12 - 2 - 2 - 2);
  EXPECT_GE(asynchronous.stream_waits, 2 * 3) << "each run of a block waits on the device for its weights";
  const HostWaits blocking = step(false);
  EXPECT_EQ(blocking.stream_syncs, 2 * (12 + 2 + 2) - 12 - 2);
  EXPECT_EQ(blocking.all(), blocking.stream_syncs);
  EXPECT_EQ(blocking.uploads, blocking.stream_syncs);
}

TEST(LayerOffloadCuda, TrainedWeightsComeBackWithoutAWait) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  for (const bool asynchronous : {true, false}) {
    Chain chain(6, 1.0, asynchronous, 2, at::kCUDA);
    chain.train(3);
    const HostWaits calls = host_waits_of([&] { chain.train(1); });
    EXPECT_EQ(calls.downloads, 12);
    // The input of the chain is one blocking upload more.
    EXPECT_EQ(calls.all(), asynchronous ? 1 : 1 + 2 * 2 * (6 - 1) + 12);
  }
}

}  // namespace
}  // namespace zerostall::train
