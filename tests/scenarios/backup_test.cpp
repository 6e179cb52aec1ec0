// Backup, resume, and that training goes on as if nothing had happened. Source: reference-step.md A.3.5, B.1 #21c.
#include "scenarios/train/backup.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "scenarios/flux2/model.h"
#include "scenarios/train/autocast.h"
#include "scenarios/train/flow_matching.h"
#include "tests/fixes/host_waits.h"

namespace zerostall::train {
namespace {

using scenarios::OptimizerKind;

// A file name of this process's own; no file is there before or after.
struct TemporaryFile {
  std::string path = testing::TempDir() + "backup_" + std::to_string(::getpid());
  ~TemporaryFile() { std::filesystem::remove(path); }
};

// Two layers of the given dtype on samples of a loader: the pieces of a run, small.
struct Small {
  FixesOn fixes;
  std::vector<NamedParameter> parameters;
  std::unique_ptr<Optimizer> optimizer;
  std::unique_ptr<Loader> loader;

  Small(OptimizerKind kind, at::ScalarType dtype, const FixesOn& on, std::uint64_t seed = 7,
        at::Device device = at::kCPU)
      : fixes(on) {
    at::manual_seed(7);
    loader = std::make_unique<Loader>(random_samples(3, {2, 2, 2, 4, 8}), 2, device, &fixes);
    at::manual_seed(seed);
    const auto weight = [&](std::int64_t out, std::int64_t in) {
      return (at::randn({out, in}) / 3).to(dtype).to(device).requires_grad_();
    };
    parameters = {{"first.weight", weight(8, 8)}, {"second.weight", weight(3, 8)}};
    optimizer = make_optimizer(kind, {parameters[0].value, parameters[1].value});
  }
  void train(int updates, bool guarded = false) {
    for (int i = 0; i < updates; ++i) {
      const at::Tensor x = loader->next().text.to(parameters[0].value.scalar_type());
      const at::Tensor y = at::linear(at::linear(x, parameters[0].value).tanh(), parameters[1].value);
      (y - 1).square().mean().backward();
      optimizer->step({.learning_rate = 0.01,
                       .learning_rate_tensor = {},
                       .found_inf = guarded ? at::zeros({1}, x.device()) : at::Tensor()});
      optimizer->zero_grad();
    }
  }
};

TEST(Backup, FiveUpdatesBackupAndFiveMoreEqualTen) {
  const TemporaryFile file;
  for (const auto& [kind, dtype] :
       {std::pair{OptimizerKind::adamw, at::kFloat}, std::pair{OptimizerKind::adamw_fused, at::kFloat},
        std::pair{OptimizerKind::adafactor, at::kBFloat16}}) {
    for (const bool fixed : {false, true}) {
      const FixesOn fixes{.pinned_batch = fixed, .resume_steps_on_cpu = fixed};
      Small whole(kind, dtype, {}), half(kind, dtype, fixes), resumed(kind, dtype, fixes, 8);
      whole.train(10);
      half.train(5);
      save_backup(file.path, half.parameters, *half.optimizer, 5);
      const std::int64_t updates = load_backup(file.path, resumed.parameters, *resumed.optimizer, fixes);
      EXPECT_EQ(updates, 5);
      resumed.loader->seek(updates);
      resumed.train(5);
      for (std::size_t i = 0; i < 2; ++i)
        EXPECT_TRUE(resumed.parameters[i].value.equal(whole.parameters[i].value)) << static_cast<int>(kind) << ' ' << i;
    }
  }
}

TEST(Backup, AlsoWithCountersThatLieOnTheDevice) {
  const TemporaryFile file;
  for (const OptimizerKind kind : {OptimizerKind::adamw, OptimizerKind::adamw_fused}) {
    Small whole(kind, at::kFloat, {}), half(kind, at::kFloat, {});
    whole.train(10);
    half.train(5, true);
    save_backup(file.path, half.parameters, *half.optimizer, 5);
    half.train(3, true);  // goes on, and is set back
    half.loader->seek(load_backup(file.path, half.parameters, *half.optimizer, {}));
    half.train(5, true);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(half.parameters[i].value.equal(whole.parameters[i].value)) << i;
  }
}

// One micro-step of FLUX.2 at size tiny, as the run makes it.
struct Tiny {
  FixesOn fixes;
  Model model;
  Vae vae;
  std::unique_ptr<Loader> loader;
  std::unique_ptr<Optimizer> optimizer;
  BlockRunner blocks{.anchor = at::zeros({}).requires_grad_()};

  Tiny(const FixesOn& on, std::uint64_t seed) : fixes(on) {
    at::manual_seed(42);
    model = *flux2::make_model("tiny", {.device = at::kCPU, .fixes = &fixes});
    vae = make_vae();
    loader = std::make_unique<Loader>(random_samples(4, model.sample), 2, at::kCPU, &fixes);
    std::vector<at::Tensor> trained;
    at::manual_seed(seed);
    for (const NamedParameter& p : model.parameters) {
      const at::NoGradGuard no_grad;
      trained.push_back(p.value);
      p.value.add_(at::randn_like(p.value), 0.01);
    }
    optimizer = make_optimizer(OptimizerKind::adamw, trained);
  }
  void train(std::int64_t from, std::int64_t to) {
    for (std::int64_t step = from; step < to; ++step) {
      const Autocast autocast(at::kCPU);
      at::Generator generator = at::globalContext().defaultGenerator(at::kCPU).clone();
      generator.set_current_seed(static_cast<std::uint64_t>(step));
      const Batch batch = loader->next();
      const Predicted out =
          model.predict({.batch = batch, .vae = vae, .generator = generator, .fixes = fixes, .blocks = blocks});
      flow_loss(out.predicted, out.target, batch.loss_weight).backward();
      optimizer->step({.learning_rate = 0.01, .learning_rate_tensor = {}, .found_inf = {}});
      optimizer->zero_grad();
    }
  }
};

TEST(Backup, TinyFluxGoesOnAsIfNothingHadHappened) {
  const TemporaryFile file;
  const FixesOn fixes{.pinned_batch = true, .resume_steps_on_cpu = true};
  Tiny whole({}, 1), half(fixes, 1), resumed(fixes, 2);
  whole.train(0, 10);
  half.train(0, 5);
  save_backup(file.path, half.model.parameters, *half.optimizer, 5);
  const std::int64_t updates = load_backup(file.path, resumed.model.parameters, *resumed.optimizer, fixes);
  resumed.loader->seek(updates);
  resumed.train(updates, 10);
  for (std::size_t i = 0; i < whole.model.parameters.size(); ++i)
    EXPECT_TRUE(resumed.model.parameters[i].value.equal(whole.model.parameters[i].value)) << i;
}

TEST(BackupCuda, StateLiesOnTheDeviceUnlessTheFixIsOn) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  const TemporaryFile file;
  for (const bool fixed : {false, true}) {
    const FixesOn fixes{.pinned_batch = true, .resume_steps_on_cpu = fixed};
    Small run(OptimizerKind::adamw, at::kFloat, fixes, 7, at::kCUDA);
    run.train(2);
    save_backup(file.path, run.parameters, *run.optimizer, 2);
    load_backup(file.path, run.parameters, *run.optimizer, fixes);
    for (const StateEntry& entry : run.optimizer->state())
      EXPECT_EQ(entry.tensor->is_cuda(), entry.kind != "step" || !fixed) << entry.kind;
    run.train(1);
    EXPECT_EQ(host_waits_of([&] { run.train(1); }).all(), fixed ? 0 : 2);
  }
}

std::string loading(const std::string& path, OptimizerKind kind = OptimizerKind::adamw) {
  Small run(kind, at::kFloat, {});
  try {
    load_backup(path, run.parameters, *run.optimizer, {});
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "loaded";
}

TEST(Backup, SaysWhatIsWrongInOneLine) {
  const TemporaryFile file;
  EXPECT_NE(loading(file.path).find("cannot be read"), std::string::npos);
  std::ofstream(file.path) << "PK\x03\x04";
  EXPECT_NE(loading(file.path).find("is not a backup"), std::string::npos);
  Small run(OptimizerKind::adamw, at::kFloat, {});
  run.train(1);
  save_backup(file.path, run.parameters, *run.optimizer, 1);
  EXPECT_EQ(loading(file.path), "loaded");
  EXPECT_NE(loading(file.path, OptimizerKind::adafactor).find("is of another"), std::string::npos);
  run.parameters[1].name = "other.weight";
  save_backup(file.path, run.parameters, *run.optimizer, 1);
  EXPECT_NE(loading(file.path).find("has no fitting 'second.weight'"), std::string::npos);
  EXPECT_THROW(save_backup("/no/such/folder/b", run.parameters, *run.optimizer, 1), std::runtime_error);
}

TEST(Backup, ACutOffOrDamagedFileIsRefusedWhereverItEnds) {
  const TemporaryFile file;
  Small run(OptimizerKind::adamw, at::kFloat, {});
  run.train(1);
  save_backup(file.path, run.parameters, *run.optimizer, 1);
  std::ostringstream text;
  text << std::ifstream(file.path, std::ios::binary).rdbuf();
  const std::string whole = text.str();
  for (std::size_t size = 0; size + 1 < whole.size(); size += 37) {
    std::ofstream(file.path, std::ios::binary) << whole.substr(0, size);
    EXPECT_NE(loading(file.path), "loaded") << size;
  }
  std::string huge = whole;
  huge.replace(huge.find("Float 8 8"), 9, "Float 9999999999999 9999999999999");
  std::ofstream(file.path, std::ios::binary) << huge;
  EXPECT_NE(loading(file.path).find("damaged"), std::string::npos);
}

}  // namespace
}  // namespace zerostall::train
