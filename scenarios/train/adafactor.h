// Adafactor as the fine-tune presets use it: no first moment, relative_step and scale_parameter off, so the learning
// rate is the one given. Source: reference-step.md rows B.1 #22, #23 and section G. Formulas: Shazeer and Stern 2018
// (arXiv 1804.04235), algorithms 4 and 5, with clipping of the update at d = 1 and decay b_n = 1 - n^-0.8:
//   matrix [.., N, K]: R = b R + (1 - b) mean_K(g^2 + e);  C = b C + (1 - b) mean_N(g^2 + e);
//                      u = g / sqrt(R / mean(R)) / sqrt(C)
//   vector:            V = b V + (1 - b) (g^2 + e);  u = g / sqrt(V)
//   p -= lr * u / max(1, rms(u) / d)
// All in fp32; a bf16 parameter is rounded stochastically: 16 random bits of the device's generator are added below the
// bits that stay. The generator is seeded by the parameter's place and step number (its state lives on the host), so a
// step does not depend on the order in which parameters are stepped.
// Host waits: none, also with a learning rate on the device, and after a resume: the step number is a plain host number
// upstream. found_inf is refused: with fp16 read the finite check before the step.
#pragma once
#include "scenarios/train/optimizer.h"

namespace zerostall::train {

struct AdafactorOptions {
  double eps = 1e-30, clip_threshold = 1.0, decay_rate = -0.8;
};

class Adafactor : public Optimizer {
 public:
  explicit Adafactor(std::vector<at::Tensor> parameters, AdafactorOptions options = {});
  std::vector<StateEntry> state() override;

 private:
  struct State {
    at::Tensor step;              // int64 [], on the host
    at::Tensor row, col, square;  // fp32; row and col of a matrix, square of a vector
  };
  void update(std::span<const std::size_t> which, const StepInput& input) override;
  at::Tensor direction(State& state, const at::Tensor& gradient) const;  // u, before clipping

  std::vector<State> states_;
  AdafactorOptions options_;
};

// fp32 values to bf16: to one of the two neighbours, the nearer one the likelier, so that the mean of many is the value
// itself. What bf16 holds exactly, infinities and NaN stay as they are.
at::Tensor round_stochastically(const at::Tensor& values, const at::Generator& generator);

}  // namespace zerostall::train
