// Whole runs on the CPU device, where numbers are real: no fix changes one of them. Sources: reference-step.md A.3, F.
#include "scenarios/train/run.h"

#include <gtest/gtest.h>

#include <limits>

#include "scenarios/ernie/model.h"
#include "scenarios/flux2/model.h"
#include "scenarios/ideogram4/model.h"
#include "tests/scenarios/tiny_run.h"

namespace zerostall::train {
namespace {

constexpr FixesOn kAll{.bn_pinning = true,
                       .pinned_batch = true,
                       .cached_guidance = true,
                       .host_lengths = true,
                       .resume_steps_on_cpu = true,
                       .async_ema = true,
                       .deferred_finite_check = true,
                       .fp8_scale_cached = true,
                       .loss_reading = LossReading::async};

RunOptions options_of(Make make, std::string size, std::vector<const char*> with, const FixesOn& fixes) {
  RunOptions options = tiny_options(make, fixes, 10, std::move(size));
  for (const char* word : with) EXPECT_EQ(scenarios::apply_setting(word, options.settings), "") << word;
  return options;
}

struct Case {
  const char* name;
  Make make;
  const char* size;
  std::vector<const char*> with;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Identity : public testing::TestWithParam<Case> {};

TEST_P(Identity, WeightsAndLossesAfterTenUpdatesAreTheSameWithEveryFixOn) {
  const Case& c = GetParam();
  const Result none = run(options_of(c.make, c.size, c.with, {})), all = run(options_of(c.make, c.size, c.with, kAll));
  EXPECT_TRUE(same_weights(none, all));
  ASSERT_EQ(none.lines.size(), 10u);
  ASSERT_EQ(all.lines.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(none.lines[i].update, all.lines[i].update);
    EXPECT_EQ(none.lines[i].loss, all.lines[i].loss) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, Identity,
    testing::Values(
        Case{"flux2", flux2::make_model, "tiny", {}}, Case{"guidance", flux2::make_model, "dev-tiny", {}},
        Case{"ideogram4", ideogram4::make_model, "tiny", {}}, Case{"ernie", ernie::make_model, "tiny", {}},
        Case{"fp8", flux2::make_model, "tiny", {"weights=fp8"}},
        Case{"fp16", flux2::make_model, "tiny", {"precision=fp16"}},
        Case{"ema", flux2::make_model, "tiny", {"ema=cpu"}}, Case{"resume", flux2::make_model, "tiny", {"resume"}},
        Case{"prior", flux2::make_model, "tiny", {"prior-preservation"}},
        Case{"offload", flux2::make_model, "tiny", {"offload=0.7"}},
        Case{"uncached", flux2::make_model, "tiny", {"latent-caching=off"}},
        Case{"finetune", flux2::make_model, "tiny", {"weights=bf16", "optimizer=adafactor", "fused-back-pass"}},
        Case{"life", flux2::make_model, "tiny", {"samples=6", "backup-every=3", "sample-every=4", "validate-every=2"}}),
    [](const auto& info) { return std::string(info.param.name); });

// What happens between the updates leaves no trace in the weights.
TEST(Run, BackupSamplingAndValidationChangeNoNumber) {
  const Result plain = run(options_of(flux2::make_model, "tiny", {}, {}));
  const Result busy =
      run(options_of(flux2::make_model, "tiny", {"backup-every=3", "sample-every=4", "validate-every=2"}, {}));
  EXPECT_TRUE(same_weights(plain, busy));
}

TEST(Run, OffloadingChangesNoNumber) {
  const Result plain = run(options_of(flux2::make_model, "tiny", {}, {}));
  for (const char* how : {"offload-async=on", "offload-async=off"})
    EXPECT_TRUE(same_weights(plain, run(options_of(flux2::make_model, "tiny", {"offload=0.7", how}, {})))) << how;
}

TEST(Run, AResumedRunGoesOnWhereTheEarlierOneStopped) {
  RunOptions whole = options_of(flux2::make_model, "tiny", {}, {});
  whole.training.updates = 6;
  RunOptions resumed = options_of(flux2::make_model, "tiny", {"resume"}, {});  // 2 updates before
  resumed.training.updates = 4;
  const Result a = run(std::move(whole)), b = run(std::move(resumed));
  ASSERT_EQ(a.lines.size(), 6u);
  ASSERT_EQ(b.lines.size(), 4u);
  // The learning rate warms up anew, as the number of the update starts anew; what is trained on does not.
  EXPECT_EQ(a.lines[2].loss, b.lines[0].loss);
}

TEST(Run, PriorPreservationAndItsAdaptersMatter) {
  EXPECT_FALSE(same_weights(run(options_of(flux2::make_model, "tiny", {}, {})),
                            run(options_of(flux2::make_model, "tiny", {"prior-preservation"}, {}))));
}

// F.6: a backup may not hide a NaN that is still on its way to the host.
TEST(Run, ABackupIsNotWrittenBeforeThePendingLossWasLookedAt) {
  RunOptions options = options_of(flux2::make_model, "tiny", {"backup-every=2"}, kAll);
  options.batch = 1;
  options.samples = random_samples(4, {32, 16, 16, 32, 96});
  options.samples[1].loss_weight = std::numeric_limits<float>::quiet_NaN();  // update 1: pending when 2 begins
  std::vector<std::int64_t> logged;
  train::Run scenario(std::move(options));
  LossLog log([&](const LossLine& line) { logged.push_back(line.update); });
  EXPECT_THROW(scenario.train(log), LossIsNan);
  EXPECT_EQ(logged, (std::vector<std::int64_t>{0})) << "without the flush update 2 would have run first";
}

}  // namespace
}  // namespace zerostall::train
