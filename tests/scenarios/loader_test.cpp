// Fix pinned-batch in the loader: same samples, same order, no waits. Source: reference-step.md rows B.1 #1, #2.
#include "scenarios/train/loader.h"

#include <gtest/gtest.h>

#include "tests/fixes/host_waits.h"

namespace zerostall::train {
namespace {

// Three, so that batches of two start over in the middle of one.
std::vector<CachedSample> samples() {
  at::manual_seed(1);
  std::vector<CachedSample> list = random_samples(3, {.latent_channels = 4,
                                                      .latent_height = 2,
                                                      .latent_width = 2,
                                                      .text_length = 6,
                                                      .text_features = 5,
                                                      .shortest_text = 2});
  for (std::size_t i = 0; i < list.size(); ++i) list[i].loss_weight = 0.25f * static_cast<float>(i + 1);
  return list;
}

void expect_equal(const Batch& a, const Batch& b, int number) {
  for (const auto field : {&Batch::latents, &Batch::tokens, &Batch::tokens_mask, &Batch::text, &Batch::loss_weight}) {
    EXPECT_TRUE((a.*field).cpu().equal((b.*field).cpu())) << "batch " << number;
    EXPECT_EQ((a.*field).scalar_type(), (b.*field).scalar_type());
  }
  EXPECT_EQ(a.text_lengths, b.text_lengths);
}

// `on(i)`: is the fix on for batch i?
template <class On>
void expect_same_batches(at::Device device, On on) {
  FixesOn fixes{.pinned_batch = on(0)};
  Loader plain(samples(), 2, device), fixed(samples(), 2, device, &fixes);
  for (int i = 0; i < 9; ++i) {
    fixes.pinned_batch = on(i);
    expect_equal(fixed.next(), plain.next(), i);
  }
}

TEST(Loader, StartsOverAtTheEnd) {
  Loader loader(samples(), 2, at::kCPU);
  loader.next();
  const Batch second = loader.next();
  EXPECT_EQ(second.loss_weight[0].item<float>(), 0.75f);
  EXPECT_EQ(second.loss_weight[1].item<float>(), 0.25f);
  EXPECT_EQ(second.text_lengths, (std::vector<std::int64_t>{6, 2}));
}

TEST(Loader, PinnedBatchDeliversTheSameSamples) {
  expect_same_batches(at::kCPU, [](int) { return true; });
}

TEST(Loader, TheFixMayComeAndGoWithoutLosingOrRepeatingASample) {
  expect_same_batches(at::kCPU, [](int i) { return i < 4; });
  expect_same_batches(at::kCPU, [](int i) { return i >= 4; });
  expect_same_batches(at::kCPU, [](int i) { return i % 3 != 1; });
}

TEST(Loader, SeeksToWhereABackupWasMade) {
  const FixesOn fixes{.pinned_batch = true};
  Loader whole(samples(), 2, at::kCPU), resumed(samples(), 2, at::kCPU, &fixes);
  resumed.next();  // must not matter
  resumed.seek(4);
  for (int i = 0; i < 4; ++i) whole.next();
  for (int i = 4; i < 8; ++i) expect_equal(resumed.next(), whole.next(), i);
}

// Against the CPU's batches: the blocking path stacks by a kernel, which the simulated GPU does not compute.
TEST(LoaderCuda, PinnedBatchDeliversTheSameSamples) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  const FixesOn fixes{.pinned_batch = true};
  Loader plain(samples(), 2, at::kCPU), fixed(samples(), 2, at::kCUDA, &fixes);
  for (int i = 0; i < 6; ++i) {
    const Batch batch = fixed.next();
    EXPECT_TRUE(batch.text.is_cuda() && batch.loss_weight.is_cuda());
    expect_equal(batch, plain.next(), i);
  }
}

TEST(LoaderCuda, WaitsFiveTimesASampleWithoutTheFixAndNeverWithIt) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  FixesOn fixes{.pinned_batch = true};
  Loader loader(samples(), 2, at::kCUDA, &fixes);
  at::Tensor work = at::zeros({1024}, at::kCUDA);
  const auto step = [&] {
    const Batch batch = loader.next();
    for (int launch = 0; launch < 1500; ++launch) work.add_(1);
  };
  step();
  EXPECT_EQ(host_waits_of([&] {
              for (int i = 0; i < 6; ++i) step();
            }).all(),
            0);
  EXPECT_EQ(loader.event_waits(), 0);
  fixes.pinned_batch = false;  // at once, though a batch was sent ahead
  EXPECT_EQ(host_waits_of(step).stream_syncs, 10);
  fixes.pinned_batch = true;
  EXPECT_EQ(host_waits_of(step).all(), 0) << "its memory is still there";
}

}  // namespace
}  // namespace zerostall::train
