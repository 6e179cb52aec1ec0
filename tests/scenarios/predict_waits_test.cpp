// How often one prediction of each model makes the host wait, on the simulated GPU, without and with the fixes. Source:
// reference-step.md section 0 and rows B.1 #4, #5, #12, I1 to I5, E1, E2.
#include <gtest/gtest.h>

#include "scenarios/ernie/model.h"
#include "scenarios/flux2/model.h"
#include "scenarios/ideogram4/model.h"
#include "tests/fixes/host_waits.h"
#include "tests/scenarios/tiny_run.h"

namespace zerostall::train {
namespace {

struct Counted {
  std::int64_t waits, copies;
  bool operator==(const Counted&) const = default;
};
void PrintTo(const Counted& c, std::ostream* out) { *out << c.waits << " waits, " << c.copies << " copies"; }

// Of one prediction in the steady state.
Counted counted(Make make, std::string_view size, const FixesOn& fixes) {
  at::manual_seed(1);
  const Model model = *make(size, {.device = at::kCUDA});
  OneStep step = one_step(random_samples(2, model.sample), at::kCUDA);
  step.fixes = fixes;
  if (fixes.bn_pinning) fixes::pin_batch_norm(step.vae.bn, at::kCUDA);
  step.predict(model);
  const HostWaits counted = host_waits_of([&] { step.predict(model); });
  return {counted.all(), counted.copies};
}

constexpr FixesOn kPinned{.bn_pinning = true};
constexpr FixesOn kAll{.bn_pinning = true, .cached_guidance = true, .host_lengths = true};

TEST(PredictCuda, Flux2UploadsStatisticsAndItsDevModelTheGuidance) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  EXPECT_EQ(counted(flux2::make_model, "tiny", {}), (Counted{2, 2}));
  EXPECT_EQ(counted(flux2::make_model, "dev-tiny", {}), (Counted{3, 3}));
  EXPECT_EQ(counted(flux2::make_model, "dev-tiny", kPinned), (Counted{1, 1}));
  EXPECT_EQ(counted(flux2::make_model, "dev-tiny", {.cached_guidance = true}), (Counted{2, 2}));
  EXPECT_EQ(counted(flux2::make_model, "dev-tiny", kAll), (Counted{0, 0}));
}

TEST(PredictCuda, ErnieReadsTheLongestText) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  EXPECT_EQ(counted(ernie::make_model, "tiny", {}), (Counted{3, 3}));
  EXPECT_EQ(counted(ernie::make_model, "tiny", kPinned), (Counted{1, 1}));
  EXPECT_EQ(counted(ernie::make_model, "tiny", kAll), (Counted{0, 0}));
}

TEST(PredictCuda, Ideogram4ReadsLengthsThreeTimesAndUploadsThreeIds) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  EXPECT_EQ(counted(ideogram4::make_model, "tiny", {}), (Counted{8, 8}));
  EXPECT_EQ(counted(ideogram4::make_model, "tiny", kPinned), (Counted{6, 6}));
  EXPECT_EQ(counted(ideogram4::make_model, "tiny", {.host_lengths = true}), (Counted{2, 2}));
  EXPECT_EQ(counted(ideogram4::make_model, "tiny", kAll), (Counted{0, 0}));
}

}  // namespace
}  // namespace zerostall::train
