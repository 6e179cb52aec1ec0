// library-internal: a library waits for purposes of its own.
// Usual code: `at::linalg_cholesky(covariance)` in the step, to whiten features or precondition gradients. LibTorch
// reads back whether the factorization worked, to be able to throw.
// Fix: `linalg_cholesky_ex(..., check_errors=false)` gives that answer as a tensor, and asks nobody.
// Near miss: the program reads that answer itself. One byte, at the same place: branch-on-device.
#include <stdexcept>

#include "scenarios/catalogue/scenarios.h"

namespace zerostall::scenarios::catalogue {

void library_internal(Run& run) {
  Model model(run.device);
  const at::Tensor identity = at::eye(kWidth).to(run.device);

  each_step(run, [&](std::int64_t) {
    const at::Tensor h = model.hidden(model.input);
    const at::Tensor covariance = at::matmul(h.detach().t(), h.detach()) / kRows + identity;
    at::Tensor factor;
    if (run.is(Variant::cause)) {
      factor = at::linalg_cholesky(covariance);
    } else {
      const auto [lower, info] = at::linalg_cholesky_ex(covariance, /*upper=*/false, /*check_errors=*/false);
      factor = lower;
      if (run.is(Variant::near_miss) && (info != 0).item<bool>()) throw std::runtime_error("not positive definite");
    }
    const at::Tensor white = at::linalg_solve_triangular(factor, h.t(), /*upper=*/false).t();
    model.loss(white).backward();
    model.update();
  });
  run.weights = model.parameters;
}

}  // namespace zerostall::scenarios::catalogue
